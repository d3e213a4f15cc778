"""Two servers of which one leads, HAProxy in front of them, and players of every protocol that outlive the leader."""

import json
import random
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import trio
from attrs import Factory, define, field

from tests.end_to_end.arena import Arena, Survivor
from tests.end_to_end.bots import check_records
from tests.end_to_end.haproxy import HOSTS, PROXY, VARIABLES, HAProxy
from tests.end_to_end.support import LOCAL, Recorded, Server
from tests.end_to_end.survivors import Breaker, HubSurvivor, Roommate
from tests.end_to_end.text_survivor import Ledger
from tests.end_to_end.text_survivor import Survivor as TextSurvivor
from tests.end_to_end.web_survivor import WebSurvivor
from tests.support.cable import Cable

RETRY_S = 0.05
"""Seconds after which a player tries again to connect."""
GUESS_S = 0.02
SETTINGS: dict[str, Any] = {
    "limits": {"trusted_proxies": [PROXY]},
    "match": {"turn_time_s": 60, "first_move_pause_ms": 0},
    "tables": {"turn_time_s": 60},
    "tickets": {"turn_time_s": 60, "arrival_s": 2},
}
HELD = ("strategic", "connect-four", "http")
"""The protocols of matches that go on after a failover."""


class Pair:
    """Two servers over one journal. The second is started when the first is dead."""

    def __init__(self, new_server: Callable[..., Server]) -> None:
        self._new_server = new_server
        self.leader = new_server(listen=[f"{name}={HOSTS[0]}:0" for name in VARIABLES], **SETTINGS).start()
        self.ports = {name: self.leader.port_of(name) for name in VARIABLES}

    def fail(self) -> None:
        """Kill the leader; the other takes over."""
        first = self.leader
        first.kill()
        listen = [f"{name}={HOSTS[1]}:{port}" for name, port in self.ports.items()]
        self.leader = self._new_server("--data", str(first.data), listen=listen, **SETTINGS)
        self.leader.data = first.data
        self.leader.launch()


class Doors:
    """Where players connect: HAProxy, by way of cables, which hold back what players send while they are pulled."""

    def __init__(self, haproxy: HAProxy, cables: dict[str, Cable]) -> None:
        self._haproxy = haproxy
        self._cables = cables

    @property
    def port(self) -> int:
        """Where clients of the text protocol connect."""
        return self.port_of("strategic")

    def port_of(self, protocol: str) -> int:
        """Where clients of a protocol connect."""
        cable = self._cables.get(protocol)
        return self._haproxy.port_of(protocol) if cable is None else cable.port

    def hold(self) -> None:
        """Let nothing through."""
        for cable in self._cables.values():
            cable.pull()

    def release(self) -> None:
        """Let everything through again."""
        for cable in self._cables.values():
            cable.plug()

    def ask(self, path: str) -> Any:
        """An answer of the pages' API, by way of HAProxy alone."""
        url = f"http://{LOCAL}:{self._haproxy.port_of('http')}/api/v1/{path}"
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.load(answer)


@contextmanager
def doors(haproxy: HAProxy) -> Iterator[Doors]:
    """The cables, for as long as players use them."""
    with ExitStack() as to_end:
        yield Doors(haproxy, {name: to_end.enter_context(Cable(haproxy.port_of(name))) for name in HELD})


@define(eq=False)
class SlowBreaker(Breaker):
    """A code breaker that leaves the others some of the processor."""

    async def tell(self, *lines: str) -> None:
        """Send lines, after a pause."""
        await trio.sleep(GUESS_S)
        await super().tell(*lines)


@define(eq=False, slots=False)
class TextPlayer(TextSurvivor):
    """A player of the text protocol, which is checked like the others."""

    def check(self, recorded: list[Recorded]) -> None:
        """Every match that it knows of is on record as it was told."""
        check_records([self], [match for match in recorded if self.name in match.players])


@define
class Crowd:
    """Two players of each protocol, and one that breaks codes."""

    arena: Arena
    chance: random.Random
    ledgers: dict[tuple[frozenset[str], int], Ledger] = Factory(dict)
    text: list[TextPlayer] = field(init=False)
    rooms: list[Roommate] = field(init=False)
    hub: list[HubSurvivor] = field(init=False)
    web: list[WebSurvivor] = field(init=False)
    breaker: Breaker = field(init=False)

    def __attrs_post_init__(self) -> None:
        arena = self.arena
        self.text = [
            TextPlayer(
                f"text{number}",
                "Tic-tac-toe",
                lambda: not arena.finishing,
                self._own(),
                ledgers=self.ledgers,
                on_acknowledged=arena.a_move_was_taken,
            )
            for number in range(2)
        ]
        self.rooms = [Roommate(arena, self._own(), name=f"room{number}") for number in range(2)]
        self.hub = [HubSurvivor(arena, self._own()) for _ in range(2)]
        self.web = [WebSurvivor(arena, self._own(), name=f"web{number}") for number in range(2)]
        self.breaker = SlowBreaker(arena, self._own())

    @property
    def everybody(self) -> list[Survivor]:
        return [*self.text, *self.rooms, *self.hub, *self.web, self.breaker]

    def _own(self) -> random.Random:
        return random.Random(self.chance.random())


async def live(survivor: Survivor, entrance: Doors) -> None:
    """Play, and come back to the same address whenever the connection is lost, until the player has left."""
    while not survivor.is_done:
        await survivor.converse(entrance)
        await trio.sleep(RETRY_S)
