"""A whole double round robin over real sockets: from the teacher's start to the last result that a bot hears of.

The baseline is what the same bots need for as many games out of the queue, where nobody plans or counts
anything: what is left is the tournament's own.
"""

import random
import re
import socket
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import evolve

from gameserver.admin.client import AdminClient
from gameserver.admin.token_file import access_file, read_access
from tests.benchmarks.generator import Loop, connected, loop, now_s
from tests.benchmarks.load import medians
from tests.benchmarks.measuring import spent_s
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Row

READ_BYTES = 65_536
TIMEOUT_S = 600.0
GAME = "Tic-tac-toe"
CELLS = 9
_MOVE = re.compile(rb'MOVE: "(\d)"')


class LeagueBot:
    """A client of the text protocol that plays at random and at once; with `seeks` it looks for game after game."""

    def __init__(self, name: str, sock: socket.socket, *, seeks: bool) -> None:
        self.results = 0
        self.is_in = False
        self._name, self._seeks = name, seeks
        self._free: list[int] = []
        self._chance = random.Random(name)
        self._unfinished = b""
        self._sock = sock
        sock.sendall(f"login {name}\n".encode())

    def seek(self) -> None:
        """Look for a game."""
        self._sock.sendall(f"subscribe {GAME}\n".encode())

    def on_readable(self) -> None:
        """React to whatever lines have come."""
        data = self._sock.recv(READ_BYTES)
        if not data or b"ERR" in data:
            raise BenchmarkError(f"{self._name} was told: {data.decode(errors='replace') or 'nothing, and left'}")
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        for line in lines:
            self._on_line(line)

    def _on_line(self, line: bytes) -> None:
        if line.startswith(b"SVR GAME YOURTURN"):
            self._sock.sendall(b"move %d\n" % self._chance.choice(self._free))
        elif line.startswith(b"SVR GAME MOVE"):
            found = _MOVE.search(line)
            assert found is not None, line
            self._free.remove(int(found[1]))
        elif line.startswith(b"SVR GAME MATCH"):
            self._free = list(range(CELLS))
        elif line.startswith((b"SVR GAME WIN", b"SVR GAME LOSS", b"SVR GAME DRAW")):
            self.results += 1
            if self._seeks:
                self.seek()
        elif line.startswith(b"OK"):
            self.is_in = True


def measure(plan: Plan) -> list[Row]:
    """The tournament and the queue, in turns."""
    games = plan.league_bots * (plan.league_bots - 1)
    what = f"double round robin of {plan.league_bots} bots at {GAME}, {games} games"
    held: list[Figures] = []
    queued: list[Figures] = []
    for number in range(plan.rounds):
        for is_held, rounds in ((True, held), (False, queued)):
            note(f"{what}, round {number + 1}: {'the tournament' if is_held else 'out of the queue'}")
            rounds.append(_round(plan, games, is_held=is_held))
    return [Row("tournament", what, medians(held), medians(queued), {"tournament": held, "queue": queued})]


def _round(plan: Plan, games: int, *, is_held: bool) -> Figures:
    with TemporaryDirectory() as directory:
        subject = gameserver(Path(directory))
        subject = evolve(subject, command=(*subject.command, "--listen", "admin=127.0.0.1:0"))
        with running(subject, Path(directory), plan.cores) as process, loop() as working:
            bots = _gathered(process, plan.league_bots, working, seeks=not is_held)
            admin = AdminClient(read_access(access_file(str(Path(directory) / "data.sqlite3"))))
            if is_held:
                admin.post("tournaments", preset="league", name="benchmark", game=GAME, changes={"pause_ms": 0})
            figures = _timed(process, working, bots, games, lambda: _begin(admin, bots, is_held=is_held))
            if is_held:
                view = admin.get("tournaments", "1")
                if (view["phase"], view["done"]) != ("over", games):
                    raise BenchmarkError(f"{view['done']} of {games} games, and the tournament is {view['phase']}")
    return figures


def _gathered(process: Running, count: int, working: Loop, *, seeks: bool) -> list[LeagueBot]:
    bots = []
    for number in range(count):
        sock = connected(process.port)
        bot = LeagueBot(f"bot{number:03}", sock, seeks=seeks)
        working.add(sock, bot.on_readable)
        bots.append(bot)
    working.run_until(lambda: all(bot.is_in for bot in bots), TIMEOUT_S, "not everybody is logged in")
    return bots


def _begin(admin: AdminClient, bots: list[LeagueBot], *, is_held: bool) -> None:
    if is_held:
        admin.post("tournaments", "1", "start")
    else:
        for bot in bots:
            bot.seek()


def _timed(process: Running, working: Loop, bots: list[LeagueBot], games: int, begin: Callable[[], None]) -> Figures:
    began_s, before = now_s(), spent_s(process)
    begin()
    working.run_until(lambda: sum(bot.results for bot in bots) >= 2 * games, TIMEOUT_S, "not all games are over")
    took_s = now_s() - began_s
    cpu_s, own_cpu_s, all_cpu_s = (after - then for after, then in zip(spent_s(process), before, strict=True))
    return {
        "s": took_s,
        "games/s": games / took_s,
        "CPU ms/game": 1e3 * cpu_s / games,
        "CPU %": 100 * cpu_s / took_s,
        "generator CPU %": 100 * own_cpu_s / took_s,
        "others CPU %": max(0.0, 100 * (all_cpu_s - cpu_s - own_cpu_s) / took_s),
    }
