"""The printed tables, and what they promise for every size."""

from collections import Counter

import pytest

from gameserver.tournaments.round_robin import berger_table

# The tables as federations print them (FIDE Handbook C.05, annex 1): first number, first seat.
PRINTED = {
    4: "1-4 2-3 / 4-3 1-2 / 2-4 3-1",
    6: "1-6 2-5 3-4 / 6-4 5-3 1-2 / 2-6 3-1 4-5 / 6-5 1-4 2-3 / 3-6 4-2 5-1",
    8: (
        "1-8 2-7 3-6 4-5 / 8-5 6-4 7-3 1-2 / 2-8 3-1 4-7 5-6 / 8-6 7-5 1-4 2-3"
        " / 3-8 4-2 5-1 6-7 / 8-7 1-6 2-5 3-4 / 4-8 5-3 6-2 7-1"
    ),
}


def as_printed(players: int) -> str:
    return " / ".join(" ".join(f"{a}-{b}" for a, b in boards) for boards in berger_table(players))


@pytest.mark.parametrize("players", PRINTED)
def test_the_printed_tables(players):
    assert as_printed(players) == PRINTED[players]


def test_an_odd_field_is_the_table_above_it_without_its_last_number():
    assert as_printed(5) == "2-5 3-4 / 5-3 1-2 / 3-1 4-5 / 1-4 2-3 / 4-2 5-1"


@pytest.mark.parametrize("players", [0, 1])
def test_nobody_to_meet(players):
    assert berger_table(players) == ()


@pytest.mark.parametrize("players", range(2, 61))
def test_everybody_meets_everybody_once_with_balanced_seats(players):
    table = berger_table(players)
    pairs = Counter(frozenset(board) for boards in table for board in boards)
    assert len(pairs) == players * (players - 1) // 2
    assert set(pairs.values()) == {1}
    for boards in table:
        seated = [number for board in boards for number in board]
        assert len(seated) == len(set(seated)) == players - players % 2
    first = Counter(board[0] for boards in table for board in boards)
    second = Counter(board[1] for boards in table for board in boards)
    differences = [abs(first[number] - second[number]) for number in range(1, players + 1)]
    assert max(differences) == (0 if players % 2 else 1)
