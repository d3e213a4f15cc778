"""The five forms of a check's report, each a function from a `CheckReport` to text that touches nothing else.

For a terminal the report is short if all is well; otherwise each failure is explained, and the verdict comes last. The
badge is a line of Markdown for a README: as a picture of shields.io, or without an outside service. The HTML file needs
nothing from elsewhere and no script, and is readable on a phone.

The JSON object has `format` and `version`; fields may be added within a version, so a reader ignores those that it does
not know. `version` grows when a field goes or changes its meaning. docs/check.md describes the fields.

JUnit XML is what Jenkins, GitLab and GitHub show beside a build. A test case fails only if the scenario keeps the
client from being ready: so the build is red exactly when the command's exit code is not 0. Other faults are skipped
cases, whose messages say what they are.
"""

import json
import re
from collections.abc import Iterator
from functools import partial
from textwrap import wrap
from typing import Any
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import click
from attrs import asdict
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gameserver.check.report import (
    CODE_LABELS,
    LEVEL_MEANINGS,
    CheckReport,
    ScenarioOutcome,
    ScenarioResult,
    by_weight,
    command_words,
    counts,
    duration,
    explanation,
    happened,
    level_counts,
    moment,
    outcome_reason,
    seconds,
    shortened,
    verdict,
    visible,
    warnings_of,
    wire_line,
)

_SHIELDS_URL = "https://img.shields.io/badge"
_LABEL = "gameserver check"


def picture_badge(report: CheckReport) -> str:
    """Renders a check's badge as a Markdown image, such as `![gameserver check: ready for Reversi](...)`."""
    # Green is for a whole check alone: teachers ask for the green badge, and a part of a check shows no more than it
    # plays.
    colour = "brightgreen" if report.is_ready else "lightgrey" if report.went_well else "red"
    message = _message(report)
    parts = "-".join(_shields(part) for part in (_LABEL, message, colour))
    return f"![{_LABEL}: {_markdown(message)}]({_SHIELDS_URL}/{parts})"


def text_badge(report: CheckReport) -> str:
    """Renders a check's badge as a line of Markdown without a picture."""
    levels = ", ".join(f"{passed} of {count} {level}" for level, passed, count in level_counts(report))
    return (
        f"**{_LABEL}** {_markdown(report.version)}: {_state(report)} for {_markdown(report.game)} over"
        f" {_markdown(report.protocol)} ({levels or 'no scenarios'} passed)"
    )


def badge(report: CheckReport) -> str:
    """Renders both badges of a check, with and without a picture, a line each."""
    return f"{picture_badge(report)}\n{text_badge(report)}\n"


def _message(report: CheckReport) -> str:
    return (
        f"{_state(report)} for {report.game}, {len(report.with_outcome(ScenarioOutcome.PASSED))}/{len(report.results)}"
    )


def _state(report: CheckReport) -> str:
    if report.is_ready:
        return "ready"
    return "checked in part" if report.went_well else "not ready"


def _shields(text: str) -> str:
    """A part of a static badge's path: https://shields.io/badges says that `-` and `_` are written twice."""
    return quote(text.replace("-", "--").replace("_", "__"), safe="")


