"""Berger tables: the round robin schedule that chess federations print, for any number of players.

With N players (an odd field is filled up with a number that nobody has), i and j below N meet in the
round that i + j - 1 leaves over N - 1, and i meets N in the round of i + i - 1. The first seat goes
to the lower number where i + j is odd, else to the higher; against N the lower half has it. So nobody
has one seat more than once oftener than the other, and with an odd field everybody has both alike.
"""

from functools import lru_cache

Board = tuple[int, int]
"""Two numbers, from 1; the first has the first seat."""


@lru_cache(maxsize=64)
def berger_table(players: int) -> tuple[tuple[Board, ...], ...]:
    """The rounds of a single round robin, each with its boards in the printed order. Fewer than 2: no rounds."""
    if players < 2:
        return ()
    size = players + players % 2
    rounds = (_round(number, size) for number in range(1, size))
    return tuple(tuple(board for board in boards if max(board) <= players) for boards in rounds)


def _round(number: int, size: int) -> tuple[Board, ...]:
    circle = size - 1
    meets_last = next(player for player in range(1, size) if (2 * player - 1 - number) % circle == 0)
    boards = [(meets_last, size) if meets_last <= size // 2 else (size, meets_last)]
    for step in range(1, size // 2):
        one = (meets_last - 1 + step) % circle + 1
        other = (meets_last - 1 - step) % circle + 1
        boards.append(_seated(one, other))
    return tuple(boards)


def _seated(one: int, other: int) -> Board:
    low, high = min(one, other), max(one, other)
    return (low, high) if (low + high) % 2 else (high, low)
