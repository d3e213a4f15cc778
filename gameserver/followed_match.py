"""A match of a game as the lines of the text protocol tell it: the position that follows from its moves.

A draw by chance has no line, but a game may tell it in the texts of its turns and moves, as backgammon tells the dice.
So all positions are kept that fit what was told, and those that are left have to look alike to the player who is asked.
"""

import random
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import product
from typing import Any

from attrs import define

from gameserver.game import Coding, Game, IllegalMove, Seat, State, after_draws

_POSITIONS_MAX = 10_000  # by judgement; Portes, where a roll of the dice follows the opening roll, begins with 2,184
_REHEARSED_MOVES = 100
_Possible = tuple[Seat, State[Any]]
"""A position that a match may have come to, with our seat in it."""


class UnknownPosition(Exception):
    """The lines of a match do not tell the game's position; the message says why."""


@define
class FollowedMatch:
    """A match as its lines tell it, by the positions that it may have come to."""

    game: Game[Any]
    coding: Coding[Any]
    positions: list[_Possible]

    @classmethod
    def begun(cls, game: Game[Any], options: Any, coding: Coding[Any]) -> "FollowedMatch":
        """The match of a game that begins. Which seat is ours will be known by who moves first: that may be drawn."""
        start = game.start(options)
        return cls(game, coding, list(_after_any_draws([(seat, start) for seat in range(game.seats)], None)))

    def moved(self, text: str, details: str | None, *, by_us: bool) -> None:
        """Follow a move, and the draws after it; `details` is what the game said of it, None if that was not told."""
        if text == "?":
            raise UnknownPosition("its moves are hidden")
        played = []
        for seat, state in self.positions:
            with suppress(IllegalMove):  # a draw that we thought possible was another one
                played.append((seat, state.play(seat if by_us else 1 - seat, self.game.read_move(text))))
        self.positions = list(_after_any_draws(played, details))

    def asked(self, prompt: str) -> tuple[Seat, State[Any], Mapping[int, Any]]:
        """Our seat, the position as it looks from there, and the moves by number, when it is our turn."""
        asked = ((seat, state) for seat, state in self.positions if seat in state.turn.seats)
        self.positions = [(seat, state) for seat, state in asked if state.prompt(seat) == prompt]
        if not self.positions:
            raise UnknownPosition("its lines do not follow from the rules, or it is played with other options")
        found = [(seat, state, self.coding.moves(state, seat)) for seat, state in self.positions]
        if len({(*self.coding.observation(state, seat), *moves) for seat, state, moves in found}) > 1:
            raise UnknownPosition("its lines do not tell what chance drew")
        return found[0]


def _after_any_draws(positions: Iterable[_Possible], told: str | None) -> Iterator[_Possible]:
    """The positions after the draws that are due: each once, and only those after which the game says what was told."""
    waiting = list(positions)
    known = set(waiting)  # an opening roll that is a tie leads back to where it came from
    while waiting:
        seat, state = waiting.pop()
        chance = None if state.outcome else state.chance
        if chance is None:
            if told is None or state.reaction(seat) == told:
                yield seat, state
            continue
        if chance.sides**chance.count + len(known) > _POSITIONS_MAX:
            raise UnknownPosition("its lines do not tell what chance drew")
        drawn = (state.drawn(values) for values in product(range(1, chance.sides + 1), repeat=chance.count))
        found = dict.fromkeys((seat, each) for each in drawn)
        waiting += [each for each in found if each not in known]
        known |= found.keys()


def rehearse(game: Game[Any], options: Any, coding: Coding[Any]) -> None:
    """Follow a game of random moves by the lines that its players would be sent. Raises `UnknownPosition`."""
    if game.series(options) is not None:
        raise UnknownPosition("its matches are several games, and no line tells which")
    chance = random.Random(0)  # noqa: S311 - moves to try, the same at every start
    state = after_draws(game.start(options), chance.randint)
    views = [FollowedMatch.begun(game, options, coding) for _ in range(game.seats)]
    for _ in range(_REHEARSED_MOVES):
        if state.outcome is not None:
            break
        for seat in state.turn.seats:
            views[seat].asked(state.prompt(seat))
        mover = state.turn.seats[0]
        move = chance.choice([*coding.moves(state, mover).values()])
        played = state.play(mover, move)
        state = after_draws(played, chance.randint)
        for seat, view in enumerate(views):
            view.moved(game.seen(played, move, mover, seat), state.reaction(seat), by_us=seat == mover)
