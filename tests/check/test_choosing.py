"""The moves that the check's players choose."""

from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.check import choosing
from gameserver.check.choosing import choose
from gameserver.check.steps import Aim
from gameserver.core.state.match import Match
from gameserver.game import Game, NoOptions


def position(game: Game[Any], *moves: int) -> Match:
    state = game.start(NoOptions())
    for move in moves:
        state = state.play(state.turn.seats[0], move)
    return cast("Match", SimpleNamespace(game=game, state=state))


@pytest.fixture(autouse=True)
def _few_playouts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same number of games whatever the machine is busy with."""
    monkeypatch.setattr(choosing, "THINK_S", 0.0)
    monkeypatch.setattr(choosing, "PLAYOUTS_MIN", 30)


def test_without_an_aim_any_legal_move_is_chosen() -> None:
    match = position(REVERSI)
    chosen = {choose(match, 0, None, Random(seed)) for seed in range(40)}
    assert chosen == set(match.state.legal_moves(0))


@pytest.mark.parametrize("seed", range(5))
def test_aims_lead_to_different_moves(seed: int) -> None:
    """X has 0 and 1, O has 3 and 4, and X is to move: 2 wins, and 5 keeps O from winning."""
    match = position(TIC_TAC_TOE, 0, 3, 1, 4)
    assert choose(match, 0, Aim.WIN, Random(seed)) == 2
    assert choose(match, 0, Aim.LOSS, Random(seed)) not in {2, 5}
    assert choose(match, 0, Aim.DRAW, Random(seed)) != 2
    assert choose(match, 0, Aim.LONG_MATCH, Random(seed)) != 2


def skips_against_chance(aim: Aim, seat: int, chance: Random) -> tuple[bool, bool]:
    """True for this seat, and for the other, if it could not move at some time in a game."""
    state = REVERSI.start(NoOptions())
    skipped = [False, False]
    while state.outcome is None:
        mover = state.turn.seats[0]
        match = cast("Match", SimpleNamespace(game=REVERSI, state=state))
        after = state.play(mover, choose(match, mover, aim if mover == seat else None, chance))
        skipped[1 - mover] |= after.turn.seats == (mover,) and after.outcome is None
        state = after
    return skipped[seat], skipped[1 - seat]


def test_passes_come_about_in_few_games() -> None:
    """In random games each side has one in about every fifth."""
    wanted = [skips_against_chance(Aim.SKIP, seed % 2, Random(seed))[1] for seed in range(12)]
    own = [skips_against_chance(Aim.OWN_SKIP, seed % 2, Random(seed))[0] for seed in range(12)]
    assert sum(wanted) >= 6
    assert sum(own) >= 4


def test_pass_of_the_other_side_is_seen() -> None:
    """The shortest way in which white is passed over: black has moved twice in a row."""
    chance = Random(3)
    for _ in range(200):
        state = REVERSI.start(NoOptions())
        moves: list[int] = []
        while state.outcome is None:
            seat = state.turn.seats[0]
            for move in state.legal_moves(seat):
                after = state.play(seat, move)
                if after.outcome is None and after.turn.seats == (seat,):
                    assert choose(position(REVERSI, *moves), seat, Aim.SKIP, chance) in [
                        one
                        for one in state.legal_moves(seat)
                        if state.play(seat, one).outcome is None and state.play(seat, one).turn.seats == (seat,)
                    ]
                    return
            moves.append(chance.choice(state.legal_moves(seat)))
            state = state.play(seat, moves[-1])
    raise AssertionError("no game had a pass")
