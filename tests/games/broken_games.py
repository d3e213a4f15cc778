"""Broken games, each with the words by which the contract kit tells its fault."""

import random
from itertools import count
from typing import Any

from attrs import define, evolve, field, frozen

from gameserver.drawing import Disc, Label, Line, Paint, Picture, Side
from gameserver.game import Chance, IllegalMove, Outcome, State, Turn
from tests.games.heap_game import Heap, always, coded, fussy, won_by

COUNTER = count()


def drawn(*shapes, text="a heap"):
    return Picture(100, 100, shapes, text)


def prop(value):
    return property(always(value))


def spoil(self, seat, move):
    object.__setattr__(self, "left", Heap.play(self, seat, move).left)
    return self


def careless(self, seat, move):
    """Looks at neither the turn nor the rules."""
    return evolve(self, left=max(0, self.left - move), number=self.number + 1)


def out_of_turn(self, seat, move):
    if self.left and self.left >= move:
        return Heap.play(self, self.number % 2, move)
    return Heap.play(self, seat, move)


def blunt(self, seat, move):
    if move not in self.legal_moves(seat):
        raise ValueError("no")
    return Heap.play(self, seat, move)


def by_luck(self, seat, move):
    after = Heap.play(self, seat, move)
    return evolve(after, left=after.left - random.randrange(2)) if after.left > 1 else after


def after_the_end(self, seat, move):
    return self if self.left == 0 else Heap.play(self, seat, move)


def while_the_die_rolls(self, seat, move):
    return self if self.left is None else Heap.play(self, seat, move)


def python_int(self, text):
    if int(text) not in {1, 2}:
        raise IllegalMove("take 1 or 2")
    return int(text)


def any_int(self, text):
    if not text.isdigit() or len(text) > 9:
        raise IllegalMove("take 1 or 2")
    return int(text)


def parrot(self, text):
    if text not in {"1", "2"}:
        raise IllegalMove(f"cannot read {text}")
    return int(text)


def curt(self, seat, move):
    if move not in self.legal_moves(seat):
        raise IllegalMove
    return Heap.play(self, seat, move)


def endless(self, seat, move):
    Heap.play(self, seat, move)
    return evolve(self, number=self.number + 1)


def only_seats(self, viewer):
    return {"yours": {0: 1, 1: 2}[viewer]}


@frozen
class NeedsArguments:
    size: int


@define
class Changeable:
    size: int = 3


@frozen
class Refused:
    size: int = field(default=0, validator=lambda *args: 1 / args[2])


@frozen
class Unsaved:
    call: object = len


@frozen
class SavedAsList:
    sizes: Any = (1, 2)


@frozen(eq=False)
class Unequal:
    size: int = 3


@frozen
class Numbered(Heap):
    """Its text tells what its comparison does not."""

    serial: int = field(default=0, eq=False)


@frozen
class Marked(Heap):
    """Its comparison knows what its text does not tell."""

    serial: int = field(default=0, repr=False)

    def play(self, seat, move):
        return evolve(Heap.play(self, seat, move), serial=next(COUNTER))


