"""The contract of a position and its moves: every method is called and its answer checked.

Moves are written, read and refused, also in the texts that players and broken clients send. What a seat's picture
offers to touch is legal, and every legal move can be made: it is touched, composed as a code, or offered as a button. A
picture that says which buttons it wants leaves out the moves that are made by several touches; of those one is tried in
a few positions.
"""

import json
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any, TypeVar

from attrs import fields

from gameserver.drawing import Code, CodeValue, Paint, Picture, Purpose, Shape, Side, Touch
from gameserver.game import Chance, Game, IllegalMove, Outcome, Seat, State, Turn
from gameserver.testing.contract import Trail, describe, is_frozen, is_line, is_quotable
from gameserver.values import value

T = TypeVar("T")

TEXTS_MAX = 200
"""Legal moves of a seat that are written and read in one position."""

PLAYS_MAX = 20
"""Legal moves of a seat that are played in one position."""

_JUNK_A_POSITION = 4

# By judgement: a page with more of them cannot be looked through within a turn.
_BUTTONS_MAX = 200
"""The most legal moves that a page offers as buttons."""

_WALK_MAX = 2_000
"""The most positions that are looked at for a way to a move by several touches."""

# Number.MAX_SAFE_INTEGER of JavaScript.
_BROWSER_INTEGER_MAX = 2**53 - 1
"""The largest integer that a browser reads exactly."""

JUNK = (
    "",
    " ",
    "-1",
    "+1",
    "01",
    "1.0",
    "1e3",
    "1_0",
    "0x1",
    "-0",
    "--1",
    "99999999999999999999",
    # Python refuses to read a number of more than 4,300 digits, and raises a ValueError that is no IllegalMove.
    "9" * 5000,
    "x" * 5000,
    # Digits of other scripts, some of which `int` takes, and letters beyond ASCII.
    "٤",
    "\uff14",
    "²",
    "½",
    "é",
    "🎲",
    # A lone surrogate, which JSON can carry and UTF-8 cannot.
    "\ud800",
    "\x00",
    "\n",
    "\r\n",
    "\t1",
    "1\n",
    '"',
    '"1"',
    "'",
    "\\",
    "%s",
    "{0}",
    "{}",
    "[]",
    "[1]",
    "1 2",
    "1,2",
    "a1",
    "A",
    "(0, 0)",
    "None",
    "null",
    "true",
    "nan",
    "inf",
    "pass",
    "resign",
    "?",
)

_ALPHABET = "0123456789 abcxyzABC+-.,:;/'\"{}[]()?!\n\t\x00é٤\uff14²🎲"


