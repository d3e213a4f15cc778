"""The kit lets a sound game pass, and catches each of the broken ones."""

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from attrs import define, evolve, field, frozen

from gameserver.game import IllegalMove, NoOptions
from gameserver.testing import ContractError, check_game
from gameserver.testing import game_kit as kit
from tests.games.heap_game import Heap, HeapGame, always, coded, variant
from tests.support.edits import read_edits

EDITS = dict(read_edits(Path(__file__).with_name("broken_games.txt").read_text("utf-8")))
COUNTER = count()


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


CHANGED = [
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
    ("a state can be changed", {"__setattr__": object.__setattr__}, {}, "can be changed"),
    ("states are unequal", {"__eq__": object.__eq__, "__hash__": None}, {}, "not equal"),
    ("repr tells the address", {"__repr__": object.__repr__}, {}, "tells an address"),
    ("a text by the serial number", {}, {"start": lambda g, o: Numbered(serial=next(COUNTER))}, "answers otherwise"),
    ("a state by the serial number", {}, {"state_type": Marked}, "unequal state"),
    ("no word for a draw", {}, {"draw_noun": ""}, "draw_noun"),
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
    ("an observation out of bounds", {}, coded(high=2), "give numbers from 0 to 2"),
    ("a strategy cheats", {}, {"strategies": {"three": always(3)}}, "picked 3"),
    ("a strategy crashes", {}, {"strategies": {"none": lambda s, seat, choose: choose([])}}, "IndexError"),
]
"""Attributes of the position and of the game that are replaced, and the kit's words."""


@pytest.fixture(autouse=True)
def _short_games(monkeypatch):
    monkeypatch.setattr(kit, "STEPS_MAX", 100)


@pytest.mark.parametrize("fault", EDITS)
def test_a_planted_fault_is_caught(fault):
    with EDITS[fault].applied(), pytest.raises(ContractError) as caught:
        check_game(variant(game=coded()))
    assert fault.partition(": ")[2] in str(caught.value)


@pytest.mark.parametrize(("state", "game", "words"), [pytest.param(*row, id=name) for name, *row in CHANGED])
def test_a_wrong_attribute_is_caught(state, game, words):
    with pytest.raises(ContractError) as caught:
        check_game(variant(state, game))
    assert words in str(caught.value)


def test_the_error_names_the_game_the_moves_and_the_problem():
    with EDITS["play refuses a legal move: refused a move"].applied(), pytest.raises(ContractError) as caught:
        check_game(HeapGame())
    error = caught.value
    assert isinstance(error, AssertionError)
    assert error.plugin == "Heap"
    draw, *moves = error.steps
    left = 3 + int(draw.removeprefix("draw:")) - sum(int(move.partition(":")[2]) for move in moves)
    assert left == 3
    assert [move.partition(":")[0] for move in moves] == ["0", "1", "0", "1"][: len(moves)]
    assert str(error) == f"Heap, after {' '.join(error.steps)}: {error.problem}"
    assert isinstance(error.__cause__, IllegalMove)


@pytest.mark.parametrize(("games_played", "starts"), [(0, 4), (3, 10)])
def test_as_many_games_as_asked_and_one_for_each_strategy_and_seat(games_played, starts):
    begun = []

    def start(self, options):
        assert options == NoOptions()
        begun.append(1)
        return Heap()

    check_game(variant(game={"start": start}), games_played=games_played)
    # Each game is played and replayed; two more starts are compared at first.
    assert len(begun) == 2 + starts


def test_a_game_may_have_numbers_for_agents():
    check_game(variant(game=coded()))


def test_views_may_be_any_mapping():
    class Row(dict):
        pass

    assert isinstance(Row(), Mapping)
    check_game(variant({"view": always(Row(left=(1, 2.5, None, True, "x", [])))}))


def test_a_game_may_say_how_the_random_player_plays():
    game = HeapGame()
    game.strategies = {"random": HeapGame.strategies["last"]}
    check_game(game)
    game.strategies = {"random": lambda state, seat, choose: 3}
    with pytest.raises(ContractError, match="the strategy 'random' for seat 0 picked 3"):
        check_game(game)
