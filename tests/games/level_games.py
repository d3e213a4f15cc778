"""Whole games between two strategies, in this process."""

import random


def game_of(start, strategies, seed, *, opening=0):
    """The last position and the moves of a game, of which the first `opening` are made at random."""
    chance = random.Random(seed)
    position, moves = start, []
    while not position.outcome:
        (seat,) = position.turn.seats
        legal = position.legal_moves(seat)
        moves.append(chance.choice(legal) if len(moves) < opening else strategies[seat](position, seat, chance.choice))
        position = position.play(seat, moves[-1])
    return position, moves


def offered(strategy, position, seat=None):
    """Every move that a strategy may pick; the last of them is what it picks."""
    found = []
    picked = strategy(
        position, position.turn.seats[0] if seat is None else seat, lambda moves: found.extend(moves) or moves[-1]
    )
    assert picked == found[-1]
    return found
