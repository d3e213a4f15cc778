"""Positions for tests: both boards of one position, games played at random, and boards set up at random."""

import random

from games.backgammon.board import BackgammonBoard, start_of
from games.backgammon.fields import BLACK_BAR, BLACK_OFF, WHITE_BAR, WHITE_OFF, numbering
from games.backgammon.phases import ending_of
from games.backgammon.variants import Contact, packed
from tests.games.backgammon.slow_rules import BLACK, WHITE, SlowBoard

COLOURS = (WHITE, BLACK)
_NAMES = {WHITE_BAR: "bar", BLACK_BAR: "bar", WHITE_OFF: "off", BLACK_OFF: "off"}


def board_of(variant, checkers, pinned=({}, {})):
    """The board of both sides' checkers by place, each side counting in its own way."""
    return BackgammonBoard(variant, tuple(map(packed, checkers)), tuple(map(packed, pinned)))


def slow(board):
    """The same position for the slow rules."""
    twin = SlowBoard(board.variant.name)
    twin.fields, twin.pinned = [0] * 24, [0] * 24
    for seat, colour in enumerate(COLOURS):
        for place in range(1, 25):
            field = numbering(board.variant, seat)[place]
            twin.fields[field] += colour * board.count(seat, place)
            twin.pinned[field] += colour * (board.pinned[seat] >> 5 * place & 31)
        twin.bar[colour], twin.off[colour] = board.count(seat, 25), board.count(seat, 0)
    return twin


def moves_of(board, seat, sequence):
    """A sequence as the slow rules write it."""
    fields = [tuple(numbering(board.variant, seat)[place] for place in step.hop) for step in sequence]
    return [(_NAMES.get(source, source), _NAMES.get(target, target)) for source, target in fields]


def rolled(chance):
    first, second = chance.randint(1, 6), chance.randint(1, 6)
    return (first,) * 4 if first == second else tuple(sorted((first, second)))


def played_at_random(variant, seed):
    """The positions of one random game: `(board, seat, dice)` before each turn."""
    chance = random.Random(seed)
    board, seat = start_of(variant), chance.randrange(2)
    for _ in range(500):
        dice = rolled(chance)
        yield board, seat, dice
        sequences = board.sequences(seat, dice)
        if sequences:
            board = board.played(seat, chance.choice(sequences))
        if ending_of(board):
            return
        seat = 1 - seat


def set_up_at_random(variant, chance):
    """A board with fifteen checkers a side wherever they may stand, often all at home or nearly so."""
    sides, pins = [{}, {}], [{}, {}]
    for seat in chance.sample((0, 1), 2):
        reach = chance.choice((6, 7, 12, 24))
        points = [point for point in range(1, reach + 1) if not sides[1 - seat].get(variant.opposite[point])]
        points = chance.sample(points, min(len(points), chance.randint(1, 9)))
        for _ in range(15):
            roll = chance.random()
            place = 0 if roll < 0.15 or not points else chance.choice(points)
            if variant.contact is not Contact.PINS and roll > (0.97 if reach < 24 else 0.85):
                place = 25
            sides[seat][place] = sides[seat].get(place, 0) + 1
    if variant.contact is Contact.PINS:
        _pin_some(variant, chance, sides, pins)
    return board_of(variant, sides, pins)


def _pin_some(variant, chance, sides, pins):
    """Put some of the checkers that were off under those of the other side."""
    for seat in (0, 1):
        for place in list(sides[1 - seat]):
            point = variant.opposite[place]
            if 0 < place < 25 and sides[seat].get(0, 0) and chance.random() < 0.15:
                sides[seat][0] -= 1
                pins[seat][point] = 1