def _markdown(text: str) -> str:
    """The text with the characters escaped that mean something in Markdown."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|" else char for char in visible(text))


_CHARACTERS_IN_HTML_MAX = 2_000
"""Of a line of the wire or the output: a long list of players is there, a flood is not."""


def html_report(report: CheckReport) -> str:
    """Renders the report of a check as an HTML page.

    All texts in it are escaped: a client and its opponents chose many of them.
    """
    return _ENVIRONMENT.get_template("report.html").render(
        report=report,
        command=command_words(report),
        verdict=verdict(report),
        counts=counts(report),
        took=duration(report),
        levels=level_counts(report),
        meanings=LEVEL_MEANINGS,
        troubles=by_weight(report),
        warnings=warnings_of(report),
    )


def _explained(result: ScenarioResult) -> list[tuple[str, str, bool]]:
    """The parts of an explanation: a label, the text, and whether it is code."""
    return [
        (label, shortened(visible(text), _CHARACTERS_IN_HTML_MAX), label in CODE_LABELS)
        for label, text in explanation(result)
    ]


def _prose(text: str) -> Markup:
    """A sentence; what stands between backticks in it is code."""
    escaped = str(escape(visible(text)))
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped))  # noqa: S704 - escaped in the line above


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("gameserver.check", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "prose": _prose,
        "visible": visible,
        "shortened": partial(shortened, characters_max=_CHARACTERS_IN_HTML_MAX),
        "moment": moment,
        "seconds": seconds,
    }
    environment.globals |= {"happened": happened, "explained": _explained}
    return environment


_ENVIRONMENT = _environment()


_FORMAT = "gameserver-check"
_VERSION = 1


def json_report(report: CheckReport) -> str:
    """Renders the report of a check as one JSON object, in ASCII: any console and file can take it."""
    return json.dumps(_report(report), indent=2) + "\n"


def _report(report: CheckReport) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "gameserver": report.version,
        "command": list(report.command),
        "protocol": report.protocol,
        "game": report.game,
        "seed": report.seed,
        "ready": report.is_ready,
        "unplayed": report.unplayed,
        "passed": len(report.with_outcome(ScenarioOutcome.PASSED)),
        "failed": len(report.with_outcome(ScenarioOutcome.FAILED)),
        "not_reached": len(report.with_outcome(ScenarioOutcome.NOT_REACHED)),
        "could_not_be_played": len(report.with_outcome(ScenarioOutcome.NOT_PLAYABLE)),
        "took_ms": report.took_ms,
        "starting_ms": report.starting_ms,
        "scenarios": [_scenario(result) for result in report.results],
    }


def _scenario(result: ScenarioResult) -> dict[str, Any]:
    told = asdict(result)
    head = {key: told.pop(key) for key in ("name", "title", "level", "outcome")}
    return head | {"outcome": result.outcome.replace(" ", "_"), "blocks": result.blocks} | told


_LINES = "\n\t"


def junit(report: CheckReport) -> str:
    """Renders the report of a check as a JUnit XML document for Jenkins, GitLab and GitHub."""
    name = f"gameserver check: {report.game} over {report.protocol}"
    totals = _totals(report)
    root = Element("testsuites", {"name": visible(name), **totals})
    suite = SubElement(root, "testsuite", {"name": visible(name), **totals, "skipped": _skipped(report)})
    properties = SubElement(suite, "properties")
    known = {"command": command_words(report), "gameserver": report.version, "seed": str(report.seed)}
    for key, known_value in known.items():
        SubElement(properties, "property", {"name": key, "value": visible(known_value)})
    for result in report.results:
        _case(suite, report, result)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _totals(report: CheckReport) -> dict[str, str]:
    counts = {"tests": len(report.results), "failures": len(report.blocking), "errors": 0}
    return {**{key: str(count) for key, count in counts.items()}, "time": _seconds(report.took_ms)}


def _skipped(report: CheckReport) -> str:
    """The number of skipped cases. Jenkins' schema has it for a suite only, not for the whole."""
    return str(len(report.results) - len(report.with_outcome(ScenarioOutcome.PASSED)) - len(report.blocking))


def _case(suite: Element, report: CheckReport, result: ScenarioResult) -> None:
    about = {
        "name": visible(result.title),
        "classname": visible(f"{report.protocol}.{result.name}"),
        "time": _seconds(result.took_ms),
    }
    case = SubElement(suite, "testcase", about)
    if result.outcome is not ScenarioOutcome.PASSED:
        message = visible(f"{result.level}, {result.outcome}: {outcome_reason(result)}")
        # A build is red exactly when the command's exit code is not 0. A skipped case is the one other mark that JUnit
        # has.
        if result.blocks:
            failure = SubElement(case, "failure", {"message": message, "type": str(result.outcome)})
            failure.text = visible(_explanation(result), _LINES)
        else:
            SubElement(case, "skipped", {"message": message})
    if text := _system_out(result):
        SubElement(case, "system-out").text = visible(text, _LINES)


def _explanation(result: ScenarioResult) -> str:
    lines = [text for what_and_where in happened(result) for text in what_and_where if text]
    if result.outcome is ScenarioOutcome.FAILED:
        lines += [f"{label}: {text}" for label, text in explanation(result)]
    return "\n".join(lines)


def _system_out(result: ScenarioResult) -> str:
    """Facts for finding the fault: none for a scenario that went well without a warning."""
    lines = [f"warning: {warning}" for warning in dict.fromkeys(result.warnings)]
    if result.outcome is not ScenarioOutcome.PASSED:
        if not result.blocks:
            lines += _explanation(result).splitlines()
        lines += [wire_line(heard) for heard in result.wire]
        lines += [f"| {line}" for line in result.output]
    return "\n".join(lines)


