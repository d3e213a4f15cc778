"""What a run with a shared database and a standby is made of, and what may go wrong in it."""

from random import Random
from typing import ClassVar, Self

from attrs import evolve, field, frozen

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

HALLS = ("", "b")
"""The names of the halls; the first one has none."""
HALLS_STEPS = 500
HALLS_FAULTS = tuple(fault for fault in FAULTS if fault not in {"both-start", "standby-crash", "bug"})

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


@frozen
class HallsPlan(StandbyPlan):
    """A run with two halls over one database, each of one server. What all have in common is the first one's."""

    known_faults: ClassVar[tuple[str, ...]] = HALLS_FAULTS

    steps: int = HALLS_STEPS
    faults: tuple[str, ...] = HALLS_FAULTS
    replica: str = SYNCHRONOUS
    hall: str = ""

    def stream(self, purpose: str) -> Random:
        hall = getattr(self, "hall", "")  # the first hall draws from it while it is being made
        return super().stream(f"hall {hall}/{purpose}" if hall else purpose)

    def rates(self) -> dict[str, float]:
        """As what befalls the database befalls both, seldom enough for matches between."""
        disturbing = (*DATABASE_FAULTS, *STANDBY_FAULTS, "crash", "stop", "drain")
        rates = {kind: rate * (0.2 if kind in disturbing else 0.7) for kind, rate in super().rates().items()}
        return {kind: rate * (4 if kind == "roster" else 1) for kind, rate in rates.items()}

    def menu(self) -> tuple[str, ...]:
        """Of the same games in both halls, so that ratings meet."""
        return evolve(self, hall="").menu() if self.hall else super().menu()

    def roster_shares(self) -> tuple[float, ...]:
        return (0.5, 1.0)

    def of_hall(self, name: str) -> Self:
        """The same run in another hall, with players of its own."""
        other = evolve(self, hall=name)
        bots = other._bots() if self.bots == self._bots() else self.bots
        protocols = other._protocols() if self.protocols == self._protocols() else self.protocols
        return evolve(other, bots=bots, protocols=protocols)

    def all_come_anew(self) -> bool:
        """Whether everybody logs in again in the calm, by what the roster has then."""
        return self.stream("all come anew").random() < 0.5

    def is_lost_in_the_calm(self) -> bool:
        """Whether the hall's machine goes at last and does not come back, while the other hall plays on."""
        lost = Random(f"{self.seed}/hall that is lost").choice((*HALLS, *[None] * 4))
        return lost == self.hall

    def command(self) -> str:
        return f"{super(StandbyPlan, self).command()} --halls"
