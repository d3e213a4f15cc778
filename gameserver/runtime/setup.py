"""What a server is made of."""

import secrets
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from typing import Any

import trio
from attrs import field, frozen

from gameserver.game import Game
from gameserver.policies import Rules
from gameserver.protocol import WireProtocol
from gameserver.public.model import ListenerLine
from gameserver.runtime.driver import Driver, best_driver
from gameserver.runtime.hold import Hold
from gameserver.runtime.lasting import made_to_last
from gameserver.runtime.limits import Limits
from gameserver.runtime.roster import Roster
from gameserver.runtime.round_trip import Contact, contact
from gameserver.runtime.wire_log import WireLogSettings


@frozen
class Listening:
    """A protocol on its sockets, which listen already."""

    protocol: WireProtocol
    sockets: tuple[socket.socket, ...]
    profile: str
    options: Any
    tls: ssl.SSLContext | None = None
    """Set where its connections are encrypted."""

    @property
    def needs_time(self) -> bool:
        """True if the protocol has something to prepare."""
        return type(self.protocol).prepare is not WireProtocol.prepare

    def prepare(self) -> None:
        """Have the protocol prepare what stays as long as the server runs."""
        with made_to_last():
            self.protocol.prepare()


@frozen
class Setup:
    """What a server is made of. Clock, chance and wall time come in here and nowhere else."""

    games: Mapping[str, Game[Any]]
    """By name in lower case."""
    listening: tuple[Listening, ...]
    rules: Rules = field(factory=Rules)
    limits: Limits = field(factory=Limits)
    options_of: Mapping[str, Any] = field(factory=dict)
    """The options of every protocol by its name."""
    house: bool = True
    commit_retry_s: float = 30.0
    roster: Roster = field(factory=lambda: Roster(None, trio.current_time))
    wire_log: WireLogSettings = field(factory=WireLogSettings)
    wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    new_seed: Callable[[], str] = lambda: secrets.token_hex(32)
    new_id: Callable[[], str] = lambda: secrets.token_urlsafe(16)
    """As in `Context`."""
    contact: Callable[[socket.socket], Contact | None] = contact
    """When the peer of a connection was last there."""
    driver: Callable[[Callable[[], int], Hold], Driver] = best_driver

    @property
    def places(self) -> tuple[ListenerLine, ...]:
        """Where each protocol is spoken."""
        return tuple(
            ListenerLine(each.protocol.name, host, port, each.tls is not None)
            for each in self.listening
            for host, port, *_ in (sock.getsockname() for sock in each.sockets)
        )
