"""Builds the guide for a game that brings none: its prompt, board and legal moves at the start."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import structlog

from gameserver.game import Game, Seat, State

MOVES_SHOWN_MAX = 16
DRAWS_MAX = 100
"""Draws before the first turn; a game that asks for more is shown without moves."""

LOSES = "An illegal move loses a match between text players. In a match with players of other protocols it is refused."

log = structlog.get_logger()


@lru_cache(maxsize=64)
def built_guide(game: Game[Any]) -> str:
    """The legal moves, the prompt and the board at the start, as lines; without them if the game's code fails."""
    try:
        shown = tuple(_start_of(game))
    except Exception as error:  # noqa: BLE001 - a third party's code; the page does without it
        log.warning("help shows no start position: the game's code failed", game=game.name, why=repr(error))
        shown = ()
    return "\n".join((*shown, LOSES))


def _start_of(game: Game[Any]) -> Iterator[str]:
    options = game.options_type()
    series = game.series(options)
    if series is not None and series.next_game is not None:
        game, options = series.next_game
        yield f"A match of several games; the first is {game.name}."
    state = _first_turn(game, options)
    if state.turn.seats:
        yield from _turn_of(game, state, state.turn.seats[0])


def _first_turn(game: Game[Any], options: Any) -> State[Any]:
    """The state at the first turn; any draws before it give, as an example, their lowest numbers."""
    state: State[Any] = game.start(options)
    for _ in range(DRAWS_MAX):
        if state.chance is None:
            break
        state = state.drawn((1,) * state.chance.count)
    return state


def _turn_of(game: Game[Any], state: State[Any], seat: Seat) -> Iterator[str]:
    moves = state.legal_moves(seat)
    shown = [_words(game, move) for move in moves[:MOVES_SHOWN_MAX]]
    more = len(moves) - len(shown)
    yield f"Legal moves at the start: {', '.join(shown)}{f' and {more} more' if more else ''}"
    if moves:
        yield f"For example: move {game.write_move(moves[0])}"
    prompt = state.prompt(seat)
    if prompt:
        yield f"TURNMESSAGE at the start: {prompt}"
    yield ""
    yield "The board at the start:"
    yield from ("  " + line for line in state.board(seat).splitlines())
    yield ""


def _words(game: Game[Any], move: Any) -> str:
    """A move as it is written, with its number if that differs."""
    text, number = game.write_move(move), game.move_number(move)
    return text if number is None or str(number) == text else f"{text} (or {number})"
