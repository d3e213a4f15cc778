"""The report of a check: the scenarios that a client went through, and what went wrong in each.

These are values only. The director fills them, `gameserver.check.reports` writes them as text, HTML, JSON and JUnit.
"""

import shlex
import unicodedata
from enum import StrEnum
from pathlib import PurePath

from gameserver.values import value

WIRE_LINES_MAX = 40  # by judgement: what a student reads of it
"""The lines or messages of the wire that a result keeps, the last ones."""
OUTPUT_LINES_MAX = 40  # by judgement: a Java stack trace and what led to it
"""The lines of the client's own output that a result keeps, the last ones."""


class Level(StrEnum):
    """The weight of a scenario."""

    REQUIRED = "required"
    """A server with default settings does it in every event: a client that fails loses matches."""
    ADVISED = "advised"
    """It happens in some events."""
    CURIOUS = "curious"
    """It shows how a client behaves where the protocol's document leaves it open."""


class ScenarioOutcome(StrEnum):
    """The outcome of a scenario."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not reached"
    """The situation that it is about never came, so nothing is known of the client."""
    NOT_PLAYABLE = "could not be played"
    """The same, where the client can keep the situation from coming about by the moves that it chooses."""


class Failure(StrEnum):
    """The kind of a failure. It decides what there is to change, and which line should have been answered."""

    NOT_IN = "did not log in"
    IDLE = "did nothing that leads to a match"
    SILENT = "made no move"
    SLOW = "moved too late"
    ILLEGAL = "made an illegal move"
    EARLY = "moved out of turn"
    DROPPED = "lost its connection"
    ENDED = "ended with an error"
    LEFT = "left before the end"
    NOT_BACK = "did not come back"
    MEMORY = "used too much memory"
    OUTPUT = "printed too much"
    UNEXPECTED = "did not do what the scenario expects"


@value
class Heard:
    """One line or message of the checked client's wire, as people read it: without its line end."""

    at_us: int
    """Microseconds since the scenario began."""
    to_client: bool
    text: str


@value
class Finding:
    """One finding of a check: what went wrong, or the reason why a scenario was not reached."""

    what: str
    """Sentences for a student: "It made no move within 10 s of its turn."."""
    step: str = ""
    """The step of the scenario that was under way, as its file has it; empty before the first one."""
    line: int = 0
    """The line of that step in the file, from 1; 0 where there is none."""
    sent: str = ""
    """The line or message that it should have answered, or answered wrongly; empty if the wire's last one to it is."""


@value(kw_only=True)
class ScenarioResult:
    """The result of one scenario in the report of a check."""

    name: str
    """The file's name without its suffix: `line_in_two_packets`."""
    title: str
    level: Level
    outcome: ScenarioOutcome
    findings: tuple[Finding, ...] = ()
    """Empty if it passed; otherwise the first one is the cause, as far as the check can tell."""
    warnings: tuple[str, ...] = ()
    """Sentences about what costs no match, but should be looked at: a line that the server refused."""
    wire: tuple[Heard, ...] = ()
    """The last `WIRE_LINES_MAX` lines."""
    output: tuple[str, ...] = ()
    """The last `OUTPUT_LINES_MAX` lines that the client printed."""
    faults: str = ""
    """The faults of the wire, in the proxy's words (`split every byte`); empty if it was clean."""
    document: str = ""
    """The protocol's document about it, word for word."""
    failure: Failure | None = None
    """The kind of the failure, if it failed."""
    change: str = ""
    """Advice for the author of a client that fails in this way."""
    often: str = ""
    """The advice of the scenario, which is about what is often the cause; empty where it cannot be."""
    source: str = ""
    """The client, server or event that it was seen in."""
    same_as: str = ""
    """The scenario of a plain match that failed in the same way, where it is to be mended; empty if none did."""
    took_ms: int = 0
    starting_ms: int = 0
    """The part of it in which the client's program started: from its command until it was logged in."""
    file: str = ""
    """The scenario's file, as the user can find it."""

    @property
    def blocks(self) -> bool:
        """True if the client is not ready for an event because of this result of its check."""
        return self.level is Level.REQUIRED and self.outcome in {ScenarioOutcome.FAILED, ScenarioOutcome.NOT_REACHED}


