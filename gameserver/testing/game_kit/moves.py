"""The contract for moves: writing, reading, and refusal."""

import random
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from gameserver.game import Game, IllegalMove, Seat, State
from gameserver.testing.contract import Trail, describe, is_line, is_quotable
from gameserver.testing.game_kit.junk import JUNK, bent, noise
from gameserver.testing.game_kit.positions import Answers

T = TypeVar("T")

TEXTS_MAX = 200
"""Legal moves of a seat that are written and read in one position."""

PLAYS_MAX = 20
"""Legal moves of a seat that are played in one position."""

JUNK_A_POSITION = 4


def some_of(items: Sequence[T], most: int, chance: random.Random) -> Sequence[T]:
    """The items, or as many of them as there is time for."""
    return items if len(items) <= most else chance.sample(items, most)


def check_texts(trail: Trail, game: Game[Any], moves: Sequence[Any]) -> None:
    """Check that each move has a spelling, perhaps a number, and that both are read back as the move."""
    texts: set[str] = set()
    for move in moves:
        text = written(trail, game, move)
        trail.require(text not in texts, f"legal_moves lists {move!r} twice; list every move once")
        texts.add(text)
        number = trail.ask(f"move_number({move!r})", game.move_number, move)
        if number is not None:
            fits = type(number) is int and number >= 0
            trail.require(fits, f"move_number({move!r}) is {number!r}; give an integer from 0, or None")
            _check_read_back(trail, game, str(number), move, "move_number")


def written(trail: Trail, game: Game[Any], move: Any) -> str:
    """A move in its one spelling, which must be read back as the same move."""
    text = trail.ask(f"write_move({move!r})", game.write_move, move)
    well_written = is_quotable(text) and text and text == text.strip()
    trail.require(well_written, f"write_move({move!r}) is {text!r}; give a line of text without double quotes")
    _check_read_back(trail, game, text, move, "write_move")
    return text


def check_seen(trail: Trail, game: Game[Any], state: State[Any], move: Any, by: Seat) -> None:
    """Check a move as each viewer sees it. `state` is the position after it."""
    for viewer in (*range(game.seats), None):
        text = trail.ask(f"seen(by={by}, viewer={viewer})", game.seen, state, move, by, viewer)
        trail.require(
            is_quotable(text) and text,
            f"seen(by={by}, viewer={viewer}) is {text!r}; give a line of text, without double quotes",
        )


def check_seen_draw(trail: Trail, game: Game[Any], state: State[Any], values: tuple[int, ...]) -> None:
    """Check a draw as each viewer sees it. `state` is the position after it."""
    for viewer in (*range(game.seats), None):
        text = trail.ask(f"seen_draw({values}, viewer={viewer})", game.seen_draw, state, values, viewer)
        trail.require(
            is_quotable(text) and text,
            f"seen_draw({values}, viewer={viewer}) is {text!r}; give a line of text, without double quotes",
        )


def check_plays(trail: Trail, state: State[Any], seat: Seat, moves: Iterable[Any]) -> None:
    """Check that each of these legal moves can be played."""
    for move in moves:
        played(trail, state, seat, move)


def played(trail: Trail, state: State[Any], seat: Seat, move: Any) -> State[Any]:
    """The position after a legal move."""
    try:
        after: object = state.play(seat, move)
    except IllegalMove as error:
        raise trail.error(
            f"play({seat}, {move!r}) refused a move that legal_moves({seat}) lists ({error}); let both agree"
        ) from error
    except Exception as error:
        raise trail.error(f"play({seat}, {move!r}) raised {describe(error)} at a legal move; mend play()") from error
    if not isinstance(after, State):
        trail.fail(f"play({seat}, {move!r}) gave {after!r}; return the State after the move")
    return after


def check_refusals(trail: Trail, state: State[Any], answers: Answers, moves: Iterable[Any]) -> None:
    """Check that a seat is refused, with a reason, each of these moves that is not legal for it."""
    for move in moves:
        for seat, legal in enumerate(answers.moves):
            if move not in legal:
                _check_refused(trail, state, seat, move)


def read_junk(trail: Trail, game: Game[Any], texts: Iterable[str]) -> list[Any]:
    """The moves that junk was read as. Checks that the rest was refused with a reason."""
    moves = []
    for text in texts:
        shown = ascii(text if len(text) <= 40 else f"{text[:40]}...")
        try:
            move = game.read_move(text)
        except IllegalMove as error:
            _check_reason(trail, error, f"read_move({shown})")
        except Exception as error:
            raise trail.error(
                f"read_move({shown}) raised {describe(error)}; raise IllegalMove, and nothing else, at bad text"
            ) from error
        else:
            written(trail, game, move)
            moves.append(move)
    return moves


def junk_for(trail: Trail, game: Game[Any], answers: Answers, chance: random.Random) -> list[str]:
    """A few bad texts for a position."""
    texts = [*chance.sample(JUNK, JUNK_A_POSITION), noise(chance)]
    for moves in answers.moves:
        texts += [bent(written(trail, game, move), chance) for move in some_of(moves, JUNK_A_POSITION, chance)]
    return texts


def _check_refused(trail: Trail, state: State[Any], seat: Seat, move: Any) -> None:
    try:
        state.play(seat, move)
    except IllegalMove as error:
        _check_reason(trail, error, f"play({seat}, {move!r})")
    except Exception as error:
        raise trail.error(
            f"play({seat}, {move!r}) raised {describe(error)}; raise IllegalMove where a move is not legal"
        ) from error
    else:
        trail.fail(f"play({seat}, {move!r}) took a move that legal_moves({seat}) does not list; raise IllegalMove")


def _check_reason(trail: Trail, error: IllegalMove, question: str) -> None:
    trail.require(
        is_line(str(error)) and str(error).strip(),
        f"{question} refused with {str(error)!r}; say in a line which rule was broken, quoting bad text with !r",
    )


def _check_read_back(trail: Trail, game: Game[Any], text: str, move: Any, source: str) -> None:
    try:
        again = game.read_move(text)
    except Exception as error:
        raise trail.error(
            f"read_move({text!r}) raised {describe(error)}; it must read what {source}({move!r}) gives"
        ) from error
    trail.require(again == move, f"read_move({text!r}) is {again!r}; it must be {move!r}, as {source} says")
