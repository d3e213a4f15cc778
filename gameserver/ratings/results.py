"""Results of games, from which every measure starts."""

from collections.abc import Iterable

Result = tuple[str, str, int]
"""Two players, and what the first of them got in halves of a game: 2 a win, 1 a draw, 0 a loss.

Only what was played and had a winner or a draw belongs here: byes, no-shows and games that both lost
tell nothing of how good anybody is.
"""


def players_of(results: Iterable[Result]) -> tuple[str, ...]:
    """Everybody in these results, in the order in which they come up."""
    return tuple(dict.fromkeys(name for one, other, _ in results for name in (one, other)))


def check(results: Iterable[Result]) -> None:
    """Raise ValueError for a result that cannot be."""
    for one, other, halves in results:
        if one == other or halves not in (0, 1, 2):
            raise ValueError(f"not a result between two players: {one!r}, {other!r}, {halves!r} halves")
