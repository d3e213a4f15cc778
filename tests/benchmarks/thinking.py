"""Shows the effect of thinking house players on others: the time from a move to the next turn, quiet and beside them.

Guests of Reversi play the strongest level of the house, and answer at once with random moves, so that the house always
has as many turns to think about as there are guests. Server, thinking processes and load share the cores as the system
likes, as they do for a user.
"""

import random
import re
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

from games.reversi import GAME, START
from tests.benchmarks.abuse import PAUSE_S, figures_of
from tests.benchmarks.generator import Tally, connected, loop
from tests.benchmarks.level_games import levels_of
from tests.benchmarks.load import GATHER, medians
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.players import READ_BYTES, Pace
from tests.benchmarks.processes import BenchmarkError, Cores, gameserver, running
from tests.benchmarks.report import Figures, Row

SETUP_TIMEOUT_S = 60.0
_MOVE = re.compile(r'MOVE \{PLAYER: "[^"]*", MOVE: "(\d+)"')


class Guest:
    """A client that plays Reversi against the house, one match after the other."""

    def __init__(self, name: str, level: str, sock: socket.socket) -> None:
        self.sock = sock
        self.house_moves = 0
        self._challenge = f'challenge "house-{level}" "{GAME.name}" 3600\n'.encode()
        self._chance = random.Random(name)
        self._position = START
        self._unfinished = ""
        sock.send(f"login {name}\n".encode() + self._challenge)

    def on_readable(self) -> None:
        """Follow the match, and move when it is this client's turn."""
        data = self.sock.recv(READ_BYTES)
        if not data:
            raise BenchmarkError("the server closed a guest's connection")
        *lines, self._unfinished = (self._unfinished + data.decode()).split("\r\n")
        for line in lines:
            self._hear(line)

    def _hear(self, line: str) -> None:
        if "GAME MATCH" in line:
            self._position = START
        elif found := _MOVE.search(line):
            self._position = self._position.play(self._position.turn.seats[0], int(found[1]))
            self.house_moves += '"house-' in line
        elif "YOURTURN" in line:
            moves = self._position.legal_moves(self._position.turn.seats[0])
            self.sock.send(b"move %d\n" % self._chance.choice(moves))
        elif "SCORE" in line:
            if 'COMMENT: ""' not in line:
                raise BenchmarkError(f"a guest was told: {line}")
            self.sock.send(self._challenge)
        elif line.startswith("ERR"):
            raise BenchmarkError(f"a guest was told: {line}")


def measure(plan: Plan) -> list[Row]:
    """One row. Quiet and not take turns, each with a server of its own, so that a noisy moment hits both."""
    level = levels_of(GAME)[-1]
    what = f"{plan.flooded_pairs} matches beside {plan.guests} guests of house-{level}"
    beside: list[Figures] = []
    quiet: list[Figures] = []
    for number in range(plan.rounds):
        kinds = [(beside, plan.guests), (quiet, 0)]
        for rounds, guests in kinds if number % 2 else reversed(kinds):
            note(f"{what}, round {number + 1}: {guests} guests")
            rounds.append(_round(plan, level, guests))
    return [Row("thinking", what, medians(beside), medians(quiet), {"server": beside, "echo": quiet}, "quiet")]


def _round(plan: Plan, level: str, count: int) -> Figures:
    with (
        TemporaryDirectory() as directory,
        running(gameserver(Path(directory)), Path(directory), Cores.chosen(pin=False)) as process,
        loop() as working,
    ):
        tally = Tally()
        GATHER["strategic"](process, plan.flooded_pairs, working, tally, Pace(working, PAUSE_S))
        guests = [Guest(f"guest{at}", level, connected(process.port)) for at in range(count)]
        for guest in guests:
            working.add(guest.sock, guest.on_readable)
        working.run_until(
            lambda: all(guest.house_moves for guest in guests),
            SETUP_TIMEOUT_S,
            "the house has not moved in every match",
        )
        before = sum(guest.house_moves for guest in guests)
        figures = figures_of(plan, working, tally)
        made = sum(guest.house_moves for guest in guests) - before
        return figures | ({"house moves/s": made / (plan.warmup_s + plan.seconds)} if guests else {})
