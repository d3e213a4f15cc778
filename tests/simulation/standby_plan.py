"""What a run with a shared database and a standby is made of, and what may go wrong in it."""

from typing import ClassVar

from attrs import field, frozen

from tests.simulation.plan import CLIENT_FAULTS, SERVER_FAULTS, Plan

SYNCHRONOUS, ASYNCHRONOUS = "synchronous", "asynchronous"
REPLICAS = (SYNCHRONOUS, ASYNCHRONOUS)
DATABASE_FAULTS = (
    "lost-connection",
    "in-doubt",
    "database-restart",
    "cut-network",
    "replica-away",
    "promotion",
)
STANDBY_FAULTS = ("stopped", "frozen", "both-start", "standby-crash")
FAULTS = (
    *CLIENT_FAULTS,
    *(fault for fault in SERVER_FAULTS if fault != "failing-commit"),
    *DATABASE_FAULTS,
    *STANDBY_FAULTS,
)
"""Commits fail in ways of their own here."""

FREQUENT = ("lost-connection", "in-doubt")
GRAVE = ("stop", "drain", "crash", *DATABASE_FAULTS[2:], "both-start", "standby-crash")
"""What takes a while, in which hardly anything else happens."""
STEPS = 600
ASYNCHRONOUS_SHARE = 0.3


@frozen
class StandbyPlan(Plan):
    """A run with two servers over one database."""

    known_faults: ClassVar[tuple[str, ...]] = FAULTS

    steps: int = STEPS
    faults: tuple[str, ...] = FAULTS
    replica: str = field()
    """The kind of replica that the database has. One that may lack rows is seldom: its promotion ends a run."""

    @replica.default
    def _replica(self) -> str:
        return ASYNCHRONOUS if self.stream("replica").random() < ASYNCHRONOUS_SHARE else SYNCHRONOUS

    @property
    def has_spectators(self) -> bool:
        return super().has_spectators and self.replica == SYNCHRONOUS  # pages may show rows that the other one loses

    def rates(self) -> dict[str, float]:
        return {
            kind: rate * (2.5 if kind in FREQUENT else 0.4 if kind in GRAVE else 1)
            for kind, rate in super().rates().items()
        }

    def has_proxy(self) -> bool:
        """Whether a proxy ends the connections to a server that does not lead; else clients have to find out."""
        return self.stream("proxy").random() < 0.5

    def latency_s(self) -> float:
        """How long words are on their way between a server and the database, about."""
        return self.stream("latency").choice((0.0, 0.0002, 0.002, 0.02))

    def commit_retry_ms(self) -> int:
        """How long a journal may fail before the server stops."""
        return self.stream("commit retry").choice((4_000, 10_000, 30_000))

    def command(self) -> str:
        command = f"{super().command()} --standby"
        return command if self.replica == self._replica() else f"{command} --replica {self.replica}"
