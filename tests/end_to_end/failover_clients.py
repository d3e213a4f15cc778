"""Two servers of which one leads, HAProxy in front of them, and example clients that outlive the leader."""

import json
import signal
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from tests.end_to_end.example_bots import ExampleBot, Story, check_told, python_command
from tests.end_to_end.haproxy import HOSTS, PROXY, VARIABLES, HAProxy
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.server_process import Program, Server
from tests.end_to_end.support import LOCAL
from tests.support.cable import Cable

TURN_TIME_S = 60
SETTINGS: dict[str, Any] = {
    "limits": {"trusted_proxies": [PROXY]},
    "match": {"clock": f"turn {TURN_TIME_S}s", "first_move_pause_ms": 0},
    "rooms": {"clock": f"turn {TURN_TIME_S}s"},
    "tickets": {"clock": f"turn {TURN_TIME_S}s"},
}
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
        return Server(directory, SETTINGS, listen=listen, data=data, cwd=directory)


class Doors:
    """The ports of HAProxy for players, by way of cables, which hold back what players send while they are pulled."""

    def __init__(self, haproxy: HAProxy, cables: dict[str, Cable]) -> None:
        self._haproxy = haproxy
        self._cables = cables

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


GUIDS = ("fdd907ca-794a-43f4-83e6-cadfabc57c45", "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6")
TO_SEVEN_POINTS_OF_TAVLA = ("--variant", "1", "--type", "1")
ENDLESS = 100_000


class Crowd:
    """Two clients of each protocol that can come back, or of the text protocol alone, and one that breaks codes."""

    def __init__(self, to_end: ExitStack, entrance: Doors, *, of_all_protocols: bool) -> None:
        self.games = {"Tic-tac-toe", *(("Connect-four-3D", "Tavla") if of_all_protocols else ())}
        """The games that go on after a failover."""
        text = [*python_command("random_bot.py"), "--game", "Tic-tac-toe"]
        commands = {("ann", "bob"): ("strategic", text)}
        if of_all_protocols:
            commands["cyd", "dan"] = "connect-four", python_command("connect_four_bot.py")
            hub = [*python_command("gammonx_bot.py"), "--url", f"http://{LOCAL}:{entrance.port_of('http')}"]
            for guid in GUIDS:
                Program.launch(to_end, [*hub, *TO_SEVEN_POINTS_OF_TAVLA, "--player", guid])
        self._players = [
            ExampleBot.start(to_end, command, entrance.port_of(protocol), name, "--matches", ENDLESS)
            for names, (protocol, command) in commands.items()
            for name in names
        ]
        port = str(entrance.port_of("mastermind"))
        breaker = [*python_command("mastermind_breaker.py"), "--host", LOCAL, "--port", port, "--games", str(ENDLESS)]
        self._breaker = Program.launch(to_end, breaker)

    @property
    def breaks_another_code(self) -> bool:
        """True once the code breaker, whose game is over with its connection, has begun again and is answered."""
        _, lost, since = self._breaker.printed.text.rpartition("connection lost")
        return bool(lost) and "\nguess" in since

    def end(self) -> None:
        """End everybody in the midst of whatever they do, after a match at least."""
        for player in self._players:
            player.printed.wait_for("RESULT")
        for player in self._players:
            player.process.kill()
            player.printed.join()

    def check(self, recorded: list[Recorded]) -> None:
        """Check that what was told of finished matches is on record."""
        for player in self._players:
            check_told(player.name, Story.of(player.printed.lines), recorded)
