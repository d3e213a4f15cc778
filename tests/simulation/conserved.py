"""Stones, discs and checkers: none comes from nowhere, none is gone."""

from collections.abc import Callable, Mapping
from typing import Any

from gameserver.core.match import Match
from tests.simulation.violation import Violation

CHECKERS = 15
FAMILY = ("Backgammon", "Tavla", "Portes", "Plakoto", "Fevga")


def check_conserved(match: Match) -> None:
    """Hold the position of a live match against its moves."""
    rule = _RULES.get(match.game.name)
    view: Any = match.state.view(None)
    if rule is not None and not rule(view, sum(step.seat is not None for step in match.moves)):
        raise Violation("stones are conserved", f"match {match.id} after {len(match.moves)} steps: {view}")


def _stones(view: Any, moves: int) -> bool:
    """One stone a move, in turns."""
    stones = "".join(row for layer in view["layers"] for row in layer)
    taken = [stones.count(mark) for mark in sorted(set(stones) - {"."})]
    return sum(taken) == moves and (not taken or max(taken) - (min(taken) if len(taken) > 1 else 0) <= 1)


def _discs(view: Any, moves: int) -> bool:
    """Four at the start, and one a move; how many are whose changes all the time."""
    return bool(view["black"] + view["white"] == 4 + moves)


def _checkers(view: Any, _: int) -> bool:
    """Fifteen on each side: on the points, pinned, on the bar, off."""
    places = (*view["fields"], *(view["pinned"] or ()))
    white, black = -sum(n for n in places if n < 0), sum(n for n in places if n > 0)
    return all(
        on_board + view["bar"][seat] + view["off"][seat] == CHECKERS for seat, on_board in enumerate((white, black))
    )


_RULES: Mapping[str, Callable[[Any, int], bool]] = {
    "Connect-four-3D": _stones,
    "Reversi": _discs,
    **dict.fromkeys(FAMILY, _checkers),
}
