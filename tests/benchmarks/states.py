"""Bytes of GammonX's `game-state` after a roll: with the sequences of moves that are sent, and with all of them.

Positions come from random games, which spread the checkers wider than people do. No server runs.
"""

from collections.abc import Iterator
from itertools import islice
from statistics import mean

from attrs import evolve

from games.backgammon.board import Board
from games.backgammon.fields import numbering
from games.backgammon.match import MATCH_KINDS, Length, MatchScore
from games.backgammon.search import Dice
from games.backgammon.state import TurnPhase
from games.backgammon.variants import VARIANTS, Variant
from protocols.gammonx.match_state import GAMES, OwnMatch
from protocols.gammonx.payloads import Dialect, game_state
from protocols.gammonx.schema import CONVERTER, EventMessage, GameStatePayload, LegalMove, MoveSequence
from tests.benchmarks.plan import Plan
from tests.benchmarks.report import Figures, Row
from tests.games.backgammon.positions import played_at_random

VARIANTS_WEIGHED = ("Backgammon", "Plakoto", "Fevga")
GUIDS = ("fdd907ca-794a-43f4-83e6-cadfabc57c45", "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6")
ALLOWED = ("Move", "ResignGame", "ResignMatch")


def measure(plan: Plan) -> list[Row]:
    """Each game whose plays are of another kind."""
    return [_row(VARIANTS[name], plan.positions) for name in VARIANTS_WEIGHED]


def _row(variant: Variant, positions: int) -> Row:
    sent, unthinned = [], []
    for board, seat, dice in islice(_positions(variant), positions):
        payload = _payload(board, seat, dice)
        sent.append(_bytes(payload))
        unthinned.append(_bytes(evolve(payload, move_sequences=_all_sequences(board, seat, dice))))
    return Row("states", f"{variant.name}, {positions} positions", _figures(sent), _figures(unthinned))


def _positions(variant: Variant) -> Iterator[tuple[Board, int, Dice]]:
    seed = 0
    while True:
        yield from played_at_random(variant, seed)
        seed += 1


def _payload(board: Board, seat: int, dice: Dice) -> GameStatePayload:
    game = GAMES[board.variant.name]
    state = evolve(
        game.start(game.options_type()), position=board, phase=TurnPhase.MOVING, mover=seat, rolled=dice, left=dice
    )
    score = MatchScore(MATCH_KINDS["Tavli"], Length.CASH)
    view = OwnMatch(GUIDS[0], 1, seat, GUIDS, names=(None, None), score=score, state=state, is_playing=True)
    return game_state(view, ALLOWED, Dialect())


def _all_sequences(board: Board, seat: int, dice: Dice) -> tuple[MoveSequence, ...]:
    """The states that the mover could be sent, who sees its own checkers as white."""
    return tuple(
        MoveSequence(
            tuple(
                LegalMove(numbering(board.variant, 0)[step.source], numbering(board.variant, 0)[step.target])
                for step in sequence
            ),
            tuple(step.die for step in sequence),
        )
        for sequence in board.sequences(seat, dice)
    )


def _bytes(payload: GameStatePayload) -> int:
    return len(CONVERTER.dumps(EventMessage("game-state", payload)))


def _figures(sizes: list[int]) -> Figures:
    ordered = sorted(sizes)
    return {
        "mean bytes": mean(ordered),
        "p50 bytes": ordered[len(ordered) // 2],
        "p99 bytes": ordered[len(ordered) * 99 // 100],
        "largest bytes": ordered[-1],
    }
