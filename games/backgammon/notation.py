"""Notation of moves: `24/18 13/11`, `bar/20`, `6/off`, and the words around them.

Points go from 24 down to 1 as the mover counts. What students and programs write differs, so more is read than is
written: pairs without slashes (`24 18 13 11`), whole ways (`24/18/13`), repetitions (`13/11(2)`), commas, a star after
a hit, 25 and 0 for the bar and off the board, any case. Hops are kept in one order, the rearmost first, because their
order makes no difference to where they lead.

The reason of an illegal move is the rule, with the moves that are possible.
"""

import re
from enum import StrEnum
from itertools import pairwise

from games.backgammon.board import BackgammonBoard, Dice, Hop, Hops
from games.backgammon.variants import BAR, OFF, flag
from gameserver.game import IllegalMove, Seat


class Word(StrEnum):
    """A move of backgammon that moves no checker, such as `roll` or `double`."""

    ROLL = "roll"
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    UNDO = "undo"
    END = "end"


Move = Word | Hops

_HOPS_MAX = 4
"""A double has four dice."""

# Words that people use for the same, of backgammon and of GammonX.
_SYNONYMS = {"accept": Word.TAKE, "decline": Word.DROP, "pass": Word.END, **{word.value: word for word in Word}}
_PLACE = "bar|off|[0-9]{1,2}"
_WAY = re.compile(rf"(?:{_PLACE})\*?(?:/(?:{_PLACE})\*?)+(?:\([1-4]\))?")
_PAIRS = re.compile(rf"(?:{_PLACE})(?: (?:{_PLACE}))*")
# The longest turn, four checkers with all their stops, has less than half of it.
_LENGTH_MAX = 200
_HOW = "write each checker as from/to with points from 24 to 1, bar and off, such as 24/18 13/11"


def read_move(text: str) -> Move:
    """Reads a backgammon move as a player wrote it; `IllegalMove` where it is none in any position."""
    words = text.lower().replace(",", " ").split() if text.isascii() and len(text) <= _LENGTH_MAX else []
    line = " ".join(words)
    if line in _SYNONYMS:
        return _SYNONYMS[line]
    if words and all(_WAY.fullmatch(word) for word in words):
        hops = [hop for word in words for hop in _way(word)]
    elif _PAIRS.fullmatch(line) and len(words) % 2 == 0:
        places = [_place(word) for word in words]
        hops = list(zip(places[::2], places[1::2], strict=True))
    else:
        raise IllegalMove(f"{_HOW}; or one of {', '.join(Word)}")
    if len(hops) > _HOPS_MAX:
        raise IllegalMove(f"a roll moves at most {_HOPS_MAX} checkers")
    for source, target in hops:
        if not OFF <= target < source <= BAR:
            raise IllegalMove(f"{write_hops(((source, target),))} goes nowhere: checkers move from high points to low")
    return tuple(sorted(hops, reverse=True))


def _way(word: str) -> list[Hop]:
    """The hops of `24/18*/13` or `13/11(2)`."""
    way, _, times = word.rstrip(")").partition("(")
    places = [_place(each) for each in way.replace("*", "").split("/")]
    return list(pairwise(places)) * int(times or 1)


def _place(word: str) -> int:
    return {"bar": BAR, "off": OFF}[word] if word in {"bar", "off"} else min(int(word), BAR + 1)


def write_move(move: Move) -> str:
    """Writes a backgammon move in its one spelling."""
    return move.value if isinstance(move, Word) else write_hops(move)


def write_hops(hops: Hops) -> str:
    """Writes the ways of checkers in backgammon's notation, in the mover's numbers."""
    return " ".join(f"{write_place(source)}/{write_place(target)}" for source, target in hops)


def split_said(said: str, starred: str = "hit") -> tuple[str, str]:
    """Splits the steps, in notation, off the beginning of what a backgammon state says; the rest is what follows.

    `starred` is the word for a step with a star.
    """
    first, _, rest = said.partition(", ")
    if not first or not all(map(_WAY.fullmatch, first.split())):
        return "", said
    steps = [step.replace("/", " to ") for step in first.split()]
    return ", ".join(f"{step[:-1]} with a {starred}" if step.endswith("*") else step for step in steps), rest


def write_place(place: int) -> str:
    """Writes a place of the backgammon board as the mover counts."""
    return {BAR: "bar", OFF: "off"}.get(place, str(place))


_SHOWN_MAX = 12
"""Legal steps that a refusal names at most."""


def why_not(position: BackgammonBoard, seat: Seat, dice: Dice, hops: Hops) -> str:
    """Explains in one line, in the notation of moves, why backgammon's hops cannot be played."""
    return f"{_rule(position, seat, dice, hops)}; possible with {write_dice(dice)}: {_possible(position, seat, dice)}"


def write_dice(dice: Dice) -> str:
    """Writes backgammon dice as they are told to players."""
    return " ".join(map(str, dice))


def _possible(position: BackgammonBoard, seat: Seat, dice: Dice) -> str:
    steps = position.search(seat).steps(position.checkers[seat], dice)
    found = sorted({step.hop for step, _, _ in steps}, reverse=True)
    return write_hops(tuple(found[:_SHOWN_MAX])) + (" ..." if len(found) > _SHOWN_MAX else "")


def _rule(position: BackgammonBoard, seat: Seat, dice: Dice, hops: Hops) -> str:
    if len(hops) > len(dice):
        return f"{len(hops)} moves are too many for the dice"
    if position.variant.enters_first and position.count(seat, BAR) and all(source != BAR for source, _ in hops):
        return "your checker on the bar has to enter first, as bar/point"
    arrived = {target for _, target in hops}
    blocked = position.blocked(seat)
    for source, target in hops:
        hop = write_hops(((source, target),))
        if not position.count(seat, source) and source not in arrived:
            return f"{hop} is not possible: you have no checker on {write_place(source)} that can move"
        if target != OFF and blocked & flag(target):
            return f"{hop} is not possible: {target} is blocked"
    if OFF in arrived and not position.is_home(seat) and len(hops) == 1:
        return "checkers may go off only when all of yours are on points 6 to 1"
    if position.variant.runs_first:
        return (
            "the move does not fit (your runner must pass the other side's start first; never hold all points 12 to 7)"
        )
    return (
        "the move does not fit (as many dice as possible have to be played, the higher one if only one of two can be)"
    )