def _seconds(took_ms: int) -> str:
    return f"{took_ms / 1000:.3f}"


WIRE_LINES_SHOWN = 12
OUTPUT_LINES_SHOWN = 12
CHARACTERS_IN_TEXT_MAX = 160
"""Of a line of the wire or the output. The other forms of the report have more."""
_COLOURS = {
    ScenarioOutcome.PASSED: "green",
    ScenarioOutcome.FAILED: "red",
    ScenarioOutcome.NOT_REACHED: "yellow",
    ScenarioOutcome.NOT_PLAYABLE: "yellow",
}


def text_report(report: CheckReport, *, width: int = 100, is_coloured: bool = False) -> str:
    """Renders the report of a check as lines of text for a terminal.

    Sentences are broken at `width` columns; lines of the wire are not.
    """
    return "\n".join(_Writer(width, is_coloured=is_coloured).lines(report)) + "\n"


class _Writer:
    def __init__(self, width: int, *, is_coloured: bool) -> None:
        self._width, self._is_coloured = max(width, 40), is_coloured

    def lines(self, report: CheckReport) -> Iterator[str]:
        yield f"{command_words(report)}: {report.game} over {report.protocol}"
        yield ""
        for result in by_weight(report):
            yield from self._explained(result)
            yield ""
        yield from self._warnings(report)
        yield from self._levels(report)
        yield from self._paragraph(
            "", verdict(report), ScenarioOutcome.PASSED if report.is_ready else ScenarioOutcome.FAILED
        )
        if report.blocking:
            yield f"Mend these first: {', '.join(result.name for result in report.first_to_mend)}"

    def _explained(self, result: ScenarioResult) -> Iterator[str]:
        mark = self._painted(str(result.outcome).upper(), result.outcome)
        yield f"{mark}  {result.title}  ({result.level}; {result.name})"
        for number, (what, where) in enumerate(happened(result)):
            yield from self._paragraph("what happened" if number == 0 else "", what)
            yield from self._paragraph("", where)
        if result.outcome is ScenarioOutcome.FAILED:
            for label, text in explanation(result):
                shown = shortened(text, CHARACTERS_IN_TEXT_MAX) if label in CODE_LABELS else text
                yield from self._paragraph(label.lower(), shown)
        yield from self._wire(result)
        yield from self._output(result)

    def _wire(self, result: ScenarioResult) -> Iterator[str]:
        if result.wire:
            yield "  the last lines of the wire, in seconds (> to the program, < from it):"
            for heard in result.wire[-WIRE_LINES_SHOWN:]:
                yield f"    {shortened(wire_line(heard), CHARACTERS_IN_TEXT_MAX)}"

    def _output(self, result: ScenarioResult) -> Iterator[str]:
        if result.output:
            yield "  the last lines that the program printed:"
            for line in result.output[-OUTPUT_LINES_SHOWN:]:
                text = visible(line.expandtabs())
                yield f"    | {shortened(text, CHARACTERS_IN_TEXT_MAX)}"

    def _warnings(self, report: CheckReport) -> Iterator[str]:
        warnings = warnings_of(report)
        for warning in warnings:
            yield from self._paragraph("look at", warning)
        if warnings:
            yield ""

    def _levels(self, report: CheckReport) -> Iterator[str]:
        for level, passed, count in level_counts(report):
            yield f"  {level:<9} {passed:>3} of {count} passed   ({LEVEL_MEANINGS[level]})"
        yield f"{counts(report)}, in {duration(report)}; seed {report.seed}"

    def _paragraph(self, label: str, text: str, outcome: ScenarioOutcome | None = None) -> Iterator[str]:
        """A text beside its label; nothing where there is no text."""
        indent = 18 if label or outcome is None else 0
        for number, line in enumerate(wrap(visible(text), self._width - indent, break_on_hyphens=False)):
            before = f"  {label if number == 0 else '':<16}" if indent else ""
            yield before + (self._painted(line, outcome) if outcome else line)

    def _painted(self, text: str, outcome: ScenarioOutcome) -> str:
        return click.style(text, fg=_COLOURS[outcome], bold=True) if self._is_coloured else text
