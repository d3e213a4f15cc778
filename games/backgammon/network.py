"""A network that estimates a side's chances on a board, made fast for plain Python.

It has one hidden layer over the counts of checkers on each point: TD-Gammon's inputs (Tesauro 1992),
with one more for a pinned checker. Points give it four inputs a side: one checker, two or more, three
or more, and half of the number beyond three.

The sums of all hidden units stand side by side in the lanes of one big integer, 16 bits each. A third
of a side's board has its contribution in a dictionary, ready-made, so that the hidden layer of a board
is the sum of some ten integers; Python adds them at machine speed. A board takes 10 microseconds,
where multiplying by the weights takes a millisecond. Everything is whole numbers up to the last
layer, so the order of additions changes nothing.
"""

from base64 import b85decode
from collections.abc import Sequence as Values
from functools import cache
from math import exp
from operator import mul
from struct import Struct, unpack
from typing import NamedTuple

from games.backgammon.lanes import BAR, CHECKERS, LANE_BITS

SCALE_STORED, SCALE = 1024, 256
"""Weights are stored as whole numbers of 1/1024. The hidden units are summed in 1/256."""
LANE_MIDDLE = 1 << 15
"""Added to each lane before it is read, as lanes are unsigned."""
CHUNK_PLACES = 5
CHUNK_BITS = CHUNK_PLACES * LANE_BITS
CHUNK_MASK = (1 << CHUNK_BITS) - 1
CHUNKS_KEPT = 60_000
"""Contributions that are kept, of all parts of the board together: some ten megabytes. Then all are dropped."""

POINT_INPUTS = 4
EDGE_INPUTS = 2
"""The bar or stock, and the checkers that are off."""


class Odds(NamedTuple):
    """The chances of a side, as shares of all games: to win at all, to win and lose a gammon or more, a backgammon."""

    win: float
    gammon: float
    lost_gammon: float
    backgammon: float = 0.0
    lost_backgammon: float = 0.0

    @property
    def equity(self) -> float:
        """The points that a game is worth without a cube."""
        return 2 * self.win - 1 + self.gammon - self.lost_gammon + self.backgammon - self.lost_backgammon

    @property
    def flipped(self) -> "Odds":
        """The chances of the other side."""
        return Odds(1 - self.win, self.lost_gammon, self.gammon, self.lost_backgammon, self.backgammon)


class Network:
    """Weights in the form that is fastest to use.

    `text` has them in base85: whole numbers of two bytes, of `hidden` for each input, then the hidden
    units' thresholds, then each output's weights, then the outputs' thresholds.
    """

    __slots__ = ("_bias", "_chunks", "_lanes", "_outputs", "_pinned", "_places", "_sigmoids")

    def __init__(self, text: str, hidden: int, *, has_pins: bool, has_triple: bool) -> None:
        raw = b85decode(text.replace("\n", ""))
        numbers = unpack(f"<{len(raw) // 2}h", raw)
        inputs = 2 * (24 * (POINT_INPUTS + has_pins) + EDGE_INPUTS)
        rows = [numbers[start : start + hidden] for start in range(0, inputs * hidden, hidden)]
        rest = numbers[inputs * hidden :]
        self._lanes = Struct(f"<{hidden}H")
        self._bias = _packed([weight / SCALE_STORED for weight in rest[:hidden]]) + _packed(
            [LANE_MIDDLE / SCALE] * hidden
        )
        outputs = [rest[start : start + hidden] for start in range(hidden, 6 * hidden, hidden)]
        chosen = (0, 1, 3, 2, 4) if has_triple else (0, 1, 3)
        self._outputs = [
            ([weight / SCALE_STORED for weight in outputs[number]], -rest[6 * hidden + number] / SCALE_STORED)
            for number in chosen
        ]
        sides = rows[: len(rows) // 2], rows[len(rows) // 2 :]
        self._places = [_contributions(side, POINT_INPUTS + has_pins) for side in sides]
        self._pinned = [
            [0, *(_packed(_scaled(side[5 * point + 4], 1)) for point in range(24))] if has_pins else []
            for side in sides
        ]
        self._chunks: dict[int, int] = {}
        self._sigmoids = _sigmoids()

    def side(self, lanes: int, which: int) -> int:
        """The contribution of a side's checkers: 0 for the side that has just moved, 1 for the side to roll."""
        kept, total, key = self._chunks, 0, which
        while lanes:
            found = kept.get(chunk := (lanes & CHUNK_MASK) << 4 | key)
            total += self._fill(chunk) if found is None else found
            lanes >>= CHUNK_BITS
            key += 2
        return total

    def pins(self, lanes: int, which: int) -> int:
        """The contribution of a side's pinned checkers."""
        total, place = 0, 0
        while lanes:
            if lanes & 31:
                total += self._pinned[which][place]
            lanes >>= LANE_BITS
            place += 1
        return total

    def odds(self, contributions: int) -> Odds:
        """The chances of the side that has just moved, from all contributions to a board."""
        lanes = (contributions + self._bias).to_bytes(self._lanes.size, "little")
        table = self._sigmoids
        hidden = [table[lane] for lane in self._lanes.unpack(lanes)]
        return Odds(
            *[1 / (1 + exp(threshold - sum(map(mul, weights, hidden)))) for weights, threshold in self._outputs]
        )

    def _fill(self, chunk: int) -> int:
        key, lanes = chunk & 15, chunk >> 4
        places = self._places[key & 1]
        total, place = 0, (key >> 1) * CHUNK_PLACES
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
    edge = LANE_MIDDLE - 16 * SCALE
    return [steep[0]] * edge + steep + [steep[-1]] * edge
