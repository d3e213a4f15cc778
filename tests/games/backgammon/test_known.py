"""Known facts: what single dice can do, orders of play, and the dice of a move, row by row from `known/`."""

import hashlib
import re
from pathlib import Path

import pytest

from games.backgammon.fields import board_from_fields, numbering, place_of
from games.backgammon.variants import OFF, VARIANTS

FOLDER = Path(__file__).parent / "known"
SEATS = {"white": 0, "black": 1}


def rows(name):
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def fields(text):
    board = [0] * 24
    for field, count in re.findall(r"(\d+):(-?\d+)", text):
        board[int(field)] = int(count)
    return board


def position(variant, text):
    parts = dict.fromkeys(("bar", "off", "pinned"), "0 0")
    standing, *others = text.split(", ")
    parts |= dict(part.split(" ", 1) for part in others)
    bar, off = (tuple(map(int, parts[word].split())) for word in ("bar", "off"))
    return board_from_fields(variant, fields(standing), bar, off, fields(parts["pinned"]))


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


@pytest.mark.parametrize("row", rows("sequences.txt"))
def test_sequences(row):
    who, where, expected = row.split(" | ")
    name, colour, *dice = who.split()
    variant, seat = VARIANTS[name], SEATS[colour]
    sequences = position(variant, where).sequences(seat, tuple(sorted(map(int, dice))))
    lines = [
        " ".join("/".join(str(numbering(variant, seat)[place]) for place in step.hop) for step in sequence)
        for sequence in sequences
    ]
    number, digest = expected.split()
    assert len(lines) == int(number)
    assert digest in {"-", hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]}


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
