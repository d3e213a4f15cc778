"""A network that estimates a side's chances on a board, made fast for plain Python.

It has one hidden layer over the counts of checkers on each point: TD-Gammon's inputs (Tesauro 1992), with one more for
a pinned checker. Points give it four inputs a side: one checker, two or more, three or more, and half of the number
beyond three.

The sums of all hidden units stand side by side in the lanes of one big integer, 16 bits each. A third of a side's board
has its contribution in a dictionary, ready-made, so that the hidden layer of a board is the sum of some ten integers;
Python adds them at machine speed. A board takes 10 microseconds, where multiplying by the weights takes a millisecond.
Everything is whole numbers up to the last layer, so the order of additions changes nothing.

Decisions about the cube follow from estimated chances, by Janowski's formulas for money play. A cube that can still be
turned is worth something to the side that may turn it. Janowski ("Take-Points in Money Games", 1993) puts the equity
between that of a dead cube and that of a perfectly live one; `_LIFE` says where. With W and L the average points of a
win and a loss, p the chance to win, and x the life of the cube, the equities on a cube of 1 are

    the cube is mine        p (W + L + x/2) - L
    it is the other side's  p (W + L + x/2) - L - x/2
    nobody owns it          4 / (4 - x) times (p (W + L + x/2) - L - x/4)

An end of the game is valued exactly, all other boards by the network, or by their worth over all rolls of the side to
roll.
"""

from base64 import b85decode
from collections.abc import Iterator
from collections.abc import Sequence as Values
from functools import cache
from math import exp
from operator import mul
from pathlib import Path
from struct import Struct, iter_unpack
from typing import NamedTuple

from games.backgammon.board import BackgammonBoard, Dice, Sequence
from games.backgammon.phases import CUBE_MAX, MOTHER, Cube, Victory, ending_of
from games.backgammon.variants import BAR, CHECKERS, LANE_BITS, Contact, Variant, flag, occupied, one_at, places
from gameserver.game import Seat

SCALE_STORED, SCALE = 1024, 256
"""Weights are stored as whole numbers of 1/1024. The hidden units are summed in 1/256."""
_LANE_MIDDLE = 1 << 15
"""Added to each lane before it is read, as lanes are unsigned."""
_CHUNK_PLACES = 5
_CHUNK_BITS = _CHUNK_PLACES * LANE_BITS
_CHUNK_MASK = (1 << _CHUNK_BITS) - 1
CHUNKS_KEPT = 60_000
"""Contributions that are kept, of all parts of the board together: some ten megabytes. Then all are dropped."""

_POINT_INPUTS = 4
_EDGE_INPUTS = 2
"""The bar or stock, and the checkers that are off."""
_OUTPUTS = 5

# By its path, not by `importlib.resources`, which a process that thinks would load for this alone.
_NETWORKS = Path(__file__).with_name("networks")


class _Odds(NamedTuple):
    """The chances that a network gives a side: to win at all, to win and lose a gammon or more, a backgammon."""

    win: float
    gammon: float
    lost_gammon: float
    backgammon: float = 0.0
    lost_backgammon: float = 0.0

    @property
    def equity(self) -> float:
        """The points that a backgammon game with these chances is worth without a cube."""
        return 2 * self.win - 1 + self.gammon - self.lost_gammon + self.backgammon - self.lost_backgammon

    @property
    def flipped(self) -> "_Odds":
        """The chances of the other side of a backgammon game."""
        return _Odds(1 - self.win, self.lost_gammon, self.gammon, self.lost_backgammon, self.backgammon)


