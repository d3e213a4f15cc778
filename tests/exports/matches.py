"""Whole matches, played at random through the lobby, for what is made of their records."""

import random
from functools import cache

from games.backgammon import BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, TAVLI
from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.core.commands import Arrive, Book, Capability, Play, Ready
from gameserver.core.match import MatchPhase
from gameserver.policies import Rules
from gameserver.records.match_record import MatchRecord
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(BACKGAMMON, TAVLA, TAVLI, PORTES, PLAKOTO, FEVGA, REVERSI, TIC_TAC_TOE, CONNECT_FOUR_3D)
SESSIONS = {"gx-ann": 1, "gx-bob": 2, "ann": 1, "bob": 2}


@cache
def played(game: str, seed: int = 1, moves_max: int = 100_000, **options: object) -> MatchRecord:
    """A match at random; after so many moves somebody gives up."""
    harness = LobbyHarness(GAMES, Rules(first_move_pause_ms=0))
    if options:
        _meet(harness, game, options)
    else:
        harness.opened(game)
    chance = random.Random(seed)
    for number in range(1_000_000):
        match = harness.lobby.matches.get(1)
        if match is None:
            break
        harness.now_ms += 7
        if match.phase is MatchPhase.READYING:
            for seat in match.awaited_seats:
                harness.do(Ready(SESSIONS[match.players[seat]]))
            continue
        session = SESSIONS[match.players[match.turn.seats[0]]]
        if number >= moves_max:
            harness.resign(session)
            continue
        legal = [match.game.write_move(move) for move in match.state.legal_moves(match.turn.seats[0])]
        likely = [move for move in legal if move not in {"undo", "drop", "double"}]
        harness.do(Play(session, chance.choice(likely if likely and chance.random() < 0.97 else legal)))
    (record,) = harness.records
    return record


def _meet(harness: LobbyHarness, game: str, options: dict[str, object]) -> None:
    for session, who in ((1, "ann"), (2, "bob")):
        seats = {"by_hand": True}
        harness.do(Book(90, who, f"gx-{who}", who, "10.0.0.1", game, options, seats))
        harness.do(Arrive(session, who, who, "gammonx", "10.0.0.1", (Capability.READY,)))
