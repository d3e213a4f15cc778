"""A game as it was in a match on record: with its options, and with dice that fall as they fell.

The lobby draws from a match's seed, which no record has, and a seed with the wished dice cannot be searched for. So the
game is wrapped: whatever is drawn, a position takes the recorded values instead, and shows them. When the recorded ones
are used up, or do not fit because the match takes another course, the lobby's own count.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from gameserver.drawing import Picture, Side
from gameserver.game import Chance, Game, Outcome, PlayedGame, PlayedMatch, Seat, Series, State, Turn
from gameserver.values import value

Draws = tuple[tuple[int, ...], ...]
"""The values of each draw of a game, in their order."""


def as_recorded(match: PlayedMatch) -> Game[Any]:
    """The game of a match on record. Every match of it has that one's options and draws, whatever is asked for."""
    return _recorded(match.game, tuple(map(_draws_of, match.games)), match.options)


def _draws_of(game: PlayedGame) -> Draws:
    return tuple(tuple(int(word) for word in text.split()) for seat, text in game.steps if seat is None)


def _recorded(game: Game[Any], draws: Sequence[Draws], options: Any) -> Game[Any]:
    """The wrapper, with what the game says of itself. `draws` are those of its games in turn."""

    class Recorded(_RecordedGame):
        options_type = game.options_type
        strategies = game.strategies
        exports = game.exports
        name, version, seats = game.name, game.version, game.seats
        aliases, guide, draw_noun = game.aliases, game.guide, game.draw_noun

    return Recorded(game, draws, options)


class _RecordedGame(Game[Any]):
    def __init__(self, inner: Game[Any], draws: Sequence[Draws], options: Any) -> None:
        self.inner = inner
        self.draws = draws
        self.options = options

    def start(self, _options: Any) -> State[Any]:
        return _RecordedState(self.inner.start(self.options), self.draws[0] if self.draws else ())

    def series(self, _options: Any) -> Series | None:
        series = self.inner.series(self.options)
        return None if series is None else _RecordedSeries(series, tuple(self.draws))

    def read_move(self, text: str) -> Any:
        return self.inner.read_move(text)

    def write_move(self, move: Any) -> str:
        return self.inner.write_move(move)

    def move_number(self, move: Any) -> int | None:
        return self.inner.move_number(move)

    def seen(self, state: State[Any], move: Any, by: Seat, viewer: Seat | None) -> str:
        return self.inner.seen(inner_state(state), move, by, viewer)

    def seen_draw(self, state: State[Any], values: tuple[int, ...], viewer: Seat | None) -> str:
        last = state.last if isinstance(state, _RecordedState) else values
        return self.inner.seen_draw(inner_state(state), last, viewer)


def inner_state(state: State[Any]) -> State[Any]:
    """The position as the game itself knows it."""
    return state.inner if isinstance(state, _RecordedState) else state


@value
class _RecordedSeries(Series):
    inner: Series
    draws: tuple[Draws, ...]
    """Of the next game and those after it."""

    @property
    def next_game(self) -> tuple[Game[Any], Any] | None:
        found = self.inner.next_game
        if found is None:
            return None
        game, options = found
        return _recorded(game, self.draws[:1], options), options

    def after(self, outcome: Outcome) -> "_RecordedSeries":
        return _RecordedSeries(self.inner.after(outcome), self.draws[1:])

    def given_up(self, seat: Seat) -> "_RecordedSeries":
        return evolve(self, inner=self.inner.given_up(seat))

    @property
    def outcome(self) -> Outcome:
        return self.inner.outcome


@value
class _RecordedState(State[Any]):
    inner: State[Any]
    draws: Draws
    """Those to come."""
    last: tuple[int, ...] = ()
    """The values of the last draw."""

    @property
    def turn(self) -> Turn:
        return self.inner.turn

    def legal_moves(self, seat: Seat) -> Sequence[Any]:
        return self.inner.legal_moves(seat)

    def play(self, seat: Seat, move: Any) -> "_RecordedState":
        return evolve(self, inner=self.inner.play(seat, move))

    @property
    def chance(self) -> Chance | None:
        return self.inner.chance

    def drawn(self, values: tuple[int, ...]) -> "_RecordedState":
        values, rest = self._next(values)
        return _RecordedState(self.inner.drawn(values), rest, values)

    def _next(self, values: tuple[int, ...]) -> tuple[tuple[int, ...], Draws]:
        """The recorded values, if there are any that the position may draw, and those after them."""
        wanted = self.inner.chance
        if wanted is None or not self.draws:
            return values, ()
        fits = len(self.draws[0]) == wanted.count and max(self.draws[0]) <= wanted.sides
        return (self.draws[0], self.draws[1:]) if fits else (values, ())

    def awaiting_draw(self, seat: Seat) -> None:
        """Nobody is told a value beforehand: the lobby would tell its own."""

    @property
    def outcome(self) -> Outcome | None:
        return self.inner.outcome

    def resigned(self, seat: Seat) -> Outcome:
        return self.inner.resigned(seat)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        return self.inner.view(viewer)

    def board(self, viewer: Seat | None) -> str:
        return self.inner.board(viewer)

    def picture(self, viewer: Seat | None) -> Picture | None:
        return self.inner.picture(viewer)

    def small_picture(self, viewer: Seat | None) -> Picture | None:
        return self.inner.small_picture(viewer)

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        return self.inner.sides(viewer)

    def prompt(self, seat: Seat) -> str:
        return self.inner.prompt(seat)

    def reaction(self, viewer: Seat | None) -> str:
        return self.inner.reaction(viewer)
