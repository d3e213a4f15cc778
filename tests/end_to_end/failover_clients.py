"""Two servers of which one leads, HAProxy in front of them, and players of every protocol that outlive the leader."""

import json
import random
import signal
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import trio
from attrs import define, field

from tests.end_to_end.arena import Arena, Survivor, last_one_out
from tests.end_to_end.bots import check_records, tell
from tests.end_to_end.haproxy import HOSTS, PROXY, VARIABLES, HAProxy
from tests.end_to_end.hub_survivor import HubSurvivor
from tests.end_to_end.line_survivors import Breaker, Roommate
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import LOCAL
from tests.end_to_end.text_survivor import Survivor as TextSurvivor
from tests.end_to_end.web_survivor import WebSurvivor
from tests.support.cable import Cable

RETRY_S = 0.05
"""Seconds after which a player tries again to connect."""
GUESS_S = 0.02
TURN_TIME_S = 60
SETTINGS: dict[str, Any] = {
    "limits": {"trusted_proxies": [PROXY]},
    "match": {"turn_time_s": TURN_TIME_S, "first_move_pause_ms": 0},
    "rooms": {"turn_time_s": TURN_TIME_S},
    "tickets": {"turn_time_s": TURN_TIME_S},
}
FIXED = {"rules": {"ticket_arrival_time_ms": 2_000}}
HELD = ("strategic", "connect-four", "http")
"""The protocols of matches that go on after a failover."""


class Pair:
    """Two servers over one database: the leader, whose way to the database is a cable, and a standby."""

    def __init__(self, directory: Path, cable: Cable, database: str) -> None:
        url = urlsplit(database)
        by_cable = urlunsplit(url._replace(netloc=f"{url.username}@{LOCAL}:{cable.port}"))
        self._cable = cable
        self.leader = self._server(directory / "first", by_cable, HOSTS[0], dict.fromkeys(VARIABLES, 0))
        self.leader.start()
        self.ports = {name: self.leader.port_of(name) for name in VARIABLES}
        self.standby = self._server(directory / "second", database, HOSTS[1], self.ports)
        self.standby.launch()
        self.standby.printed.wait_for("stand")

    def close(self) -> None:
        """End whatever still runs."""
        self._cable.plug()
        for server in (self.leader, self.standby):
            server.close()

    def kill(self) -> None:
        """End the leader at once."""
        self.leader.process.kill()

    def hang(self) -> None:
        """Have the leader hang."""
        self.leader.process.send_signal(signal.SIGSTOP)

    def cut_off(self) -> None:
        """Let nothing pass between the leader and the database, while players still reach it."""
        self._cable.pull()

    def recover(self) -> None:
        """Let the leader of before go on, if it lives: it notices that another one leads, and ends by itself."""
        self._cable.plug()
        if self.leader.process.poll() is None:
            self.leader.process.send_signal(signal.SIGCONT)
            assert self.leader.wait() == 1
            assert "another server leads" in self.leader.log.lines[-1]

    @staticmethod
    def _server(directory: Path, data: str, host: str, ports: Mapping[str, int]) -> Server:
        directory.mkdir()
        listen = [f"{name}={host}:{port}" for name, port in ports.items()]
        return Server(directory, SETTINGS, listen=listen, data=data, cwd=directory, fixed=FIXED)


class Doors:
    """The ports of HAProxy for players, by way of cables, which hold back what players send while they are pulled."""

    def __init__(self, haproxy: HAProxy, cables: dict[str, Cable]) -> None:
        self._haproxy = haproxy
        self._cables = cables

    @property
    def port(self) -> int:
        """The port at which clients of the text protocol connect."""
        return self.port_of("strategic")

    def port_of(self, protocol: str) -> int:
        """The port at which clients of a protocol connect."""
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
    """Two players of each protocol, or of the text protocol alone, and one that breaks codes."""

    arena: Arena
    chance: random.Random
    of_all_protocols: bool = True
    text: list[TextPlayer] = field(init=False)
    rooms: list[Roommate] = field(init=False)
    hub: list[HubSurvivor] = field(init=False)
    web: list[WebSurvivor] = field(init=False)
    breaker: Breaker = field(init=False)

    def __attrs_post_init__(self) -> None:
        arena, others = self.arena, range(2 if self.of_all_protocols else 0)
        self.text = TextPlayer.several({"Tic-tac-toe": 2}, arena, self.chance)
        self.rooms = [Roommate(arena, self._own(), name=f"room{number}") for number in others]
        self.hub = [HubSurvivor(arena, self._own()) for _ in others]
        self.web = [WebSurvivor(arena, self._own(), name=f"web{number}") for number in others]
        self.breaker = SlowBreaker(arena, self._own())

    @property
    def games(self) -> set[str]:
        """The games that go on after a failover."""
        return {"Tic-tac-toe", *(("Connect-four-3D", "Tavla", "Reversi") if self.of_all_protocols else ())}

    @property
    def everybody(self) -> list[Any]:
        """All players."""
        return [*self.text, *self.rooms, *self.hub, *self.web, self.breaker]

    async def finish(self) -> None:
        """Have everybody play to the end of a match, and leave."""
        self.arena.finishing = True
        await last_one_out(self.hub)
        await last_one_out(self.web)
        for bot in self.text:
            await tell(bot, bot.retire())

    def _own(self) -> random.Random:
        return random.Random(self.chance.random())


async def live(survivor: Survivor, entrance: Doors) -> None:
    """Play, and come back to the same address whenever the connection is lost, until the player has left."""
    while not survivor.is_done:
        await survivor.converse(entrance)
        await trio.sleep(RETRY_S)
