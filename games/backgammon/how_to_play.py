"""The rules of each game of the family for a person who plays it in a browser, a paragraph each."""

from collections.abc import Mapping

from games.backgammon.variants import Contact, Variant

_TURN = (
    "Each turn you roll two dice, and move a checker by each number: two checkers, or one checker twice. The same "
    "number on both dice is played four times. Play as many of the numbers as you can."
)
_WAY: Mapping[Contact, str] = {
    Contact.HITS: (
        "Your checkers go one way round the board, from point 24 down to 1, and the other side's the opposite way."
    ),
    Contact.PINS: (
        "All your checkers start on your point 24 and go down to 1, and the other side's go the opposite way."
    ),
    Contact.BLOCKS: (
        "Both sides go the same way round, half a board apart: yours from point 24 down to 1. Nothing is hit."
    ),
}
_MEETING: Mapping[Contact, str] = {
    Contact.HITS: (
        "Two checkers or more hold a point: the other side cannot land there. A single checker can be hit. It goes"
        " to the bar in the middle, and has to enter again, in the other side's home, before its player may move "
        "anything else."
    ),
    Contact.PINS: (
        "Two checkers or more hold a point: the other side cannot land there. A single checker is not hit but "
        "pinned: it cannot move while one of the other side stands on it, and that one holds the point. Watch the "
        "last checker on your start: if it is pinned, the game is all but lost, and if both sides' are, it is a "
        "draw."
    ),
    Contact.BLOCKS: (
        "A single checker holds a point: the other side cannot land there. At first one checker goes alone, until "
        "it is past the other side's start; then the others may follow. You may not close all six points of the "
        "other side's start."
    ),
}
_AIM = (
    "When all your checkers are in the last six points, your home, you take them off by the numbers of the dice, "
    "and whoever has taken all fifteen off first wins."
)
_GAMMON = "The victory counts double (a gammon) if the other side has taken no checker off"
_TRIPLE = ", and three times (a backgammon) if it even has a checker in your home or on the bar"
_CUBE_RULE = (
    "Before you roll you may offer to double the stake. The other side drops, and loses the stake as it was, or "
    "takes: then it alone may double next."
)
WAY_TO_TOUCH = (
    "Touch a checker, then the point where it is to go, or drag it there; the bar in the middle and the tray "
    "beside the board count as points. Everything else is a button by the board."
)


def paragraphs(variant: Variant) -> tuple[str, ...]:
    """A turn, what happens where checkers meet, the end, and what to touch."""
    turn = f"{_WAY[variant.contact]} {_TURN}"
    end = f"{_AIM} {_GAMMON}{_TRIPLE if variant.has_triple else ''}."
    return (turn, _MEETING[variant.contact], end, *((_CUBE_RULE,) if variant.has_cube else ()), WAY_TO_TOUCH)
