"""The moves that the check's players choose."""

from collections.abc import Callable, Mapping
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from games.tic_tac_toe_players import perfect
from gameserver.check.foresight import Foresight
from gameserver.check.opponent import choose
from gameserver.check.steps import Aim
from gameserver.core.match import Match
from gameserver.game import Game, NoOptions, Outcome, Turn
from gameserver.values import value


def position(game: Game[Any], *moves: int, number: int = 1) -> Match:
    state = game.start(NoOptions())
    made = []
    for move in moves:
        made.append(SimpleNamespace(seat=state.turn.seats[0], text=game.write_move(move)))
        state = state.play(made[-1].seat, move)
    return cast("Match", SimpleNamespace(id=number, game=game, options=NoOptions(), moves=made, state=state))


def chosen(match: Match, seat: int, aim: Aim | None, chance: Random) -> Any:
    return choose(match, seat, aim, chance, Foresight())


def test_without_an_aim_any_legal_move_is_chosen() -> None:
    match = position(REVERSI)
    moves = {chosen(match, 0, None, Random(seed)) for seed in range(40)}
    assert moves == set(match.state.legal_moves(0))


@pytest.mark.parametrize("seed", range(5))
def test_aims_lead_to_different_moves(seed: int) -> None:
    """X has 0 and 1, O has 3 and 4, and X is to move: 2 wins, and 5 keeps O from winning."""
    match = position(TIC_TAC_TOE, 0, 3, 1, 4)
    assert chosen(match, 0, Aim.WIN, Random(seed)) == 2
    assert chosen(match, 0, Aim.LOSS, Random(seed)) not in {2, 5}
    assert chosen(match, 0, Aim.DRAW, Random(seed)) != 2
    assert chosen(match, 0, Aim.LONG_MATCH, Random(seed)) != 2


def skips_against_chance(aim: Aim, seat: int, chance: Random) -> tuple[bool, bool]:
    """True for this seat, and for the other, if it could not move at some time in a game."""
    state = REVERSI.start(NoOptions())
    skipped = [False, False]
    while state.outcome is None:
        mover = state.turn.seats[0]
        match = cast("Match", SimpleNamespace(game=REVERSI, state=state))
        after = state.play(mover, chosen(match, mover, aim if mover == seat else None, chance))
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
                    assert chosen(position(REVERSI, *moves), seat, Aim.SKIP, chance) in [
                        one
                        for one in state.legal_moves(seat)
                        if state.play(seat, one).outcome is None and state.play(seat, one).turn.seats == (seat,)
                    ]
                    return
            moves.append(chance.choice(state.legal_moves(seat)))
            state = state.play(seat, moves[-1])
    raise AssertionError("no game had a pass")


@value
class Corridor:
    """A position of a long game in which each side has one move. Its tree is small, but deep."""

    left: int
    chance: None = None

    @property
    def outcome(self) -> Outcome | None:
        return None if self.left else Outcome((0, 0), ())

    @property
    def turn(self) -> Turn:
        return Turn(self.left, (self.left % 2,))

    def legal_moves(self, _: int) -> list[int]:
        return [0]

    def play(self, _: int, _move: int) -> "Corridor":
        return Corridor(self.left - 1)


def test_long_game_is_not_looked_through() -> None:
    match = cast("Match", SimpleNamespace(state=Corridor(5_000)))
    assert chosen(match, 0, Aim.DRAW, Random(1)) == 0


Client = Callable[[Match, int, Random], int]
CLIENTS: Mapping[str, Client] = {
    "perfect": lambda match, seat, chance: perfect(match.state, seat, chance.choice),
    "middle, corners, sides": lambda match, seat, _: min(
        match.state.legal_moves(seat), key=[4, 0, 2, 6, 8, 1, 3, 5, 7].index
    ),
    "any": lambda match, seat, chance: chance.choice(match.state.legal_moves(seat)),
    "first": lambda match, seat, _: match.state.legal_moves(seat)[0],
    "last": lambda match, seat, _: match.state.legal_moves(seat)[-1],
}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("seat", [0, 1])
def test_draw_is_reached_with_clients_that_play_well_and_badly(client: str, seat: int) -> None:
    chance, foresight = Random(0), Foresight()
    winners = (played_out(CLIENTS[client], seat, chance, foresight, number) for number in range(1, 11))
    assert () in winners, "no draw in ten matches"


def played_out(client: Client, seat: int, chance: Random, foresight: Foresight, number: int) -> tuple[int, ...]:
    """Play a match, the check's player in this seat; the winners."""
    moves: list[int] = []
    while (match := position(TIC_TAC_TOE, *moves, number=number)).state.outcome is None:
        mover = match.state.turn.seats[0]
        if mover == seat:
            moves.append(choose(match, seat, Aim.DRAW, chance, foresight))
        else:
            moves.append(client(match, mover, chance))
    return match.state.outcome.winners
