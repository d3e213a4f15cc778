"""A client of whatever protocol: a name, an address, and at most one connection at a time.

What the protocols have in common ends here. Each has a kind of client of its own, which knows what
it has read and nothing else: `bot` for the text protocol, `rooms`, `breaker` and `tickets` for the
others. Faults of the network strike them all alike.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import TYPE_CHECKING, ClassVar

from attrs import define

from gameserver.policies import SeatReturn
from tests.clients import Refused
from tests.simulation.violation import Violation
from tests.simulation.wire import Wire

if TYPE_CHECKING:
    from tests.simulation.world import World


@define(eq=False)
class Client(ABC):
    """A client with a name and an address, whose program does not always behave."""

    index: int
    name: str
    world: "World"
    chance: Random
    wire: Wire | None = None
    deaf_until_ms: int = 0
    connects: int = 0

    listener: ClassVar[str]
    """The protocol on whose port it calls."""

    @property
    def has_mail(self) -> bool:
        """True if there is something to hear, if only that the connection is over."""
        return self.wire is not None and (bool(self.wire.coming) or self.wire.is_over)

    @property
    def can_speak(self) -> bool:
        """True if words would get as far as the network."""
        return self.wire is not None and not self.wire.client_done

    @property
    def address(self) -> str:
        """The address that it calls from: one place, or a changing one where that is allowed."""
        roams = self.world.rules.seat_return is SeatReturn.ANY_ADDRESS
        return f"10.0.{self.index}.{self.connects % 3 if roams else 1}"

    def connect(self, address: str | None = None) -> None:
        """Open a new connection; what is left of an old one is dead."""
        self.connects += 1
        chance = self.world.plan.stream(f"connection {self.connects} of bot {self.index}")
        self.wire = Wire(room_bytes=chance.choice((300, 2_000, 60_000)))
        self.deaf_until_ms = 0
        self.begin(chance)
        self.world.wires.append(self.wire)
        self.world.process.accept(self.wire, address or self.address, self.index, self.listener)

    def may_connect(self) -> bool:
        """Draw whether it calls now, if a server is there."""
        return self.world.serving is not None and (self.world.calm or self.chance.random() < 0.5)

    def is_connected(self) -> bool:
        """True if there is a connection; else draw whether to open one."""
        if self.wire is not None:
            return True
        if self.may_connect():
            self.connect()
        return False

    def send(self, data: bytes, what: str) -> int:
        """Say something; gives the number of its last byte."""
        self.world.note("%s says %s", self, what)
        return self.wire.send(data)

    def hang_up(self) -> None:
        if self.wire is not None:
            self.wire.client_done = self.wire.client_closed = True
            self.lose_sight()

    def lose_sight(self) -> None:
        """Give up on a dead connection, without a word."""
        self.wire = None
        self.forget()

    def listen(self, limit: int) -> None:
        if self.wire is None or self.world.real_ms < self.deaf_until_ms:
            return
        data = self.wire.take(limit, self.world.real_ms)
        try:
            if data:
                self.hear(data)
        except Refused as refused:
            raise Violation("the protocol is kept", f"{self}: {refused}") from refused
        if self.wire is not None and self.wire.is_over:
            self.world.note("%s is disconnected", self)
            self.lose_sight()

    def finish(self) -> None:
        """In the calm at the end: be here, and bring everything to its end."""
        is_away = self.world.is_away(self)
        if self.wire is not None and (is_away or self.wire.silent or self.wire.client_done):
            self.hang_up()
        if not is_away:
            self.wind_up()

    def __str__(self) -> str:
        return f"bot {self.index} ({self.name})"

    @abstractmethod
    def begin(self, chance: Random) -> None:
        """Begin a connection; what it leaves open (spelling, line ends) is drawn from `chance`."""

    @abstractmethod
    def forget(self) -> None:
        """Forget what was known by the connection, which is over."""

    @abstractmethod
    def hear(self, data: bytes) -> None:
        """Take in what was read. Raises `Refused` if the protocol is not kept."""

    @abstractmethod
    def act(self) -> None:
        """Do something, or nothing."""

    @abstractmethod
    def tend(self) -> None:
        """Answer a turn whose time has come."""

    @abstractmethod
    def wind_up(self) -> None:
        """In the calm: connect, come back to what goes on, begin nothing new."""

    @property
    @abstractmethod
    def unsettled(self) -> str:
        """The rule that would be broken if nothing happened any more; empty if all is well."""
