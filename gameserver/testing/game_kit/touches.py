"""The contract for playing by touch: what a seat's picture offers is legal, and every legal move can be made.

A legal move is touched, composed as a code, or offered as a button. A picture that says which buttons it wants
leaves out the moves that are made by several touches; of those one is tried in a few positions.
"""

import json
import random
from collections.abc import Iterable, Sequence
from itertools import pairwise, product
from typing import Any

from gameserver.drawing import Code, CodeValue, Picture, Purpose, Touch
from gameserver.game import Game, IllegalMove, Seat, State
from gameserver.testing.contract import Trail, is_line
from gameserver.testing.game_kit.moves import played
from gameserver.testing.game_kit.positions import Answers, check_picture

BUTTONS_MAX = 200
"""The most legal moves that a page offers as buttons."""

WALK_MAX = 2_000
"""The most positions that are looked at for a way to a move by several touches."""


def check_touches(
    trail: Trail, game: Game[Any], state: State[Any], answers: Answers, chance: random.Random, *, walks: bool
) -> bool:
    """Check every viewer's pictures. Where `walks`, a move of several touches is looked for; True if there was one."""
    for picture in (answers.picture, answers.small_picture):
        _check_untouchable(trail, picture, "None")
    has_walked = False
    for seat, moves in enumerate(answers.moves):
        picture = check_picture(trail, state, "picture", seat, answers.picture)
        if picture is None or not moves:
            _check_untouchable(trail, picture, str(seat))
            continue
        left = _check_offers(trail, game, moves, picture, seat)
        _check_small(trail, check_picture(trail, state, "small_picture", seat, answers.small_picture), picture, seat)
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
        count <= BUTTONS_MAX,
        f"{question} leaves {count} legal moves to buttons, and a page has at most {BUTTONS_MAX}; make more of them "
        "by touches or a code, or give the buttons if the others are made by several touches",
    )
    return [] if buttons is None else [move for text, move in left.items() if text not in buttons]


def _check_small(trail: Trail, small: Picture | None, picture: Picture, seat: Seat) -> None:
    """Check that a narrow screen, which shows the small picture, offers what a wide one does."""
    if small is None:
        return
    question = f"small_picture({seat})"
    _check_spots(trail, small, question)
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
    while waiting and len(known) <= WALK_MAX:
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
