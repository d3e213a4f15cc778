"""Matches in Jellyfish's text format (`.mat`), which GNU Backgammon, Snowie and eXtreme Gammon read.

     5 point match

     Game 1
     ann : 0                              bob : 0
      1) 31: 8/5 6/5                      42: 8/4 6/4
      2)  Doubles => 2                     Takes
      ...
          Wins 2 points

A column for each player, points as the mover counts, 25 for the bar and 0 for off, a star after a hit.
The programs know Backgammon; the other games of the family are named in a comment at the top, and
their moves are written the same way.
"""

from collections.abc import Iterator
from typing import cast

from games.backgammon.match import Length
from games.backgammon.notation import Word
from games.backgammon.phases import TurnPhase
from games.backgammon.state import GameState
from gameserver.game import PlayedGame, PlayedMatch, Seat

_COLUMN = 34
Cell = tuple[Seat, str]
"""A cell of a player's column: a play, or a word about the cube."""


def write_mat(match: PlayedMatch) -> str:
    """Writes a backgammon match in Jellyfish's format `.mat`."""
    return "".join(f"{line}\n" for line in _lines(match))


def _lines(match: PlayedMatch) -> Iterator[str]:
    yield f'; [Match ID "{match.number}"]'
    for number, player in enumerate(match.players, start=1):
        yield f'; [Player {number} "{player}"]'
    yield f'; [EventDate "{match.opened_at[:10].replace("-", ".")}"]'
    yield f'; [Variation "{match.game.name}"]'
    yield ""
    length: Length | None = match.options.length
    yield f" {(length.target if length else None) or 0} point match"
    score = [0] * len(match.players)
    for number, game in enumerate(match.games, start=1):
        yield ""
        yield f" Game {number}"
        heads = [f"{player} : {points}" for player, points in zip(match.players, score, strict=True)]
        yield f" {heads[0]:<{_COLUMN + 4}} {heads[1]}"
        cells = list(_cells(game))
        yield from _rows(cells)
        for seat in game.winners:
            points = game.points[seat]
            score[seat] += points
            yield f"{'' if seat == 0 else ' ' * (_COLUMN + 2)}      Wins {points} point{'' if points == 1 else 's'}"


def _rows(cells: list[Cell]) -> Iterator[str]:
    """The cells in two columns. A player who has two in a row leaves the other column empty."""
    number, left = 0, ""
    for seat, text in cells:
        if seat == 0:
            if left:
                yield left.rstrip()
            number += 1
            left = f"{number:3}) {text:<{_COLUMN}}"
        else:
            if not left:
                number += 1
                left = f"{number:3}) {'':<{_COLUMN}}"
            yield f"{left} {text}".rstrip()
            left = ""
    if left:
        yield left.rstrip()


def _cells(game: PlayedGame) -> Iterator[Cell]:
    """The players' turns, one cell each. A turn that was cut short is written as far as it went."""
    positions = cast("Iterator[GameState]", game.positions())
    before = next(positions)
    steps: list[str] = []
    for (seat, text), state in zip(game.steps, positions, strict=True):
        if seat is not None and text == Word.UNDO:
            steps.pop()
        elif seat is not None and before.phase is TurnPhase.MOVING:
            steps += state.said.split()
        elif text == Word.DOUBLE:
            yield before.mover, f" Doubles => {2 * _stake(before)}"
        elif text in {Word.TAKE, Word.DROP}:
            yield 1 - before.mover, " Takes" if text == Word.TAKE else " Drops"
        if before.rolled and state.turns != before.turns:
            yield _play(before, steps)
            steps = []
        before = state
    if before.rolled:
        yield _play(before, steps)


def _play(state: GameState, steps: list[str]) -> Cell:
    dice = "".join(str(die) for die in state.rolled[:2])
    written = " ".join(step.replace("bar", "25").replace("off", "0") for step in steps)
    return state.mover, f"{dice}: {written or 'Cannot Move'}".rstrip()


def _stake(state: GameState) -> int:
    return 1 if state.cube is None else state.cube.value