@value
class Answers:
    """The answers of a position's methods in the kit for games. A second call must give the same."""

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
    """Calls every method of a game's position, and checks the answers.

    A picture that is `known` is not looked at again.
    """
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
        picture=_check_picture(trail, state, "picture", None, None if known is None else known.picture),
        small_picture=_check_picture(
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
    """Finds the first answer of a game's position under test that differs from the one before."""
    for name in (attribute.name for attribute in fields(Answers)):
        one, other = getattr(first, name), getattr(second, name)
        if one != other:
            return f"{name} was {one!r}, then {other!r}"
    return "nothing is different"


def _bent(text: str, chance: random.Random) -> str:
    """A move's text with one mistake."""
    place = chance.randrange(len(text) + 1)
    letter = chance.choice(_ALPHABET)
    return chance.choice(
        (
            text[:place] + letter + text[place:],
            text[:place] + text[place + 1 :],
            text + text,
            text.upper(),
            text.lower(),
            text[::-1],
            " " + text,
            text + " ",
            "0" + text,
            text + ".0",
        )
    )


def _noise(chance: random.Random) -> str:
    return "".join(chance.choices(_ALPHABET, k=chance.randrange(1, 9)))


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
    # An address differs in each process, so that no two positions of a replay would look alike.
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
        return abs(value) <= _BROWSER_INTEGER_MAX
    return value is None or isinstance(value, str)


def _board(trail: Trail, state: State[Any], viewer: Seat | None) -> str:
    board: object = trail.ask(f"board({viewer})", state.board, viewer)
    if not isinstance(board, str) or not board or not all(map(is_line, board.split("\n"))):
        trail.fail(f"board({viewer}) is {board!r}; give printable lines, parted by line feeds alone")
    return board


def _check_picture(
    trail: Trail, state: State[Any], question: str, viewer: Seat | None, known: Picture | None = None
) -> Picture | None:
    """A viewer's picture, every shape of which can be drawn. One that is `known` is not looked at again."""
    asked = f"{question}({viewer})"
    picture: object = trail.ask(asked, getattr(state, question), viewer)
    if picture is None:
        return None
    # To look at every shape again, and to word complaints that nobody had, took a fifth of the kit's time.
    if picture == known:
        return known
    if not isinstance(picture, Picture):
        trail.fail(f"{asked} is {picture!r}; give a gameserver.drawing.Picture, or None where there is none")
    trail.require(is_line(picture.description), "the picture's description must be text in one line")
    if not trail.steps:
        # Paint.LAST is the newest move on a tile of many boards: at the start there is none.
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


def some_of(items: Sequence[T], most: int, chance: random.Random) -> Sequence[T]:
    """Draws as many legal moves of a position as the kit for games has time for."""
    return items if len(items) <= most else chance.sample(items, most)


def check_texts(trail: Trail, game: Game[Any], moves: Sequence[Any]) -> None:
    """Checks that each move of a position has a spelling, perhaps a number, and that both are read back."""
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
    """Writes a move of a position in its one spelling, and checks that it is read back as the same move."""
    text = trail.ask(f"write_move({move!r})", game.write_move, move)
    well_written = is_quotable(text) and text and text == text.strip()
    trail.require(well_written, f"write_move({move!r}) is {text!r}; give a line of text without double quotes")
    _check_read_back(trail, game, text, move, "write_move")
    return text


def check_seen(trail: Trail, game: Game[Any], state: State[Any], move: Any, by: Seat) -> None:
    """Checks a game's move as each viewer sees it. `state` is the position after it."""
    for viewer in (*range(game.seats), None):
        asked = f"seen(by={by}, viewer={viewer})"
        _check_told(trail, asked, trail.ask(asked, game.seen, state, move, by, viewer))


def check_seen_draw(trail: Trail, game: Game[Any], state: State[Any], values: tuple[int, ...]) -> None:
    """Checks a game's draw as each viewer sees it. `state` is the position after it."""
    for viewer in (*range(game.seats), None):
        asked = f"seen_draw({values}, viewer={viewer})"
        _check_told(trail, asked, trail.ask(asked, game.seen_draw, state, values, viewer))


def _check_told(trail: Trail, asked: str, text: Any) -> None:
    is_told = is_quotable(text) and text
    trail.require(is_told, f"{asked} is {text!r}; give a line of text, without double quotes")


def check_plays(trail: Trail, state: State[Any], seat: Seat, moves: Iterable[Any]) -> None:
    """Checks that each of these legal moves of a position can be played."""
    for move in moves:
        played(trail, state, seat, move)


def played(trail: Trail, state: State[Any], seat: Seat, move: Any) -> State[Any]:
    """Plays a legal move of a position, and checks what follows."""
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
    """Checks that a position refuses a seat, with a reason, each of these moves that is not legal for it."""
    for move in moves:
        for seat, legal in enumerate(answers.moves):
            if move not in legal:
                _check_refused(trail, state, seat, move)


def read_junk(trail: Trail, game: Game[Any], texts: Iterable[str]) -> list[Any]:
    """Tries junk as moves of a position, and checks that the game refuses with a reason what is none."""
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
    """Makes a few bad texts of moves for a position."""
    texts = [*chance.sample(JUNK, _JUNK_A_POSITION), _noise(chance)]
    for moves in answers.moves:
        texts += [_bent(written(trail, game, move), chance) for move in some_of(moves, _JUNK_A_POSITION, chance)]
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


def check_touches(
    trail: Trail, game: Game[Any], state: State[Any], answers: Answers, chance: random.Random, *, walks: bool
) -> bool:
    """Checks what every viewer's picture of a position offers to touch.

    Where `walks`, a move of several touches is looked for; True if there was one.
    """
    for picture in (answers.picture, answers.small_picture):
        _check_untouchable(trail, picture, "None")
    has_walked = False
    for seat, moves in enumerate(answers.moves):
        picture = _check_picture(trail, state, "picture", seat, answers.picture)
        if picture is None or not moves:
            _check_untouchable(trail, picture, str(seat))
            continue
        left = _check_offers(trail, game, moves, picture, seat)
        _check_small(trail, _check_picture(trail, state, "small_picture", seat, answers.small_picture), picture, seat)
        if left and walks:
            has_walked = True
            _check_walk(trail, game, state, seat, chance.choice(left))
    return has_walked


def _check_untouchable(trail: Trail, picture: Picture | None, viewer: str) -> None:
    """Check that a picture offers no moves, because this viewer has none."""
    offers = picture is not None and (picture.touches or picture.code is not None or picture.buttons is not None)
    trail.require(
        not offers,
        f"picture({viewer}) offers moves to a viewer who is not to act; "
        "give touches, code and buttons to a seat in turn.seats alone",
    )


def _check_offers(trail: Trail, game: Game[Any], moves: Sequence[Any], picture: Picture, seat: Seat) -> list[Any]:
    """Check what a seat that is to act is offered; give the legal moves that need several touches."""
    question = f"picture({seat})"
    legal = {game.write_move(move): move for move in moves}
    touched = _check_spots(trail, picture, question)
    _check_legal(trail, legal, touched, f"{question} has a touch for")
    buttons = picture.buttons
    if buttons is not None:
        trail.require(
            isinstance(buttons, tuple),
            f"{question} has the buttons {buttons!r}; give a tuple of moves as written, or None",
        )
        _check_legal(trail, legal, buttons, f"{question} has a button for")
    composed = _check_code(trail, game, legal, picture.code, question)
    left = {text: move for text, move in legal.items() if text not in touched and text not in composed}
    count = len(left if buttons is None else buttons)
    trail.require(
        count <= _BUTTONS_MAX,
        f"{question} leaves {count} legal moves to buttons, and a page has at most {_BUTTONS_MAX}; make more of them "
        "by touches or a code, or give the buttons if the others are made by several touches",
    )
    return [] if buttons is None else [move for text, move in left.items() if text not in buttons]


def _check_small(trail: Trail, small: Picture | None, picture: Picture, seat: Seat) -> None:
    """Check that a narrow screen, which shows the small picture, offers what a wide one does."""
    if small is None:
        return
    question = f"small_picture({seat})"
    _check_spots(trail, small, question)
    # A phone plays on the small picture.
    offers = [({touch.move for touch in each.touches}, each.code, each.buttons) for each in (small, picture)]
    trail.require(
        offers[0] == offers[1],
        f"{question} offers other moves than picture({seat}); give both the same touches, code and buttons",
    )


def _check_spots(trail: Trail, picture: Picture, question: str) -> frozenset[str]:
    """Check that every touch can be made, and in one way; give the moves."""
    touches: Any = picture.touches
    is_known = isinstance(touches, tuple) and all(isinstance(touch, Touch) for touch in touches)
    trail.require(is_known, f"{question} has the touches {touches!r}; give a tuple of gameserver.drawing.Touch")
    shown = {getattr(shape, "spot", "") for shape in picture.shapes}
    for touch in touches:
        for spot in touch.spots:
            is_named = is_line(spot) and spot and spot == spot.strip()
            trail.require(is_named, f"{touch!r} has the spot {spot!r}; name it in words that can be read aloud")
            trail.require(spot in shown, f"{touch!r} needs the spot {spot!r}; give a shape of {question} this spot")
    # Sorted, a way stands right before the ways that go on from it.
    for one, other in pairwise(sorted(touches, key=lambda touch: touch.spots)):
        trail.require(
            one.spots != other.spots[: len(one.spots)],
            f"{one!r} is made before {other!r} can be; no touch may begin with all the spots of another",
        )
    return frozenset(touch.move for touch in touches)


def _check_legal(trail: Trail, legal: Iterable[str], offered: Iterable[str], what: str) -> None:
    for text in offered:
        trail.require(text in legal, f"{what} {text!r}, which is no legal move as write_move has it; leave it out")


def _check_code(trail: Trail, game: Game[Any], legal: dict[str, Any], code: Any, question: str) -> set[str]:
    """Check that whatever is composed is legal; give the moves that can be."""
    composed: set[str] = set()
    if code is None:
        return composed
    is_code = isinstance(code, Code) and isinstance(code.purpose, Purpose)
    is_code = is_code and all(isinstance(value, CodeValue) for value in code.values)
    trail.require(is_code, f"{question} has the code {code!r}; give a gameserver.drawing.Code of CodeValues")
    texts = [value.text for value in code.values]
    well_named = all(is_line(text) for value in code.values for text in (value.text, value.name))
    trail.require(
        well_named and len(set(texts)) == len(texts),
        f"{question} has the values {code.values!r}; give each a text of its own in one line",
    )
    for row in product(texts, repeat=code.places):
        text = code.separator.join(row)
        try:
            written = game.write_move(game.read_move(text))
        except IllegalMove as error:
            raise trail.error(
                f"{question} composes {text!r}, which read_move refuses ({error}); let both agree"
            ) from error
        _check_legal(trail, legal, [written], f"{question} composes {text!r} for")
        composed.add(written)
    return composed


def _check_walk(trail: Trail, game: Game[Any], state: State[Any], seat: Seat, move: Any) -> None:
    """Check that touches and buttons, one after the other, lead where a move leads that is made by none of them."""
    wanted = _seen(played(trail, state, seat, move), seat)
    known = {_seen(state, seat)}
    waiting = [state]
    while waiting and len(known) <= _WALK_MAX:
        here = waiting.pop()
        picture = here.picture(seat)
        texts = () if picture is None else (*(touch.move for touch in picture.touches), *(picture.buttons or ()))
        for text in texts:
            there = played(trail, here, seat, game.read_move(text))
            seen = _seen(there, seat)
            if seen == wanted:
                return
            if seen not in known:
                known.add(seen)
                if seat in there.turn.seats and there.turn.number == state.turn.number:
                    waiting.append(there)
    trail.fail(
        f"picture({seat}) has no way to {game.write_move(move)!r}: no touches and buttons in a row lead to the "
        "same view; add a touch, or name it among the buttons"
    )


def _seen(state: State[Any], seat: Seat) -> str:
    return json.dumps(dict(state.view(seat)), sort_keys=True)
