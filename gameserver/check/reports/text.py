"""The report for a terminal: short if all is well; otherwise each failure explained, and the verdict last."""

from collections.abc import Iterator
from textwrap import wrap

import click

from gameserver.check.report import CheckReport, Outcome, ScenarioResult
from gameserver.check.reports import words

WIRE_LINES_SHOWN = 12
OUTPUT_LINES_SHOWN = 12
CHARACTERS_IN_TEXT_MAX = 160
"""Of a line of the wire or the output. The other forms of the report have more."""
_COLOURS = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "red",
    Outcome.NOT_REACHED: "yellow",
    Outcome.NOT_PLAYABLE: "yellow",
}


def text_report(report: CheckReport, *, width: int = 100, is_coloured: bool = False) -> str:
    """The report as lines of text. Sentences are broken at `width` columns; lines of the wire are not."""
    return "\n".join(_Writer(width, is_coloured=is_coloured).lines(report)) + "\n"


class _Writer:
    def __init__(self, width: int, *, is_coloured: bool) -> None:
        self._width, self._is_coloured = max(width, 40), is_coloured

    def lines(self, report: CheckReport) -> Iterator[str]:
        yield f"{words.command_words(report)}: {report.game} over {report.protocol}"
        yield ""
        for result in words.by_weight(report):
            yield from self._explained(result)
            yield ""
        yield from self._warnings(report)
        yield from self._levels(report)
        yield from self._paragraph("", words.verdict(report), Outcome.PASSED if report.is_ready else Outcome.FAILED)
        if report.blocking:
            yield f"Mend these first: {', '.join(result.name for result in report.first_to_mend)}"

    def _explained(self, result: ScenarioResult) -> Iterator[str]:
        mark = self._painted(str(result.outcome).upper(), result.outcome)
        yield f"{mark}  {result.title}  ({result.level}; {result.name})"
        for number, (what, where) in enumerate(words.happened(result)):
            yield from self._paragraph("what happened" if number == 0 else "", what)
            yield from self._paragraph("", where)
        if result.outcome is Outcome.FAILED:
            for label, text in words.explanation(result):
                shown = words.shortened(text, CHARACTERS_IN_TEXT_MAX) if label in words.CODE_LABELS else text
                yield from self._paragraph(label.lower(), shown)
        yield from self._wire(result)
        yield from self._output(result)

    def _wire(self, result: ScenarioResult) -> Iterator[str]:
        if result.wire:
            yield "  the last lines of the wire, in seconds (> to the program, < from it):"
            for heard in result.wire[-WIRE_LINES_SHOWN:]:
                yield f"    {words.shortened(words.wire_line(heard), CHARACTERS_IN_TEXT_MAX)}"

    def _output(self, result: ScenarioResult) -> Iterator[str]:
        if result.output:
            yield "  the last lines that the program printed:"
            for line in result.output[-OUTPUT_LINES_SHOWN:]:
                text = words.visible(line.expandtabs())
                yield f"    | {words.shortened(text, CHARACTERS_IN_TEXT_MAX)}"

    def _warnings(self, report: CheckReport) -> Iterator[str]:
        warnings = words.warnings_of(report)
        for warning in warnings:
            yield from self._paragraph("look at", warning)
        if warnings:
            yield ""

    def _levels(self, report: CheckReport) -> Iterator[str]:
        for level, passed, count in words.level_counts(report):
            yield f"  {level:<9} {passed:>3} of {count} passed   ({words.LEVEL_MEANINGS[level]})"
        yield f"{words.counts(report)}, in {words.duration(report)}; seed {report.seed}"

    def _paragraph(self, label: str, text: str, outcome: Outcome | None = None) -> Iterator[str]:
        """A text beside its label; nothing where there is no text."""
        indent = 18 if label or outcome is None else 0
        for number, line in enumerate(wrap(words.visible(text), self._width - indent, break_on_hyphens=False)):
            before = f"  {label if number == 0 else '':<16}" if indent else ""
            yield before + (self._painted(line, outcome) if outcome else line)

    def _painted(self, text: str, outcome: Outcome) -> str:
        return click.style(text, fg=_COLOURS[outcome], bold=True) if self._is_coloured else text
