"""The value of boards at the end of a turn: an end of the game exactly, all others by the network."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from games.backgammon.board import Board
from games.backgammon.lanes import BAR, CHECKERS, flag, occupied, one_at, places
from games.backgammon.network import Network, Odds
from games.backgammon.networks import blocks, hits, pins
from games.backgammon.scoring import MOTHER, Victory, ending_of
from games.backgammon.search import Dice, Sequence
from games.backgammon.variants import Contact, Variant
from gameserver.game import Seat

_WEIGHTS = {Contact.HITS: hits, Contact.PINS: pins, Contact.BLOCKS: blocks}

DRAWN = Odds(0.5, 0, 0)


class End(NamedTuple):
    """A possible end of a turn, as the mover sees it: both sides' free and pinned checkers, and a way there."""

    own: int
    other: int
    own_pinned: int
    other_pinned: int
    way: Sequence

    def board(self, variant: Variant, seat: Seat) -> Board:
        """As a board, where `seat` has moved."""
        if seat == 0:
            return Board(variant, (self.own, self.other), (self.own_pinned, self.other_pinned))
        return Board(variant, (self.other, self.own), (self.other_pinned, self.own_pinned))


class Valued(NamedTuple):
    """A possible end of a turn and its worth to the mover, in points without a cube."""

    equity: float
    end: End
    odds: Odds


@cache
def network_of(variant: Variant) -> Network:
    """The network of a game. It is made when it is asked for the first time: that takes 30 ms."""
    weights = _WEIGHTS[variant.contact]
    return Network(
        weights.TEXT, weights.HIDDEN, has_pins=variant.contact is Contact.PINS, has_triple=variant.has_triple
    )


def odds_of(board: Board, seat: Seat) -> Odds:
    """The chances of the side that has just moved; the other side is to roll."""
    ending = ending_of(board)
    if ending is not None:
        return _settled(ending.winner == seat, ending.victory)
    network, rival = network_of(board.variant), 1 - seat
    total = network.side(board.checkers[seat], 0) + network.side(board.checkers[rival], 1)
    if any(board.pinned):
        total += network.pins(board.pinned[seat], 0) + network.pins(board.pinned[rival], 1)
    return network.odds(total)


def _settled(won: bool, victory: Victory | None) -> Odds:  # noqa: FBT001
    if victory is None:
        return DRAWN
    odds = Odds(1, victory >= Victory.GAMMON, 0, victory is Victory.BACKGAMMON, 0)
    return odds if won else odds.flipped


def ends_of(board: Board, seat: Seat, dice: Dice) -> Iterator[End]:
    """Every end of a turn with these dice; that nothing moves where nothing can be played."""
    variant, rival = board.variant, 1 - seat
    own_pinned, other, held = board.pinned[seat], board.checkers[rival], board.pinned[rival]
    plays = board.plays(seat, dice)
    if variant.contact is Contact.PINS:
        opposite = variant.opposite
        singles = board.blots(seat)
        holds = sum(flag(opposite[place]) for place in places(occupied(held)))
        for (own, _), way in plays.items():
            standing = occupied(own)
            free, pinned = other, held
            for point in places(standing & singles):
                free, pinned = free - one_at(opposite[point]), pinned + one_at(opposite[point])
            for point in places(holds & ~standing):
                free, pinned = free + one_at(opposite[point]), pinned - one_at(opposite[point])
            yield End(own, free, own_pinned, pinned, way)
        return
    moved: dict[int, int] = {0: other}
    for (own, hit), way in plays.items():
        after = moved.get(hit)
        if after is None:
            after = other + sum(one_at(BAR) - one_at(variant.opposite[point]) for point in places(hit))
            moved[hit] = after
        yield End(own, after, 0, 0, way)


def valued_ends(board: Board, seat: Seat, dice: Dice) -> list[Valued]:
    """Every end of a turn with its worth, in the order of discovery."""
    variant = board.variant
    network = network_of(variant)
    side, pins, odds = network.side, network.pins, network.odds
    others: dict[tuple[int, int], int] = {}
    mine = pins(board.pinned[seat], 0)
    found = []
    for end in ends_of(board, seat, dice):
        if end.own & 31 == CHECKERS or (end.own_pinned and _is_drawn(end)):
            chances = odds_of(end.board(variant, seat), seat)
        else:
            key = end.other, end.other_pinned
            theirs = others.get(key)
            if theirs is None:
                theirs = others[key] = mine + side(end.other, 1) + pins(end.other_pinned, 1)
            chances = odds(theirs + side(end.own, 0))
        found.append(Valued(chances.equity, end, chances))
    return found


def _is_drawn(end: End) -> bool:
    return bool(end.own_pinned >> 5 * MOTHER & 31 and end.other_pinned >> 5 * MOTHER & 31)