@value(kw_only=True)
class CheckReport:
    """The report of a check of one client, with the results of all scenarios."""

    command: tuple[str, ...]
    """The client's command and arguments; empty if it was started by hand."""
    protocol: str
    game: str
    version: str
    """The version of gameserver."""
    seed: int
    """With the same seed the opponents and the wire do the same again."""
    results: tuple[ScenarioResult, ...]
    """In the order in which they were run."""
    unplayed: int = 0
    """The required scenarios that were not asked for, or not come to."""

    @property
    def blocking(self) -> tuple[ScenarioResult, ...]:
        """The required scenarios of a check's report that keep the client from being ready."""
        return tuple(result for result in self.results if result.blocks)

    @property
    def first_to_mend(self) -> tuple[ScenarioResult, ...]:
        """The scenarios of a check's report to mend first: those that do not fail as a plain match does."""
        return tuple(result for result in self.blocking if not result.same_as) or self.blocking

    @property
    def went_well(self) -> bool:
        """True if no required scenario that the check played keeps the client from being ready."""
        return bool(self.results) and not self.blocking

    @property
    def is_ready(self) -> bool:
        """True if the client passed every required scenario of the check.

        A part of a check shows no more than it plays.
        """
        return self.went_well and not self.unplayed

    @property
    def took_ms(self) -> int:
        """The milliseconds that all the scenarios of a check's report took."""
        return sum(result.took_ms for result in self.results)

    @property
    def starting_ms(self) -> int:
        """The milliseconds of a check in which the client's program started."""
        return sum(result.starting_ms for result in self.results)

    def of_level(self, level: Level) -> tuple[ScenarioResult, ...]:
        """The results of one level, required, advised or curious, in the report of a check."""
        return tuple(result for result in self.results if result.level is level)

    def with_outcome(self, outcome: ScenarioOutcome) -> tuple[ScenarioResult, ...]:
        """The scenarios of a check's report that passed, failed, or were not played."""
        return tuple(result for result in self.results if result.outcome is outcome)


LEVEL_MEANINGS = {
    Level.REQUIRED: "a server does this in every event",
    Level.ADVISED: "this happens in some events",
    Level.CURIOUS: "the document leaves this open",
}
_SENT, _NETWORK = "Sent last", "The network"
CODE_LABELS = (_SENT, _NETWORK)
"""Labels of texts that are no sentences."""
_ESCAPED = {"Cc", "Cs", "Cn", "Co"}
"""Categories of characters that garble a terminal, or that XML must not hold."""
# Unicode's embeddings, overrides and isolates: U+202A to U+202E, U+2066 to U+2069.
_TURNING = {*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))}
"""Characters that turn the direction of all text behind them, beyond the end of a name."""


def visible(text: str, kept: str = "") -> str:
    r"""Writes control characters in a check's report as `\x1b`, those in `kept` apart."""
    if text.isprintable():
        return text
    return "".join(_visible_char(char, kept) for char in text)


def _visible_char(char: str, kept: str) -> str:
    if char in kept or (unicodedata.category(char) not in _ESCAPED and char not in _TURNING):
        return char
    return char.encode("unicode_escape", "surrogatepass").decode()


def shortened(text: str, characters_max: int) -> str:
    """Cuts a long text of a check's report, and says how long it is."""
    if len(text) <= characters_max:
        return text
    return f"{text[:characters_max]}... ({len(text):,} characters)"


def _counted(count: int, noun: str) -> str:
    """Counts with its noun in a check's report: `1 scenario`, `2 scenarios`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def seconds(took_ms: int) -> str:
    """Writes seconds as a check's report has them: `0.4 s`, `41 s`."""
    return f"{took_ms / 1000:.1f} s" if took_ms < 10_000 else f"{took_ms / 1000:.0f} s"


def duration(report: CheckReport) -> str:
    """Says how long the check of a `CheckReport` took: `48 s, and 14 s in which the program started`."""
    own_ms = report.took_ms - report.starting_ms
    started = f", and {seconds(report.starting_ms)} in which the program started" if report.starting_ms else ""
    return f"{seconds(own_ms)}{started}"


def moment(heard: Heard) -> str:
    """Writes for the report when a line passed, in seconds since the scenario began, to the millisecond."""
    return f"{heard.at_us / 1_000_000:.3f}"


def wire_line(heard: Heard) -> str:
    """Writes a line that passed as the report quotes it: `    12.345 > SVR GAME YOURTURN {TURNMESSAGE: ""}`."""
    return f"{moment(heard):>9} {'>' if heard.to_client else '<'} {visible(heard.text)}"


