"""The contract for one position: every method is called and its answer checked."""

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from attrs import fields

from gameserver.drawing import Paint, Picture, Shape, Side
from gameserver.game import Chance, Game, Outcome, Seat, State, Turn
from gameserver.testing.contract import Trail, is_frozen, is_line, is_quotable
from gameserver.values import value

BROWSER_INTEGER_MAX = 2**53 - 1
"""The largest integer that a browser reads exactly."""


@value
class Answers:
    """The answers of a position's methods. A second call must give the same."""

    turn: Turn
    chance: Chance | None
    outcome: Outcome | None
    moves: tuple[tuple[Any, ...], ...]
    """The legal moves of each seat."""
    resigned: tuple[Outcome, ...]
    views: tuple[str, ...]
    boards: tuple[str, ...]
    picture: Picture | None
    """The picture for spectators."""
    small_picture: Picture | None
    sides: tuple[Side, ...]
    prompts: tuple[str, ...]
    reactions: tuple[str, ...]
    reaction_words: tuple[str, ...]
    ending: str
    written: str
    """The state's repr, which shows what the game forgot to show elsewhere."""


def answers_of(trail: Trail, game: Game[Any], state: State[Any], known: Answers | None = None) -> Answers:
    """Call every method of a position, and check the answers. A picture that is `known` is not looked at again."""
    trail.require(isinstance(state, State), f"{state!r} is no gameserver.game.State; derive its class from State")
    trail.require(is_frozen(state), f"{type(state).__name__} can be changed; decorate it with attrs.frozen")
    seats = range(game.seats)
    viewers = (*seats, None)
    turn = _turn(trail, game, state)
    chance = _chance(trail, state)
    outcome = trail.ask("outcome", getattr, state, "outcome")
    if outcome is not None:
        _check_outcome(trail, game, outcome, "outcome")
    _check_who_acts(trail, turn, chance, outcome)
    return Answers(
        turn=turn,
        chance=chance,
        outcome=outcome,
        moves=tuple(_moves(trail, state, turn, seat) for seat in seats),
        resigned=tuple(_resigned(trail, game, state, seat) for seat in seats),
        views=tuple(_view(trail, state, viewer) for viewer in viewers),
        boards=tuple(_board(trail, state, viewer) for viewer in viewers),
        picture=check_picture(trail, state, "picture", None, None if known is None else known.picture),
        small_picture=check_picture(
            trail, state, "small_picture", None, None if known is None else known.small_picture
        ),
        sides=_sides(trail, game, state),
        prompts=tuple(
            _word(trail, f"prompt({seat})", trail.ask("prompt()", state.prompt, seat)) for seat in turn.seats
        ),
        reactions=tuple(
            _word(trail, f"reaction({viewer})", trail.ask("reaction()", state.reaction, viewer)) for viewer in viewers
        ),
        reaction_words=tuple(
            _word(trail, f"reaction_words({viewer})", trail.ask("reaction_words()", state.reaction_words, viewer))
            for viewer in viewers
        ),
        ending=_word(trail, "ending", trail.ask("ending", getattr, state, "ending")),
        written=_written(trail, state),
    )


def difference(first: Answers, second: Answers) -> str:
    """The first answer that differs."""
    for name in (attribute.name for attribute in fields(Answers)):
        one, other = getattr(first, name), getattr(second, name)
        if one != other:
            return f"{name} was {one!r}, then {other!r}"
    return "nothing is different"


def _turn(trail: Trail, game: Game[Any], state: State[Any]) -> Turn:
    turn = trail.ask("turn", getattr, state, "turn")
    trail.require(isinstance(turn, Turn), f"turn is {turn!r}; give a Turn")
    seats = turn.seats
    known = isinstance(seats, tuple) and all(type(seat) is int and 0 <= seat < game.seats for seat in seats)
    trail.require(
        type(turn.number) is int and known and len(set(seats)) == len(seats),
        f"{turn!r} must have an integer number, and a tuple of different seats from 0 to {game.seats - 1}",
    )
    return turn  # type: ignore[no-any-return]


def _chance(trail: Trail, state: State[Any]) -> Chance | None:
    chance = trail.ask("chance", getattr, state, "chance")
    trail.require(chance is None or isinstance(chance, Chance), f"chance is {chance!r}; give a Chance or None")
    return chance  # type: ignore[no-any-return]


def _check_who_acts(trail: Trail, turn: Turn, chance: Chance | None, outcome: Outcome | None) -> None:
    if outcome is not None:
        trail.require(not turn.seats, f"the game is over but {turn!r} has seats to act; leave them empty at the end")
        trail.require(chance is None, "the game is over but waits for a draw; let chance be None at the end")
    elif chance is not None:
        trail.require(not turn.seats, f"a draw is due but {turn!r} has seats to act; leave them empty until it is made")
    else:
        trail.require(turn.seats, "the game goes on but nobody is to act; name a seat, a draw or the outcome")


def _check_outcome(trail: Trail, game: Game[Any], outcome: Any, question: str) -> None:
    trail.require(isinstance(outcome, Outcome), f"{question} is {outcome!r}; give an Outcome")
    points, winners = outcome.points, outcome.winners
    trail.require(
        isinstance(points, tuple) and len(points) == game.seats and all(type(point) is int for point in points),
        f"{question} has the points {points!r}; give a tuple with an integer for each of {game.seats} seats",
    )
    trail.require(
        isinstance(winners, tuple)
        and all(type(seat) is int and 0 <= seat < game.seats for seat in winners)
        and len(set(winners)) == len(winners),
        f"{question} has the winners {winners!r}; give a tuple of different seats from 0 to {game.seats - 1}",
    )
    _word(trail, f"the reason of {question}", outcome.reason)