class Network:
    """Weights of a backgammon network in the form that is fastest to use.

    `numbers` are those of `weights_of`: of every hidden unit for each input, then the hidden units' thresholds, then
    each output's weights, then the outputs' thresholds.
    """

    __slots__ = ("_bias", "_chunks", "_lanes", "_outputs", "_pinned", "_places", "_sigmoids")

    def __init__(self, numbers: tuple[int, ...], *, has_pins: bool, has_triple: bool) -> None:
        inputs = 2 * (24 * (_POINT_INPUTS + has_pins) + _EDGE_INPUTS)
        hidden = (len(numbers) - _OUTPUTS) // (inputs + 1 + _OUTPUTS)
        rows = [numbers[start : start + hidden] for start in range(0, inputs * hidden, hidden)]
        rest = numbers[inputs * hidden :]
        self._lanes = Struct(f"<{hidden}H")
        self._bias = _packed([weight / SCALE_STORED for weight in rest[:hidden]]) + _packed(
            [_LANE_MIDDLE / SCALE] * hidden
        )
        outputs = [rest[start : start + hidden] for start in range(hidden, (1 + _OUTPUTS) * hidden, hidden)]
        chosen = (0, 1, 3, 2, 4) if has_triple else (0, 1, 3)
        self._outputs = [
            (
                [weight / SCALE_STORED for weight in outputs[number]],
                -rest[(1 + _OUTPUTS) * hidden + number] / SCALE_STORED,
            )
            for number in chosen
        ]
        sides = rows[: len(rows) // 2], rows[len(rows) // 2 :]
        self._places = [_contributions(side, _POINT_INPUTS + has_pins) for side in sides]
        self._pinned = [
            [0, *(_packed(_scaled(side[5 * point + 4], 1)) for point in range(24))] if has_pins else []
            for side in sides
        ]
        self._chunks: dict[int, int] = {}
        self._sigmoids = _sigmoids()

    def side(self, lanes: int, which: int) -> int:
        """The contribution of a side's checkers to the network: 0 has just moved, 1 is to roll."""
        kept, total, key = self._chunks, 0, which
        while lanes:
            found = kept.get(chunk := (lanes & _CHUNK_MASK) << 4 | key)
            total += self._fill(chunk) if found is None else found
            lanes >>= _CHUNK_BITS
            key += 2
        return total

    def pins(self, lanes: int, which: int) -> int:
        """The contribution of a side's pinned checkers to the network."""
        total, place = 0, 0
        while lanes:
            if lanes & 31:
                total += self._pinned[which][place]
            lanes >>= LANE_BITS
            place += 1
        return total

    def odds(self, contributions: int) -> _Odds:
        """Estimates the chances of the side that has just moved, from all contributions to the network."""
        lanes = (contributions + self._bias).to_bytes(self._lanes.size, "little")
        table = self._sigmoids
        hidden = [table[lane] for lane in self._lanes.unpack(lanes)]
        return _Odds(
            *[1 / (1 + exp(threshold - sum(map(mul, weights, hidden)))) for weights, threshold in self._outputs]
        )

    def _fill(self, chunk: int) -> int:
        key, lanes = chunk & 15, chunk >> 4
        places = self._places[key & 1]
        total, place = 0, (key >> 1) * _CHUNK_PLACES
        while lanes:
            total += places[place][lanes & 31]
            lanes >>= LANE_BITS
            place += 1
        if len(self._chunks) >= CHUNKS_KEPT:
            self._chunks.clear()
        self._chunks[chunk] = total
        return total


def _contributions(rows: Values[Values[int]], point_inputs: int) -> list[list[int]]:
    """For each place of a side and each number of checkers there, the sums of all hidden units."""
    edge = 24 * point_inputs
    places = [[_packed(_scaled(rows[edge + 1], count / CHECKERS)) for count in range(CHECKERS + 1)]]
    for point in range(24):
        ones, twos, threes, more = rows[point * point_inputs : point * point_inputs + 4]
        counts = [[0.0] * len(ones), _scaled(ones, 1)]
        for count in range(2, CHECKERS + 1):
            parts = [_scaled(twos, 1), _scaled(threes, count >= 3), _scaled(more, max(0, count - 3) / 2)]
            counts.append([sum(each) for each in zip(*parts, strict=True)])
        places.append([_packed(each) for each in counts])
    places.append([_packed(_scaled(rows[edge], count / 2)) for count in range(CHECKERS + 1)])
    assert len(places) == BAR + 1
    return places


def _scaled(row: Values[int], by: float) -> list[float]:
    return [weight * by / SCALE_STORED for weight in row]


def _packed(values: Values[float]) -> int:
    """Values in lanes. A negative one borrows from the lane above, which the sum of all makes good."""
    return sum(round(value * SCALE) << 16 * lane for lane, value in enumerate(values))


@cache
def _sigmoids() -> list[float]:
    """The hidden units' answers to every lane."""
    steep = [1 / (1 + exp(-number / SCALE)) for number in range(-16 * SCALE, 16 * SCALE)]
    edge = _LANE_MIDDLE - 16 * SCALE
    return [steep[0]] * edge + steep + [steep[-1]] * edge


_LIFE = 0.68
"""Janowski's figure for games with contact, between 0 (dead) and 1 (live)."""
_DOUBT = 0.02
"""By so many points must a double be better than none. The chances are estimates."""
_FAR = 0.3
"""Points by which looking at all rolls hardly ever changes the difference."""


def doubles(odds: _Odds, cube: Cube) -> bool:
    """True if the side with these chances, as the network estimates them, which is to roll, should double."""
    offered = _taken_equity(odds, cube)
    if offered >= 1:
        return odds.equity < 1  # else it is too good: gammons are worth more than the stake
    return offered > _held(odds, cube) + _DOUBT


def is_far_from_doubling(odds: _Odds, cube: Cube) -> bool:
    """True if the network's estimated chances are so far from a double that no roll could bring them near."""
    return _taken_equity(odds, cube) + _FAR < _held(odds, cube)


def takes(odds: _Odds, cube: Cube) -> bool:
    """True if the other side, offered the cube by a side with the network's chances, should take it."""
    return _taken_equity(odds, cube) <= 1


def _taken_equity(odds: _Odds, cube: Cube) -> float:
    """The equity of the side that doubles if the other takes, in units of the cube before."""
    if 2 * cube.value >= CUBE_MAX:
        return 2 * odds.equity
    win, lose = _sizes(odds)
    return 2 * (odds.win * (win + lose + _LIFE / 2) - lose - _LIFE / 2)


def _held(odds: _Odds, cube: Cube) -> float:
    """The equity without a double now."""
    win, lose = _sizes(odds)
    if cube.owner is None:
        return 4 / (4 - _LIFE) * (odds.win * (win + lose + _LIFE / 2) - lose - _LIFE / 4)
    return odds.win * (win + lose + _LIFE / 2) - lose


def _sizes(odds: _Odds) -> tuple[float, float]:
    """The average points of a game that is won, and of one that is lost."""
    win = 1 + (odds.gammon + odds.backgammon) / max(odds.win, 0.001)
    lose = 1 + (odds.lost_gammon + odds.lost_backgammon) / max(1 - odds.win, 0.001)
    return min(win, 3), min(lose, 3)


_DRAWN = _Odds(0.5, 0, 0)


class End(NamedTuple):
    """A possible end of a backgammon turn, as the mover sees it: both sides' checkers, and a way there."""

    own: int
    other: int
    own_pinned: int
    other_pinned: int
    way: Sequence

    def board(self, variant: Variant, seat: Seat) -> BackgammonBoard:
        """Makes the board of a possible end of a turn, where `seat` has moved."""
        if seat == 0:
            return BackgammonBoard(variant, (self.own, self.other), (self.own_pinned, self.other_pinned))
        return BackgammonBoard(variant, (self.other, self.own), (self.other_pinned, self.own_pinned))


class _Valued(NamedTuple):
    """A possible end of a backgammon turn and its worth to the mover, in points without a cube."""

    equity: float
    end: End
    odds: _Odds


@cache
def network_of(variant: Variant) -> Network:
    """Makes the network of a backgammon game when it is asked for the first time: that takes 30 ms."""
    has_pins = variant.contact is Contact.PINS
    return Network(weights_of(variant.contact), has_pins=has_pins, has_triple=variant.has_triple)


def weights_of(contact: Contact) -> tuple[int, ...]:
    """Reads the trained weights of a backgammon network from its file, in 1/`SCALE_STORED`."""
    lines = (_NETWORKS / f"{contact.name.lower()}.txt").read_text("ascii").splitlines()
    raw = b85decode("".join(line for line in lines if not line.startswith("# ")))
    return tuple(number for (number,) in iter_unpack("<h", raw))


def odds_of(board: BackgammonBoard, seat: Seat) -> _Odds:
    """Estimates the chances of the side that has just moved on a backgammon board; the other is to roll."""
    ending = ending_of(board)
    if ending is not None:
        return _settled(ending.winner == seat, ending.victory)
    network, rival = network_of(board.variant), 1 - seat
    total = network.side(board.checkers[seat], 0) + network.side(board.checkers[rival], 1)
    if any(board.pinned):
        total += network.pins(board.pinned[seat], 0) + network.pins(board.pinned[rival], 1)
    return network.odds(total)


def _settled(won: bool, victory: Victory | None) -> _Odds:  # noqa: FBT001
    if victory is None:
        return _DRAWN
    odds = _Odds(1, victory >= Victory.GAMMON, 0, victory is Victory.BACKGAMMON, 0)
    return odds if won else odds.flipped


def ends_of(board: BackgammonBoard, seat: Seat, dice: Dice) -> Iterator[End]:
    """Finds every end of a turn with these dice, for the network; that nothing moves where nothing can be played."""
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


def valued_ends(board: BackgammonBoard, seat: Seat, dice: Dice) -> list[_Valued]:
    """Values every end of a backgammon turn by the network, in the order of discovery."""
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
        found.append(_Valued(chances.equity, end, chances))
    return found


def _is_drawn(end: End) -> bool:
    return bool(end.own_pinned >> 5 * MOTHER & 31 and end.other_pinned >> 5 * MOTHER & 31)


_ROLLS: tuple[tuple[Dice, int], ...] = tuple(
    ((low, high), 2) if low != high else ((low,) * 4, 1) for low in range(1, 7) for high in range(low, 7)
)
"""The 21 rolls, and of 36 how many show each."""

CANDIDATES_MAX = 5
_CANDIDATE_MARGIN = 0.1
"""Plays that are worth so much less than the best one, in points, are not looked at again."""
_NODES_MAX = 5_000
"""Boards that are valued for a move, about 12 microseconds each. A candidate that was begun is finished."""


def best_ahead(board: BackgammonBoard, seat: Seat, dice: Dice, nodes_max: int = _NODES_MAX) -> _Valued:
    """Finds the end of a backgammon turn that the network values best over the other side's next rolls."""
    found = sorted(valued_ends(board, seat, dice), key=lambda valued: -valued.equity)
    floor = found[0].equity - _CANDIDATE_MARGIN
    candidates = [valued for valued in found[:CANDIDATES_MAX] if valued.equity >= floor]
    if len(candidates) == 1:
        return candidates[0]
    best, best_equity, nodes = candidates[0], -9.0, len(found)
    for valued in candidates:
        if nodes > nodes_max:
            break
        odds, looked_at = rolled(valued.end.board(board.variant, seat), 1 - seat)
        nodes += looked_at
        equity = odds.flipped.equity
        if equity > best_equity:
            best, best_equity = valued, equity
    return best


def rolled(board: BackgammonBoard, roller: Seat) -> tuple[_Odds, int]:
    """Averages the network's chances for a side over all its rolls; tells the number of boards valued, too."""
    if ending_of(board) is not None:
        return odds_of(board, roller), 1
    sums, nodes = [0.0] * 5, 0
    for dice, weight in _ROLLS:
        found = valued_ends(board, roller, dice)
        nodes += len(found)
        odds = max(found, key=lambda valued: valued.equity).odds
        sums = [total + weight * chance for total, chance in zip(sums, odds, strict=True)]
    return _Odds(*(total / 36 for total in sums)), nodes
