"""The report of a check: the scenarios that a client went through, and what went wrong in each.

These are values only. The director fills them, `gameserver.check.reports` writes them as text, HTML, JSON and JUnit.
"""

from enum import StrEnum

from gameserver.values import value

WIRE_LINES_MAX = 40
"""The lines or messages of the wire that a result keeps, the last ones."""
OUTPUT_LINES_MAX = 40
"""The lines of the client's own output that a result keeps, the last ones."""


class Level(StrEnum):
    """The weight of a scenario."""

    REQUIRED = "required"
    """A server with default settings does it in every event: a client that fails loses matches."""
    ADVISED = "advised"
    """It happens in some events."""
    CURIOUS = "curious"
    """It shows how a client behaves where the protocol's document leaves it open."""


class Outcome(StrEnum):
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
    """One line or message of the wire, as people read it: without its line end."""

    at_us: int
    """Microseconds since the scenario began."""
    to_client: bool
    text: str


@value
class Finding:
    """One thing that went wrong, or the reason why a scenario was not reached."""

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
    """The result of one scenario."""

    name: str
    """The file's name without its suffix: `line_in_two_packets`."""
    title: str
    level: Level
    outcome: Outcome
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
        """True if the client is not ready for an event because of this."""
        return self.level is Level.REQUIRED and self.outcome in {Outcome.FAILED, Outcome.NOT_REACHED}


@value(kw_only=True)
class CheckReport:
    """The results of a check of one client."""

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
    def passed(self) -> tuple[ScenarioResult, ...]:
        """The scenarios that went well."""
        return self._with(Outcome.PASSED)

    @property
    def failed(self) -> tuple[ScenarioResult, ...]:
        """The scenarios that did not."""
        return self._with(Outcome.FAILED)

    @property
    def not_reached(self) -> tuple[ScenarioResult, ...]:
        """The scenarios that say nothing, because their situation never came."""
        return self._with(Outcome.NOT_REACHED)

    @property
    def not_playable(self) -> tuple[ScenarioResult, ...]:
        """The same, where that is for the client to choose."""
        return self._with(Outcome.NOT_PLAYABLE)

    @property
    def blocking(self) -> tuple[ScenarioResult, ...]:
        """The required scenarios that keep the client from being ready."""
        return tuple(result for result in self.results if result.blocks)

    @property
    def first_to_mend(self) -> tuple[ScenarioResult, ...]:
        """The ones of them that do not fail as a plain match does."""
        return tuple(result for result in self.blocking if not result.same_as) or self.blocking

    @property
    def went_well(self) -> bool:
        """True if no required scenario that was played keeps the client from being ready."""
        return bool(self.results) and not self.blocking

    @property
    def is_ready(self) -> bool:
        """True if that goes for every required scenario. A part of a check shows no more than it plays."""
        return self.went_well and not self.unplayed

    @property
    def took_ms(self) -> int:
        """The time that all the scenarios took."""
        return sum(result.took_ms for result in self.results)

    @property
    def starting_ms(self) -> int:
        """The part of it in which the client's program started."""
        return sum(result.starting_ms for result in self.results)

    def of_level(self, level: Level) -> tuple[ScenarioResult, ...]:
        """The results of one level."""
        return tuple(result for result in self.results if result.level is level)

    def _with(self, outcome: Outcome) -> tuple[ScenarioResult, ...]:
        return tuple(result for result in self.results if result.outcome is outcome)
