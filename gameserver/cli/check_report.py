"""The options of `gameserver check` that say what becomes of its report, and what they do."""

import sys
from collections.abc import Callable
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, TypeVar

import click

from gameserver.check.report import CheckReport
from gameserver.check.reports.badge import badge
from gameserver.check.reports.html import html_report
from gameserver.check.reports.json_report import json_report
from gameserver.check.reports.junit import junit
from gameserver.check.reports.text import text_report
from gameserver.check.reports.words import verdict
from gameserver.cli.common import CommandFailed, WrongSettings
from gameserver.values import value

FORMS: dict[str, Callable[[CheckReport], str]] = {"html": html_report, "json": json_report, "junit": junit}
WIDTH_MAX = 100

Command = TypeVar("Command", bound=Callable[..., Any])


@value
class ReportOptions:
    """The user's choice of reports."""

    form: str | None
    """A key of `FORMS`; None for text alone."""
    output: Path | None
    has_badge: bool

    def check(self) -> None:
        """Refuse before a long check what could not be written after it. Raises `WrongSettings`."""
        if self.output is None:
            return
        if self.form is None:
            raise WrongSettings(f"--output {self.output}: say with --report what to write: {', '.join(FORMS)}")
        if self.output.is_dir():
            raise WrongSettings(f"--output {self.output}: that is a directory; name a file in it")
        if not self.output.parent.is_dir():
            raise WrongSettings(f"--output {self.output}: there is no directory {self.output.parent}")


def report_options(command: Command) -> Command:
    """Give a command the options that become the fields of `ReportOptions`."""
    for option in (
        click.option(
            "--badge", "has_badge", is_flag=True, help="Print Markdown for a README: as picture, and as text."
        ),
        click.option(
            "--output",
            "-o",
            type=click.Path(path_type=Path),
            help="Write the report of --report into this file, and the text to the terminal.",
        ),
        click.option(
            "--report",
            "form",
            type=click.Choice(list(FORMS)),
            help="Write the report in this form; to standard output, in place of the text, unless --output is given.",
        ),
    ):
        command = option(command)
    return command


def tell(report: CheckReport, wanted: ReportOptions) -> None:
    """Print and write the report. Raises `CommandFailed` for a file that cannot be written."""
    if wanted.form is None or wanted.output is not None:
        is_terminal = sys.stdout.isatty()
        width = min(get_terminal_size().columns, WIDTH_MAX) if is_terminal else WIDTH_MAX
        _print(text_report(report, width=width, is_coloured=is_terminal))
    if wanted.form is not None:
        _write(FORMS[wanted.form](report), wanted.output)
        if wanted.output is None:
            click.echo(verdict(report), err=True)
    if wanted.has_badge:
        _print(f"\n{badge(report)}", err=wanted.form is not None and wanted.output is None)


def _print(text: str, *, err: bool = False) -> None:
    """Print for people. A console that lacks a character, such as one in cp1252, shows its number instead."""
    encoding = (sys.stderr if err else sys.stdout).encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False, err=err)


def _write(text: str, output: Path | None) -> None:
    """Write for programs: always UTF-8, whatever the console has."""
    if output is None:
        click.echo(text.encode(), nl=False)
        return
    try:
        output.write_bytes(text.encode())
    except OSError as error:
        raise CommandFailed(f"cannot write the report to {output}: {error.strerror}") from error
