"""Reversi endgames and their solutions, as `known/reversi_endgames.txt` has them: found with the rules of OpenSpiel.

The search shares nothing with `games.reversi_players`: it plays OpenSpiel's moves (package `open-spiel`), counts
OpenSpiel's discs, and knows no table. Run as a program it writes the file, in a few minutes:

    python -m tests.games.reversi_endgames > tests/games/known/reversi_endgames.txt
"""

import random
from pathlib import Path

import pyspiel
from attrs import frozen

OTHELLO = pyspiel.load_game("othello")
PASS = 64

FILE = Path(__file__).parent / "known" / "reversi_endgames.txt"
COUNTS = {8: 550, 9: 300, 10: 150}
"""The number of positions by the number of empty cells."""

CORNERS = {0, 7, 56, 63}


@frozen
class Endgame:
    black: int
    white: int
    mover: int
    score: int
    """The discs of the mover less those of the other side, if both play perfectly."""
    best: frozenset[int]
    """Every move that keeps the score."""


def known_endgames():
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [_read(line) for line in lines if not line.startswith("#")]


def _read(line):
    black, white, mover, score, *best = line.split()
    return Endgame(int(black, 16), int(white, 16), int(mover), int(score), frozenset(map(int, best)))


def solved(state):
    """The best score of a position of OpenSpiel to the mover, and every move that keeps it."""
    best, moves = -65, []
    mover = state.current_player()
    for move in _ordered(state):
        score = _score(state.child(move), mover, best - 1, 65)
        if score > best:
            best, moves = score, [move]
        elif score == best:
            moves.append(move)
    return best, sorted(moves)


def _score(state, seat, alpha, beta):
    """The final discs of `seat` less the others, if it lies between alpha and beta; else a bound."""
    if state.is_terminal():
        black, white = counted(state)
        return black - white if seat == 0 else white - black
    maximise = state.current_player() == seat
    for move in _ordered(state):
        score = _score(state.child(move), seat, alpha, beta)
        if maximise:
            alpha = max(alpha, score)
        else:
            beta = min(beta, score)
        if alpha >= beta:
            break
    return alpha if maximise else beta


def _ordered(state):
    moves = state.legal_actions()
    return sorted(moves, key=lambda move: move not in CORNERS)


def marks(state):
    """The mark of each cell: x is black, o is white."""
    return "".join(mark for row in str(state).splitlines()[2:10] for mark in row.split()[1:9])


def counted(state):
    return marks(state).count("x"), marks(state).count("o")


def discs(state):
    """The discs of black and of white, as integers with a bit for each cell."""
    return tuple(sum(1 << at for at, mark in enumerate(marks(state)) if mark == colour) for colour in "xo")


def random_endgame(empty, chance):
    """A position of a random game with so many empty cells, in which the mover can choose."""
    while True:
        state = OTHELLO.new_initial_state()
        while not state.is_terminal() and sum(counted(state)) < 64 - empty:
            state.apply_action(chance.choice(state.legal_actions()))
        if not state.is_terminal() and len(state.legal_actions()) > 1:
            return state


def main():
    chance = random.Random(0)
    print("# black, white (hexadecimal, cell 0 is bit 0), mover (0 is black), best score, best moves; see the module")
    for empty, count in COUNTS.items():
        for _ in range(count):
            state = random_endgame(empty, chance)
            score, best = solved(state)
            black, white = discs(state)
            print(f"{black:016x} {white:016x} {state.current_player()} {score} {' '.join(map(str, best))}", flush=True)


if __name__ == "__main__":
    main()