def command_words(report: CheckReport) -> str:
    """The client's command that a `CheckReport` holds, as it could be typed."""
    return visible(shlex.join(report.command)) if report.command else "a client started by hand"


def verdict(report: CheckReport) -> str:
    """Sums up the report of a check in a sentence, such as that the client is ready for an event."""
    if not report.results:
        return "No scenario was run, so nothing is known."
    if report.is_ready:
        required = (
            result for result in report.with_outcome(ScenarioOutcome.NOT_PLAYABLE) if result.level is Level.REQUIRED
        )
        which = "every required scenario that could be played" if any(required) else "every required scenario"
        return f"Ready for an event: {which} passed."
    if report.went_well:
        scenarios = "1 required scenario was" if report.unplayed == 1 else f"{report.unplayed} required scenarios were"
        return f"All is well so far, but this is a part of the check: {scenarios} not played."
    count = len(report.blocking)
    return f"Not ready for an event: {_counted(count, 'required scenario')} did not pass."


def counts(report: CheckReport) -> str:
    """Counts each outcome in a `CheckReport`: `24 passed, 2 failed, 1 not reached`."""
    parts = [(len(report.with_outcome(outcome)), str(outcome)) for outcome in ScenarioOutcome]
    return ", ".join(f"{count} {word}" for count, word in parts if count or word == "passed")


def _sent_last(result: ScenarioResult) -> str:
    """The line or message that the client had to deal with when it went wrong; empty if there is none."""
    named = next((finding.sent for finding in result.findings if finding.sent), "")
    return named or next((heard.text for heard in reversed(result.wire) if heard.to_client), "")


def outcome_reason(result: ScenarioResult) -> str:
    """The cause of a scenario's outcome in the report of a check, in a sentence."""
    return result.findings[0].what if result.findings else f"The scenario was {result.outcome}."


def explanation(result: ScenarioResult) -> list[tuple[str, str]]:
    """The labels and texts that a report's `ScenarioResult` has to help a student mend a failure."""
    labelled = (
        (_SENT, _sent_last(result)),
        (_NETWORK, result.faults),
        ("The document", result.document),
        ("What to change", result.change),
        ("Often the cause", result.often),
        ("Seen before", result.source),
    )
    return [(label, text) for label, text in labelled if text]


def happened(result: ScenarioResult) -> list[tuple[str, str]]:
    """Lists the findings of one scenario of the report, each with the step that was under way.

    The step is empty where it is the one of the finding before.
    """
    places = [_place(result, finding) for finding in result.findings]
    return [
        (finding.what, "" if number and places[number - 1] == places[number] else places[number])
        for number, finding in enumerate(result.findings)
    ]


def _place(result: ScenarioResult, finding: Finding) -> str:
    """A step by the name of its file alone: the whole path says nothing to a student."""
    file = PurePath(result.file).name or result.name
    return f"in line {finding.line} of {file}: {finding.step}" if finding.step else ""


def by_weight(report: CheckReport) -> list[ScenarioResult]:
    """The results in a `CheckReport` that are not passed, in order of weight.

    The required ones come first, and failures before what was not reached.
    """
    levels, outcomes = list(Level), list(ScenarioOutcome)
    troubles = (result for result in report.results if result.outcome is not ScenarioOutcome.PASSED)
    return sorted(troubles, key=lambda result: (levels.index(result.level), outcomes.index(result.outcome)))


def level_counts(report: CheckReport) -> list[tuple[Level, int, int]]:
    """Counts for each level of a check's report how many scenarios passed, and how many there are."""
    results = {level: report.of_level(level) for level in Level}
    passed = {level: sum(one.outcome is ScenarioOutcome.PASSED for one in results[level]) for level in Level}
    return [(level, passed[level], len(results[level])) for level in Level if results[level]]


def warnings_of(report: CheckReport) -> list[str]:
    """Each warning of a check's report once, with the scenarios that it was seen in.

    A client does the same thing in many of them.
    """
    seen: dict[str, list[str]] = {}
    for result in report.results:
        for warning in dict.fromkeys(result.warnings):
            seen.setdefault(warning, []).append(result.name)
    return [
        f"{warning} (in {', '.join(names[:3])}{f' and {len(names) - 3} more' if len(names) > 3 else ''})"
        for warning, names in seen.items()
    ]
