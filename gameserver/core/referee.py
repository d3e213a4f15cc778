"""Everything the core asks of a game's code, in one place.

A game may be a third party's, and a bug in it must cost nobody but its own match. So no other
module of the core calls a game: here every call is guarded, its answers are looked over, and
whatever goes wrong comes out as `GameFault`, which names the match that has to be voided. A
player's mistake, `IllegalMove`, passes through untouched.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from attrs import frozen

from gameserver.core.chance import number_below
from gameserver.core.events import By, MovePlayed
from gameserver.core.match import Match, Moved
from gameserver.game import Game, IllegalMove, Outcome, Seat, State, Turn

P = ParamSpec("P")
R = TypeVar("R")

CHANCE_DRAWS_MAX = 10_000
"""How many draws may follow each other before the game is taken to be stuck."""


class GameFault(Exception):
    """A game's code is at fault. `match` is None where the match had not begun."""

    def __init__(self, why: str, match: int | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.match = match


def _guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Turn any exception but a player's mistake into `GameFault`."""

    @wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (IllegalMove, GameFault):
            raise
        except Exception as error:
            raise GameFault(f"{type(error).__name__}: {error}") from error

    return guarded


@frozen
class Position:
    """A state, and what it said of itself when it was looked over."""

    state: State[Any]
    turn: Turn
    outcome: Outcome | None


@frozen
class Played:
    """What a move led to: the steps in order (the move itself, then draws), and the position after."""

    position: Position
    steps: tuple[Moved, ...]
    shown: tuple[tuple[MovePlayed, ...], ...]
    """For each step, what each seat is told of it."""
    draws: int


@_guarded
def open_position(game: Game[Any], options: Any, seed: str, match: int, now_ms: int) -> Played:
    """The position that a match begins with, with the draws that precede the first turn."""
    state = game.start(options)
    return _settle(game, state, (), (), seed, match, 0, now_ms)


@_guarded
def play(match: Match, seat: Seat, said: str, by: By, now_ms: int, think_ms: int) -> Played:
    """Play a move as it was written; raises `IllegalMove` where it cannot be played."""
    game = match.game
    move = game.read_move(said)
    state = match.state.play(seat, move)
    step = Moved(seat, game.write_move(move), by, now_ms, think_ms)
    shown = tuple(_shown(match, state, move, step, viewer) for viewer in range(len(match.seats)))
    return _settle(game, state, (step,), (shown,), match.seed, match.id, match.draws, now_ms)


@_guarded
def legal_moves(match: Match, seat: Seat) -> tuple[str, ...]:
    """Every legal move of a seat, written out."""
    return tuple(match.game.write_move(move) for move in match.state.legal_moves(seat))


@_guarded
def resigned(match: Match, seat: Seat) -> Outcome:
    """How the match ends if this seat gives up or forfeits."""
    return _looked_over(match.state.resigned(seat), len(match.seats))


@_guarded
def prompts(match: Match) -> tuple[str, ...]:
    """The word to each seat that is to act, in the order of `match.turn.seats`."""
    return tuple(_text(match.state.prompt(seat)) for seat in match.turn.seats)


@_guarded
def story(match: Match, viewer: Seat) -> tuple[MovePlayed, ...]:
    """The whole match so far as a seat may see it, worked out again from its moves.

    Kept nowhere, because only a returning player asks.
    """
    state = match.game.start(match.options)
    shown: list[MovePlayed] = []
    for step in match.moves:
        if step.seat is None:
            state = state.drawn(_values(step.text))
            shown.append(_draw_shown(match.id, state, step.text, viewer))
        else:
            move = match.game.read_move(step.text)
            state = state.play(step.seat, move)
            shown.append(_shown(match, state, move, step, viewer))
    return tuple(shown)


@_guarded
def position_after(game: Game[Any], options: Any, moves: tuple[Moved, ...], seats: int) -> Position:
    """The position that these moves and draws lead to."""
    state = game.start(options)
    for step in moves:
        if step.seat is None:
            state = state.drawn(_values(step.text))
        else:
            state = state.play(step.seat, game.read_move(step.text))
    return _position(state, seats)


def _settle(
    game: Game[Any],
    state: State[Any],
    steps: tuple[Moved, ...],
    shown: tuple[tuple[MovePlayed, ...], ...],
    seed: str,
    match: int,
    draws: int,
    now_ms: int,
) -> Played:
    """Make the draws that the position waits for, until players are to act or the game is over."""
    for _ in range(CHANCE_DRAWS_MAX):
        wanted = state.chance
        if wanted is None:
            return Played(_position(state, game.seats), steps, shown, draws)
        values = tuple(
            1 + number_below(wanted.sides, seed, "draw", match, draws + index) for index in range(wanted.count)
        )
        state = state.drawn(values)
        draws += wanted.count
        text = " ".join(map(str, values))
        steps = (*steps, Moved(None, text, By.CHANCE, now_ms))
        shown = (*shown, tuple(_draw_shown(match, state, text, viewer) for viewer in range(game.seats)))
    message = f"{game.name} asked for {CHANCE_DRAWS_MAX} draws in a row"
    raise GameFault(message, match)


def _position(state: State[Any], seats: int) -> Position:
    outcome = state.outcome
    turn = state.turn
    if outcome is not None:
        _looked_over(outcome, seats)
    elif not turn.seats or not all(0 <= seat < seats for seat in turn.seats):
        message = f"nobody is to act though the game goes on: {turn!r}"
        raise GameFault(message)
    return Position(state, turn, outcome)


def _looked_over(outcome: Outcome, seats: int) -> Outcome:
    if len(outcome.points) != seats or not all(0 <= seat < seats for seat in outcome.winners):
        message = f"an outcome for {seats} seats cannot be {outcome!r}"
        raise GameFault(message)
    return outcome


def _shown(match: Match, state: State[Any], move: Any, step: Moved, viewer: Seat) -> MovePlayed:
    game = match.game
    seat = step.seat
    assert seat is not None, "a draw is shown by _draw_shown"
    text = _text(game.seen(state, move, seat, viewer))
    return MovePlayed(
        match=match.id,
        seat=seat,
        player=match.seats[seat].player,
        text=text,
        number=game.move_number(move) if text == step.text else None,
        details=_text(state.reaction(viewer)),
        by=step.by,
    )


def _draw_shown(match: int, state: State[Any], text: str, viewer: Seat) -> MovePlayed:
    return MovePlayed(match, None, "", text, None, _text(state.reaction(viewer)), By.CHANCE)


def _values(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split())


def _text(value: object) -> str:
    if not isinstance(value, str):
        message = f"text was expected, not {value!r}"
        raise TypeError(message)
    return value
