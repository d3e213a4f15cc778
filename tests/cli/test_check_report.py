"""The report of a check goes to the terminal, into a file, or both."""

import json
import sys
from pathlib import Path
from xml.etree.ElementTree import fromstring

import click
import pytest
from click.testing import CliRunner

from gameserver.cli.check import ReportOptions, report_options, tell
from gameserver.cli.common import CommandFailed
from tests.check.reports import samples

REPORT = samples.MIXED


@click.command()
@report_options
def command(form: str | None, output: Path | None, *, has_badge: bool) -> None:
    wanted = ReportOptions(form, output, has_badge)
    wanted.check()
    tell(REPORT, wanted)


def run(*arguments: str):
    return CliRunner().invoke(command, arguments)


@pytest.mark.parametrize(("form", "is_that"), [("json", json.loads), ("junit", fromstring)])
def test_form_takes_the_place_of_the_text(form, is_that) -> None:
    ran = run("--report", form, "--badge")
    assert is_that(ran.stdout) is not None
    assert ran.stderr.startswith("Not ready for an event: 2 required scenarios did not pass.\n")
    assert "img.shields.io" in ran.stderr


def test_file_is_written_beside_the_text(tmp_path) -> None:
    ran = run("--report", "html", "--output", str(tmp_path / "check.html"))
    assert "Mend these first" in ran.stdout
    assert (tmp_path / "check.html").read_text("utf-8").startswith("<!DOCTYPE html>")


def test_badge_comes_last() -> None:
    lines = run("--badge").stdout.splitlines()
    assert lines[-2].startswith("![gameserver check: not ready")
    assert lines[-1].startswith("**gameserver check**")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--output", "check.txt"], "say with --report what to write: html, json, junit"),
        (["--report", "html", "--output", "."], "that is a directory"),
        (["--report", "html", "--output", "nowhere/check.html"], "there is no directory nowhere"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_check(arguments, why) -> None:
    ran = run(*arguments)
    assert ran.exit_code == 2
    assert why in ran.stderr
    assert ran.stdout == ""


def test_file_that_cannot_be_written_is_an_error(tmp_path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(CommandFailed, match="cannot write the report to"):
        tell(REPORT, ReportOptions("json", tmp_path / "there", has_badge=False))


@pytest.mark.parametrize("form", [None, "html", "json", "junit"])
def test_console_without_the_characters_is_no_obstacle(monkeypatch, capfdbinary, form) -> None:
    monkeypatch.setattr(sys, "stdout", open(1, "w", encoding="cp1252", closefd=False))  # noqa: SIM115
    tell(REPORT, ReportOptions(form, None, has_badge=True))
    sys.stdout.flush()
    said = capfdbinary.readouterr().out
    assert (rb"\u56f2\u7881" in said) is (form in {None, "json"})
    assert ("囲碁".encode() in said) is (form in {"html", "junit"})