def _resigned(trail: Trail, game: Game[Any], state: State[Any], seat: Seat) -> Outcome:
    outcome = trail.ask(f"resigned({seat})", state.resigned, seat)
    _check_outcome(trail, game, outcome, f"resigned({seat})")
    trail.require(seat not in outcome.winners, f"resigned({seat}) lets seat {seat} win; who gives up does not win")
    return outcome


def _moves(trail: Trail, state: State[Any], turn: Turn, seat: Seat) -> tuple[Any, ...]:
    moves: object = trail.ask(f"legal_moves({seat})", state.legal_moves, seat)
    if not isinstance(moves, Sequence) or isinstance(moves, str):
        trail.fail(f"legal_moves({seat}) is a {type(moves).__name__}; give a tuple or a list, in a fixed order")
    if seat in turn.seats:
        trail.require(moves, f"legal_moves({seat}) is empty though seat {seat} is to act; pass the turn on by itself")
    else:
        trail.require(not moves, f"legal_moves({seat}) must be empty while seat {seat} is not to act")
    return tuple(moves)


def _written(trail: Trail, state: State[Any]) -> str:
    written = trail.ask("repr()", repr, state)
    trail.require(" at 0x" not in written, f"repr() tells an address, {written}; let attrs write it")
    return written


def _view(trail: Trail, state: State[Any], viewer: Seat | None) -> str:
    view: object = trail.ask(f"view({viewer})", state.view, viewer)
    if not isinstance(view, Mapping):
        trail.fail(f"view({viewer}) is {view!r}; give a mapping")
    if not _is_json(dict(view)):
        trail.fail(
            f"view({viewer}) is {view!r}; use only dict with text keys, list, text, numbers up to 2**53, bool and None"
        )
    return trail.ask(f"json.dumps(view({viewer}))", json.dumps, dict(view), sort_keys=True, allow_nan=False)


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_json, value))
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= BROWSER_INTEGER_MAX
    return value is None or isinstance(value, str)


def _board(trail: Trail, state: State[Any], viewer: Seat | None) -> str:
    board: object = trail.ask(f"board({viewer})", state.board, viewer)
    if not isinstance(board, str) or not board or not all(map(is_line, board.split("\n"))):
        trail.fail(f"board({viewer}) is {board!r}; give printable lines, parted by line feeds alone")
    return board


def check_picture(
    trail: Trail, state: State[Any], question: str, viewer: Seat | None, known: Picture | None = None
) -> Picture | None:
    """A viewer's picture, every shape of which can be drawn. One that is `known` is not looked at again."""
    asked = f"{question}({viewer})"
    picture: object = trail.ask(asked, getattr(state, question), viewer)
    if picture is None:
        return None
    if picture == known:
        return known
    if not isinstance(picture, Picture):
        trail.fail(f"{asked} is {picture!r}; give a gameserver.drawing.Picture, or None where there is none")
    trail.require(is_line(picture.description), "the picture's description must be text in one line")
    if not trail.steps:
        marks = {getattr(shape, name, None) for shape in picture.shapes for name in ("fill", "stroke")}
        problem = f"{asked} marks a last move at the start; use Paint.LAST only after a move"
        trail.require(Paint.LAST not in marks, problem)
    for shape in picture.shapes:
        if not _is_drawable(shape):
            trail.fail(f"{shape!r} cannot be drawn; use the shapes of gameserver.drawing")
    return picture


def _sides(trail: Trail, game: Game[Any], state: State[Any]) -> tuple[Side, ...]:
    sides: object = trail.ask("sides(None)", state.sides, None)
    is_whole = isinstance(sides, Sequence) and len(sides) in {0, game.seats}
    if not is_whole or not all(map(_is_side, sides)):  # type: ignore[call-overload]
        trail.fail(
            f"sides(None) is {sides!r}; give a gameserver.drawing.Side for each of {game.seats} seats, with texts "
            "in one line and an integer as score, or nothing at all"
        )
    return tuple(sides)  # type: ignore[arg-type]


def _is_side(side: Any) -> bool:
    if not isinstance(side, Side):
        return False
    paint: Any = side.paint
    score: Any = side.score
    is_told = all(map(is_line, (side.name, side.mark, side.unit)))
    return is_told and (paint is None or isinstance(paint, Paint)) and (score is None or type(score) is int)


def _is_drawable(shape: Any) -> bool:
    """True if it is a shape of finite numbers, and its text and its spot are lines of text."""
    if not isinstance(shape, Shape) or not is_line(getattr(shape, "text", "") + getattr(shape, "spot", "")):
        return False
    kind: Any = type(shape)
    return all(_is_finite(getattr(shape, name)) for name in _numbers_of(kind)) and all(
        _is_finite(number) for point in getattr(shape, "points", ()) for number in point
    )


@cache
def _numbers_of(kind: Any) -> tuple[str, ...]:
    """The fields of a kind of shape that hold numbers."""
    names = ("x", "y", "width", "height", "radius", "size", "stroke_width")
    return tuple(name for name in names if hasattr(kind, name))


def _is_finite(number: Any) -> bool:
    return isinstance(number, (int, float)) and math.isfinite(number)


def _word(trail: Trail, question: str, text: Any) -> str:
    trail.require(
        is_quotable(text),
        f"{question} is {text!r}; give text in one line, without control characters and double quotes",
    )
    assert isinstance(text, str)
    return text
