"""The reason why a written move is illegal: the rule, and the moves that are possible."""

from games.backgammon.board import Board
from games.backgammon.lanes import BAR, OFF, flag
from games.backgammon.notation import write_hops, write_place
from games.backgammon.search import Dice, Hops
from gameserver.game import Seat

_SHOWN_MAX = 12
"""Legal steps that a refusal names at most."""


def why_not(position: Board, seat: Seat, dice: Dice, hops: Hops) -> str:
    """One line about hops that `Search.resolve` found no steps for."""
    return f"{_rule(position, seat, dice, hops)}; possible with {write_dice(dice)}: {_possible(position, seat, dice)}"


def write_dice(dice: Dice) -> str:
    """Dice as they are told to players."""
    return " ".join(map(str, dice))


def _possible(position: Board, seat: Seat, dice: Dice) -> str:
    steps = position.search(seat).steps(position.checkers[seat], dice)
    found = sorted({step.hop for step, _, _ in steps}, reverse=True)
    return write_hops(tuple(found[:_SHOWN_MAX])) + (" ..." if len(found) > _SHOWN_MAX else "")


def _rule(position: Board, seat: Seat, dice: Dice, hops: Hops) -> str:
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
