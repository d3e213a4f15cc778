"""Known facts: what single dice can do, and the dice of a move, row by row from `known/`."""

import re
from pathlib import Path

import pytest

from games.backgammon.fields import place_of
from games.backgammon.variants import BAR, OFF, VARIANTS
from tests.games.backgammon.positions import board_of

FOLDER = Path(__file__).parent / "known"
SEATS = {"white": 0, "black": 1}


def rows(name):
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def fields(text):
    """Signed counts by field: white is negative."""
    return [(int(field), int(count)) for field, count in re.findall(r"(\d+):(-?\d+)", text)]


def position(variant, text):
    standing, *others = text.split(", ")
    parts = {"pinned": ""} | dict(part.split(" ", 1) for part in others)
    sides, pins = [], []
    for seat, sign in enumerate((-1, 1)):
        bar, off = (int(parts[word].split()[seat]) for word in ("bar", "off"))
        side, pinned = (
            {place_of(variant, seat, field): sign * count for field, count in fields(each) if sign * count > 0}
            for each in (standing, parts["pinned"])
        )
        sides.append({**side, BAR: bar, OFF: off})
        pins.append(pinned)
    return board_of(variant, sides, pins)


@pytest.mark.parametrize("row", rows("steps.txt"))
def test_steps(row):
    who, where, facts = row.split(" | ")
    name, colour = who.split()
    variant, seat = VARIANTS[name], SEATS[colour]
    board = position(variant, where)
    for fact in facts.split("; "):
        source, _, die, answer = fact.split(" ", 3)
        place = place_of(variant, seat, int(source))
        steps = [step for step, _ in board.search(seat).reach(board.checkers[seat], int(die)) if step.source == place]
        found = [step for step in steps if step.target == OFF] if "off" in answer else steps
        assert bool(found) == (answer in {"can", "off"}), fact


GROUPS = {"all": VARIANTS, "mirrored": [name for name in VARIANTS if name != "Fevga"]}


@pytest.mark.parametrize(
    ("name", "row"), [(name, row) for row in rows("moves.txt") for name in GROUPS[row.split(maxsplit=1)[0]]]
)
def test_moves(name, row):
    who, where, facts = row.split(" | ")
    _, colour, *dice = who.split()
    variant, seat = VARIANTS[name], SEATS[colour]
    board = position(variant, where)
    for fact in facts.split("; "):
        ends, *used = fact.split()
        hop = tuple(place_of(variant, seat, int(end)) for end in ends.split("/"))
        steps = board.search(seat).resolve(board.checkers[seat], tuple(map(int, dice)), (hop,))
        if used == ["-"]:
            assert steps is None, fact
        else:
            assert steps is not None, fact
            assert sorted(step.die for step in steps) == list(map(int, used)), fact
            assert (steps[0].source, steps[-1].target) == hop
