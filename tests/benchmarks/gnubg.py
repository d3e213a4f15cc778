"""`python -m tests.benchmarks.gnubg [--games 100] [--level master]`: a level against GNU Backgammon at 0 plies.

Money games with the cube, without the Jacoby rule and beavers, as the server plays them. Each roll of a pair of games
is the same for both, with the seats exchanged, as far as the games go alike. Needs the Debian package `gnubg`.
"""

import json
import os
import random
import shutil
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import click

from games.backgammon import GAME
from games.backgammon.lanes import count_at
from games.backgammon.notation import Move, Word
from games.backgammon.options import GameOptions
from games.backgammon.phases import TurnPhase
from games.backgammon.state import GameState
from gameserver.game import Strategy

BRIDGE = Path(__file__).with_name("gnubg_bridge.py")


def program() -> str | None:
    """GNU Backgammon, if it is installed. Debian puts games where not every PATH has them."""
    return shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


class GnuBackgammon:
    """GNU Backgammon as a player."""

    def __init__(self) -> None:
        found = program()
        assert found is not None, "apt-get install gnubg"
        self._process = subprocess.Popen(
            [found, "-t", "-q", "-p", str(BRIDGE)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.communicate()

    def move(self, state: GameState, seat: int, choose: object = None) -> Move:
        """Its move, as a strategy has it."""
        if state.phase is TurnPhase.MOVING:
            found = self._ask(state, seat, dice=list(state.rolled[:2]))
            pairs = zip(found[::2], found[1::2], strict=True)
            return tuple(sorted(((source, target) for source, target in pairs if source), reverse=True))
        if state.phase is TurnPhase.ENDING:
            return Word.END
        if state.phase is TurnPhase.DOUBLED:
            _, _, taken, _ = self._ask(state, 1 - seat)
            return Word.TAKE if taken <= 1 else Word.DROP
        if not state.may_double:
            return Word.ROLL
        _, kept, taken, dropped = self._ask(state, seat)
        return Word.DOUBLE if min(taken, dropped) > kept else Word.ROLL

    def _ask(self, state: GameState, roller: int, **more: Any) -> list[float]:
        cube = state.cube
        owner = -1 if cube is None or cube.owner is None else int(cube.owner == roller)
        sides = [[count_at(state.position.checkers[seat], place) for place in range(1, 26)] for seat in (0, 1)]
        board = [sides[1 - roller], sides[roller]]
        asked = {"board": board, "cube": 1 if cube is None else cube.value, "owner": owner, **more}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("ANSWER "):
                return json.loads(line.removeprefix("ANSWER "))
        raise AssertionError("gnubg has ended")


def play(first: Strategy, second: Strategy, seed: str, swapped: bool) -> int:
    """The points of the first player in a money game."""
    dice, chance = random.Random(seed), random.Random(f"{seed} {swapped}")
    players = (second, first) if swapped else (first, second)
    state = GAME.start(GameOptions())
    while state.outcome is None:
        if state.chance is not None:
            state = state.drawn((dice.randint(1, 6), dice.randint(1, 6)))
        else:
            seat = state.turn.seats[0]
            state = state.play(seat, players[seat](state, seat, chance.choice))
    points = state.outcome.points
    return points[1] - points[0] if swapped else points[0] - points[1]


@click.command(context_settings={"show_default": True})
@click.option("--games", default=100, help="Money games, half of them with each seat.")
@click.option("--level", default="master", type=click.Choice(list(GAME.strategies)), help="Our player.")
@click.option("--seed", default=1)
def main(games: int, level: str, seed: int) -> None:
    """Print points per game, with twice the standard error, and the games won."""
    if program() is None:
        raise click.ClickException("GNU Backgammon is not installed: apt-get install gnubg")
    os.nice(10)
    rival, began = GnuBackgammon(), time.monotonic()
    try:
        points = [
            play(GAME.strategies[level], rival.move, f"{seed}|{number // 2}", bool(number % 2))
            for number in range(games)
        ]
    finally:
        rival.close()
    error = 2 * statistics.stdev(points) / len(points) ** 0.5
    won = sum(each > 0 for each in points)
    print(f"{level} against gnubg at 0 plies: {statistics.mean(points):+.3f} points a game, +/- {error:.3f}")
    print(f"{won} of {games} games won, {sum(points):+} points in all, {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