BROKEN = [
    ("a name with a quote", {}, {"name": 'Heap "1"'}, "name"),
    ("a name with blanks", {}, {"name": " Heap"}, "name"),
    ("one seat", {}, {"seats": 1}, "seats is 1"),
    ("no version", {}, {"version": 0}, "version"),
    ("options are no attrs class", {}, {"options_type": dict}, "attrs class"),
    ("options without defaults", {}, {"options_type": NeedsArguments}, "NeedsArguments() without arguments"),
    ("options refuse their defaults", {}, {"options_type": Refused}, "Refused() without arguments"),
    ("options can be changed", {}, {"options_type": Changeable}, "Changeable can be changed"),
    ("options are unequal", {}, {"options_type": Unequal}, "Unequal() are unequal"),
    ("options come back otherwise", {}, {"options_type": SavedAsList}, "as something else"),
    ("options cannot be saved", {}, {"options_type": Unsaved}, "cannot be saved"),
    ("strategies in a list", {}, {"strategies": [("last", len)]}, "must be a mapping"),
    ("a strategy of two words", {}, {"strategies": {"very good": len}}, "one printable word"),
    ("a strategy is no function", {}, {"strategies": {"last": "last"}}, "must be a function"),
    ("exports in a list", {}, {"exports": ["sgf"]}, "exports must be a mapping"),
    ("an export is no file's ending", {}, {"exports": {".sgf": len}}, "must be a file's ending"),
    ("an export is no function", {}, {"exports": {"sgf": "sgf"}}, "must be a function"),
    ("the start is no state", {}, {"start": always(3)}, "no gameserver.game.State"),
    ("starts differ", {}, {"start": lambda self, options: Heap(3 + random.randrange(10**9))}, "start() gave two"),
    ("a state can be changed", {"__setattr__": object.__setattr__}, {}, "can be changed"),
    ("states are unequal", {"__eq__": object.__eq__, "__hash__": None}, {}, "not equal"),
    ("repr tells the address", {"__repr__": object.__repr__}, {}, "tells an address"),
    ("turn is no turn", {"turn": prop(3)}, {}, "give a Turn"),
    ("a seat that is not there", {"turn": prop(Turn(0, (2,)))}, {}, "from 0 to 1"),
    ("acting while a draw is due", {"turn": prop(Turn(0, (0,)))}, {}, "a draw is due"),
    ("nobody acts", {"chance": prop(None)}, {}, "nobody is to act"),
    ("acting at the end", {"turn": property(lambda s: Turn(s.number, () if s.left is None else (0,)))}, {}, "over but"),
    (
        "numbers fall",
        {"turn": property(lambda s: Turn(99 - s.number, (s.number % 2,) if s.left else ()))},
        {},
        "number fell",
    ),
    ("one number for all", {"turn": property(lambda s: Turn(0, (s.number % 2,) if s.left else ()))}, {}, "passed on"),
    ("chance is no chance", {"chance": prop(6)}, {}, "give a Chance"),
    (
        "a draw at the end",
        {"chance": property(lambda s: None if s.left else Chance(1, 6))},
        {},
        "over but waits for a draw",
    ),
    ("no drawn", {"drawn": State.drawn}, {}, "asks for no draw"),
    ("drawn gives nothing", {"drawn": always(None)}, {}, "the State after the draw"),
    ("drawn fails at the highest", {"drawn": lambda s, v: Heap(10 // (6 - v[0]))}, {}, "ZeroDivisionError"),
    ("moves for whoever asks", {"legal_moves": lambda s, seat: (1,) if s.left else ()}, {}, "must be empty"),
    ("no moves", {"legal_moves": always(())}, {}, "is empty though"),
    ("a move twice", {"legal_moves": lambda s, seat: 2 * Heap.legal_moves(s, seat)}, {}, "twice"),
    ("moves without order", {"legal_moves": lambda s, seat: set(Heap.legal_moves(s, seat))}, {}, "is a set"),
    ("moves at the end", {"legal_moves": lambda s, seat: () if s.left or s.left is None else (1,)}, {}, "empty"),
    ("moves raise", {"legal_moves": lambda s, seat: range(s.left)}, {}, "legal_moves(0) raised TypeError"),
    ("play changes the state", {"play": spoil}, {}, "moves were tried"),
    ("play checks nothing", {"play": careless}, {}, "does not list"),
    ("play does not look who plays", {"play": out_of_turn}, {}, "does not list"),
    ("play raises another error", {"play": blunt}, {}, "raised ValueError (no); raise IllegalMove"),
    ("play refuses a legal move", {"play": fussy}, {}, "refused a move"),
    ("play crashes", {"play": lambda s, seat, move: s.nothing}, {}, "AttributeError"),
    ("play gives nothing", {"play": always(None)}, {}, "gave None"),
    ("play goes on after the end", {"play": after_the_end}, {}, "does not list"),
    ("play goes on during a draw", {"play": while_the_die_rolls}, {}, "does not list"),
    ("play throws dice", {"play": by_luck}, {}, "replay"),
    ("a text by the serial number", {}, {"start": lambda g, o: Numbered(serial=next(COUNTER))}, "answers otherwise"),
    ("a state by the serial number", {}, {"state_type": Marked}, "unequal state"),
    ("no end", {"play": endless}, {}, "no end"),
    (
        "points for one seat",
        {"outcome": property(lambda s: Outcome((1,), (0,)) if s.left == 0 else None)},
        {},
        "points",
    ),
    ("points are floats", {"resigned": always(Outcome((0.5, 0.5), ()))}, {}, "points"),
    ("a winner who is not there", {"resigned": always(Outcome((0, 0), (2,)))}, {}, "winners"),
    ("who resigns wins", {"resigned": lambda s, seat: won_by(seat)}, {}, "who gives up"),
    ("no resigning at the end", {"resigned": lambda s, seat: s.left != 0 and won_by(1 - seat)}, {}, "give an Outcome"),
    ("a reason of two lines", {"resigned": lambda s, seat: Outcome((0, 0), (), "a\nb")}, {}, "the reason"),
    ("a view for seats only", {"view": only_seats}, {}, "view(None) raised KeyError"),
    ("a view that is a list", {"view": always([])}, {}, "give a mapping"),
    ("a view with a set", {"view": always({"free": {1}})}, {}, "view(0)"),
    ("a view with numbers for keys", {"view": always({"cells": {1: "X"}})}, {}, "view(0)"),
    ("a view with a bitboard", {"view": always({"cells": 1 << 63})}, {}, "2**53"),
    ("a view with an infinity", {"view": always({"left": float("inf")})}, {}, "view(0)"),
    ("a board with a bell", {"board": always("left \a")}, {}, "board(0)"),
    ("an empty board", {"board": always("")}, {}, "board(0)"),
    ("a prompt with a quote", {"prompt": always('say "1"')}, {}, "prompt("),
    ("no prompt", {"prompt": always(None)}, {}, "prompt("),
    ("a reaction of two lines", {"reaction": always("a\nb")}, {}, "reaction(0)"),
    ("a picture that is text", {"picture": always("left: 3")}, {}, "Picture, or None"),
    ("a picture told in two lines", {"picture": always(drawn(text="a\nb"))}, {}, "in one line"),
    ("a picture of something else", {"picture": always(drawn("a line"))}, {}, "cannot be drawn"),
    ("a disc without a size", {"picture": always(drawn(Disc(1, 1, None)))}, {}, "cannot be drawn"),
    ("a line to infinity", {"picture": always(drawn(Line(((0, 0), (1, float("inf"))))))}, {}, "cannot be drawn"),
    ("a label of two lines", {"picture": always(drawn(Label(1, 1, "a\nb")))}, {}, "cannot be drawn"),
    ("another picture each time", {"picture": lambda s, viewer: drawn(Disc(next(COUNTER), 1, 1))}, {}, "picture was"),
    ("a last move at the start", {"picture": always(drawn(Disc(1, 1, 1, Paint.LAST)))}, {}, "at the start"),
    ("a small picture that is text", {"small_picture": always("left: 3")}, {}, "small_picture(None) is"),
    ("one side of two", {"sides": always((Side("black"),))}, {}, "for each of 2 seats"),
    ("sides that are texts", {"sides": always(("black", "white"))}, {}, "gameserver.drawing.Side"),
    ("a score in words", {"sides": always((Side(score="few"), Side()))}, {}, "an integer as score"),
    ("a side in two lines", {"sides": always((Side("a\nb"), Side()))}, {}, "in one line"),
    ("other sides each time", {"sides": lambda s, viewer: (Side(score=next(COUNTER)), Side())}, {}, "sides was"),
    ("no word for a draw", {}, {"draw_noun": ""}, "draw_noun"),
    ("reading raises another error", {}, {"read_move": python_int}, "raise IllegalMove, and nothing else"),
    ("reading takes odd digits", {}, {"read_move": any_int}, "'\\xb2'"),
    ("reading repeats bad text", {}, {"read_move": parrot}, "quoting bad text"),
    ("an error without a text", {"play": curt}, {}, "say in a line"),
    ("its own writing cannot be read", {}, {"write_move": lambda self, move: f"take {move}"}, "must read what"),
    ("read as another move", {}, {"read_move": lambda self, text: 1}, "it must be 2"),
    ("written with a line end", {}, {"write_move": lambda self, move: f"{move}\n"}, "a line of text"),
    ("one number for all moves", {}, {"move_number": always(1)}, "read_move('1')"),
    ("a number below 0", {}, {"move_number": lambda self, move: -move}, "from 0"),
    ("a number that cannot be read", {}, {"move_number": lambda self, move: move + 1}, "move_number"),
    ("seen with a quote", {}, {"seen": always('"1"')}, "seen(by="),
    ("a draw seen as nothing", {}, {"seen_draw": always("")}, "seen_draw((1,)"),
    ("a guide with a tab", {}, {"guide": "a\tb"}, "the guide must be printable lines"),
    ("rules that are no text", {}, {"how_to_play": ("a", "b")}, "how_to_play must be printable lines"),
    ("a text for aliases", {}, {"aliases": "Othello"}, "must be a tuple"),
    ("an alias with a tab", {}, {"aliases": ("a\tb",)}, "must be a tuple of printable names"),
    ("an export crashes", {}, {"exports": {"txt": lambda match: match.games[1]}}, "IndexError"),
    ("an export writes no text", {}, {"exports": {"txt": lambda match: None}}, "gave None"),
    ("an export ends amid a line", {}, {"exports": {"txt": lambda match: "one\ntwo"}}, "ends its last line"),
    ("a coding that is no coding", {}, {"coding": always(2)}, "give a gameserver.game.Coding"),
    ("a coding without actions", {}, coded(actions=None), "has None actions"),
    ("a coding in a shape of texts", {}, coded(shape=("9",)), "the shape ('9',)"),
    ("a coding from 9 to 9", {}, coded(low=9), "low must be below its high"),
    ("a move beyond the actions", {}, coded(number=lambda self, state, seat, move: move), "from 0 to 1"),
    ("a number for two moves", {}, coded(number=lambda self, state, seat, move: 0), "the same number"),
    ("no move with a number", {}, coded(number=lambda self, state, seat, move: None), "give one at least"),
    (
        "the number of a move changes",
        {},
        coded(actions=3, number=lambda self, state, seat, move: move - (state.left < 3)),
        "was 1 in another position; give it always the same",
    ),
    (
        "a number is used again",
        {"legal_moves": lambda s, seat: Heap.legal_moves(s, seat)[-1 if s.left > 3 else 0 :] if s.left else ()},
        coded(number=lambda self, state, seat, move: int(state.left <= 3 and move == 2)),
        "in another position; never reuse one",
    ),
    ("moves without their numbers", {}, coded(moves=lambda self, state, seat: {}), "give the legal moves that have"),
    ("an observation of two numbers", {}, coded(observation=lambda self, state, seat: (1, 1)), "its shape takes 1"),
    ("an observation out of bounds", {}, coded(high=2), "give numbers from 0 to 2"),
    ("an observation fails at the end", {}, coded(observation=lambda self, s, seat: (9 / s.left,)), "ZeroDivision"),
    ("a strategy cheats", {}, {"strategies": {"three": always(3)}}, "picked 3"),
    ("a strategy crashes", {}, {"strategies": {"none": lambda s, seat, choose: choose([])}}, "IndexError"),
]
