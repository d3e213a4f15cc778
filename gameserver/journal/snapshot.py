"""The whole lobby as one value, so that a start need not replay what was before it.

A match is written as its game, version, options, moves and draws, never as a pickled position: the
position is worked out again by the game. Where that fails, because the game is gone or its rules
changed, the match comes back with a lost position, to be voided.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson
from attrs import fields, frozen

from gameserver.core import referee
from gameserver.core.lobby import Lobby, OpenChallenge, Player, Server
from gameserver.core.lost import LOST, LostGame
from gameserver.core.match import Clock, Match, Moved, Phase, SeatHolder
from gameserver.core.policies import Policies
from gameserver.core.table import Table
from gameserver.game import Game, Turn
from gameserver.journal.codec import CONVERTER
from gameserver.journal.log import JournalBroken, Snapshot

VERSION = 1


@frozen
class SavedMatch:
    """A match without its position."""

    id: int
    game: str
    game_version: int
    options: Any
    policies: Policies
    seed: str
    seats: tuple[SeatHolder, ...]
    first: int
    turn: Turn
    clock: Clock
    turn_started_ms: int
    opened_ms: int
    opened_wall_ms: int
    moves: tuple[Moved, ...]
    draws: int
    phase: Phase
    table: int | None = None
    pause_until_ms: int = 0
    overtaken: tuple[int, ...] = ()


@frozen
class SavedLobby:
    """Every table of the lobby, as lists, because their order is part of the value."""

    server: Server
    players: tuple[Player, ...]
    queues: tuple[tuple[str, tuple[str, ...]], ...]
    challenges: tuple[OpenChallenge, ...]
    matches: tuple[SavedMatch, ...]
    seated: tuple[tuple[str, int], ...]
    tables: tuple[Table, ...] = ()


def write_snapshot(lobby: Lobby, seq: int, now_ms: int) -> Snapshot:
    """The lobby as it stands after the row `seq`."""
    return Snapshot(seq, now_ms, VERSION, orjson.dumps(CONVERTER.unstructure(_saved(lobby))))


def read_snapshot(snapshot: Snapshot, games: Mapping[str, Game[Any]]) -> Lobby:
    """The lobby that was saved. Raises `JournalBroken` on one it cannot read."""
    if snapshot.version != VERSION:
        message = f"the snapshot has version {snapshot.version}, this server reads {VERSION}"
        raise JournalBroken(message)
    try:
        saved = CONVERTER.structure(orjson.loads(snapshot.body), SavedLobby)
    except Exception as error:
        message = f"the snapshot is damaged: {error}"
        raise JournalBroken(message) from error
    return Lobby(
        games=games,
        server={"": saved.server},
        players={player.name: player for player in saved.players},
        sessions={player.session: player.name for player in saved.players},
        queues=dict(saved.queues),
        challenges={offer.number: offer for offer in saved.challenges},
        matches={match.id: _restored(match, games) for match in saved.matches},
        seated=dict(saved.seated),
        tables={table.number: table for table in saved.tables},
    )


def digest(lobby: Lobby) -> str:
    """The whole lobby in 64 hex digits: equal for equal lobbies, in any process."""
    state = hashlib.sha256(write_snapshot(lobby, 0, 0).body)
    for match in lobby.matches.values():
        views = [match.state.view(seat) for seat in range(len(match.seats))]
        state.update(orjson.dumps(views, option=orjson.OPT_SORT_KEYS))
    return state.hexdigest()


def _saved(lobby: Lobby) -> SavedLobby:
    return SavedLobby(
        server=lobby.server[""],
        players=tuple(lobby.players.values()),
        queues=tuple(lobby.queues.items()),
        challenges=tuple(lobby.challenges.values()),
        matches=tuple(_saved_match(match) for match in lobby.matches.values()),
        seated=tuple(lobby.seated.items()),
        tables=tuple(lobby.tables.values()),
    )


_COPIED = tuple(field.name for field in fields(SavedMatch) if field.name not in {"game", "game_version", "options"})


def _saved_match(match: Match) -> SavedMatch:
    game = match.game
    return SavedMatch(
        game=game.name,
        game_version=game.version,
        options=match.options if isinstance(game, LostGame) else CONVERTER.unstructure(match.options),
        **{name: getattr(match, name) for name in _COPIED},
    )


def _restored(saved: SavedMatch, games: Mapping[str, Game[Any]]) -> Match:
    copied = {name: getattr(saved, name) for name in _COPIED}
    game = games.get(saved.game.lower())
    if game is not None and game.version == saved.game_version:
        try:
            options: Any = CONVERTER.structure(saved.options, game.options_type)
            position = referee.position_after(game, options, saved.moves, len(saved.seats))
            return Match(game=game, options=options, state=position.state, **copied)
        except (referee.GameFault, ValueError, TypeError):
            pass
    return Match(game=LostGame(saved.game, saved.game_version), options=saved.options, state=LOST, **copied)
