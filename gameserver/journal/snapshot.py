"""The whole lobby as one value, so that a start need not replay what was before it.

A match is written as its game, version, options, moves and draws, never as a pickled position: the
position is worked out again by the game. Where that fails, because the game is gone or its rules
changed, the match comes back with a lost position, to be voided.

To write a thousand matches takes a tenth of a second, in which nobody would be answered. So a server that
plays writes them a row at a time, between batches. Rows are frozen values, so what is written is the
lobby as it stood when that began, whatever has happened to it since.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import orjson
from attrs import evolve, fields

from gameserver.core import referee
from gameserver.core.lobby import KnownIdentity, Lobby, OpenChallenge, Player, Room, ServerState, Ticket, TournamentRow
from gameserver.core.match import (
    GamePlayed,
    GameSeries,
    Match,
    MatchPhase,
    OwedAnswer,
    PlayedMove,
    Result,
    Scheduled,
    SeatHolder,
    TurnClock,
)
from gameserver.core.match_course import contest_of, outcome_of
from gameserver.game import Game, Outcome, Seat, State, Turn
from gameserver.journal.codec import CONVERTER
from gameserver.journal.journal import JournalBroken, Snapshot
from gameserver.policies import Policies
from gameserver.values import value


class _LostState(State[str]):
    """Any position of a lost game. It accepts every move and never ends."""

    __slots__ = ()

    @property
    def turn(self) -> Turn:
        """Seat 0, for ever."""
        return Turn(0, (0,))

    def legal_moves(self, seat: Seat) -> Sequence[str]:
        """None that we know."""
        return ()

    def play(self, seat: Seat, move: str) -> "_LostState":
        """The same."""
        return self

    @property
    def outcome(self) -> Outcome | None:
        """None that we know."""
        return None

    def resigned(self, seat: Seat) -> Outcome:
        """Nobody wins a game that nobody knows."""
        return Outcome((0, 0), ())

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Nothing."""
        return {}

    def board(self, viewer: Seat | None) -> str:
        """Nothing."""
        return ""


LOST = _LostState()


class LostGame(Game[str]):
    """The place-holder of one lost game.

    Its plug-in is gone, or its rules changed, with or without a new version.

    A journal may hold matches of it. They are kept as they are, with `LOST` in the place of the game's
    own position, until the server voids them right after the start: nobody loses by an upgrade.
    """

    def __init__(self, name: str, version: int) -> None:
        self.name = name
        self.version = version

    def start(self, options: Any) -> _LostState:
        """The one position there is."""
        return LOST

    def read_move(self, text: str) -> str:
        """Any text."""
        return text

    def write_move(self, move: str) -> str:
        """The same text."""
        return move


VERSION = 1


@value
class _SavedGame:
    """A game of a match that was over before."""

    game: str
    game_version: int
    options: Any
    first: int
    moves: tuple[PlayedMove, ...]
    result: Result


@value
class _SavedContest:
    """The series of a match of several games; its score follows from the games played."""

    game: str
    game_version: int
    options: Any
    played: tuple[_SavedGame, ...]


@value
class _SavedMatch:
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
    clock: TurnClock
    turn_started_ms: int
    opened_ms: int
    opened_wall_ms: int
    moves: tuple[PlayedMove, ...]
    draws: int
    phase: MatchPhase
    room: int | None = None
    pause_until_ms: int = 0
    owed: tuple[OwedAnswer, ...] = ()
    unanswering: tuple[int, ...] = ()
    ready: tuple[int, ...] = ()
    game_began_ms: int = 0
    contest: _SavedContest | None = None
    moves_before_restart: int = 0
    scheduled: Scheduled | None = None


@value
class _SavedLobby:
    """Every table of the lobby, as lists, because their order is part of the value."""

    server: ServerState
    players: tuple[Player, ...]
    queues: tuple[tuple[str, tuple[str, ...]], ...]
    challenges: tuple[OpenChallenge, ...]
    matches: tuple[_SavedMatch, ...]
    seated: tuple[tuple[str, int], ...]
    rooms: tuple[Room, ...] = ()
    tickets: tuple[Ticket, ...] = ()
    tournaments: tuple[TournamentRow, ...] = ()
    identities: tuple[KnownIdentity, ...] = ()


_ROW_TYPES = {table.name: get_args(table.type)[0] for table in fields(_SavedLobby) if table.name != "server"}


def write_snapshot(lobby: Lobby, seq: int, now_ms: int) -> Snapshot:
    """The lobby as it stands after the row `seq`."""
    return next(filter(None, begin_snapshot(lobby, seq, now_ms)))


def begin_snapshot(lobby: Lobby, seq: int, now_ms: int) -> Iterator[Snapshot | None]:
    """The same a row at a time: None for each, and the whole at last."""
    tables = {
        "players": tuple(lobby.players.values()),
        "queues": tuple(lobby.queues.items()),
        "challenges": tuple(lobby.challenges.values()),
        "matches": tuple(lobby.matches.values()),
        "seated": tuple(lobby.seated.items()),
        "rooms": tuple(lobby.rooms.values()),
        "tickets": tuple(lobby.tickets.values()),
        "tournaments": tuple(lobby.tournaments.values()),
        "identities": tuple(lobby.identities.values()),
    }
    return _written(lobby.server[""], tables, seq, now_ms)


def _written(
    server: ServerState, tables: Mapping[str, Sequence[Any]], seq: int, now_ms: int
) -> Iterator[Snapshot | None]:
    """The JSON of a `_SavedLobby`, piece by piece."""
    body = bytearray(b'{"server":' + CONVERTER.dumps(server))
    for name, rows in tables.items():
        body += b',"%s":[' % name.encode()
        for number, row in enumerate(rows):
            saved = _saved_match(row) if isinstance(row, Match) else row
            body += b"," if number else b""
            body += orjson.dumps(CONVERTER.unstructure(saved, _ROW_TYPES[name]))
            yield None
        body += b"]"
    yield Snapshot(seq, now_ms, VERSION, bytes(body + b"}"))


def read_snapshot(snapshot: Snapshot, games: Mapping[str, Game[Any]]) -> Lobby:
    """The lobby that was saved. Raises `JournalBroken` on one it cannot read."""
    if snapshot.version != VERSION:
        message = f"the snapshot has version {snapshot.version}, this server reads {VERSION}"
        raise JournalBroken(message)
    try:
        saved = CONVERTER.loads(snapshot.body, _SavedLobby)
    except Exception as error:
        message = f"the snapshot is damaged: {error}"
        raise JournalBroken(message) from error
    return Lobby(
        games=games,
        server={"": saved.server},
        players={player.name: player for player in saved.players},
        sessions={player.session: player.name for player in saved.players},
        queues=dict(saved.queues),
        challenges={challenge.number: challenge for challenge in saved.challenges},
        matches={match.id: _restored(match, games) for match in saved.matches},
        seated=dict(saved.seated),
        rooms={room.number: room for room in saved.rooms},
        tickets={ticket.id: ticket for ticket in saved.tickets},
        tournaments={row.number: row for row in saved.tournaments},
        identities={known.name: known for known in saved.identities},
    )


def digest(lobby: Lobby) -> str:
    """The whole lobby in 64 hex digits: equal for equal lobbies, in any process."""
    state = hashlib.sha256(write_snapshot(lobby, 0, 0).body)
    for match in lobby.matches.values():
        views = [match.state.view(seat) for seat in range(len(match.seats))]
        state.update(orjson.dumps(views, option=orjson.OPT_SORT_KEYS))
    return state.hexdigest()


_WORKED_OUT = frozenset({"game", "game_version", "options", "contest"})
_COPIED = tuple(field.name for field in fields(_SavedMatch) if field.name not in _WORKED_OUT)


def _saved_match(match: Match) -> _SavedMatch:
    game = match.game
    return _SavedMatch(
        game=game.name,
        game_version=game.version,
        options=_raw(game, match.options),
        contest=None if match.contest is None else _saved_contest(match.contest),
        **{name: getattr(match, name) for name in _COPIED},
    )


def _raw(game: Game[Any], options: Any) -> Any:
    """The options in terms of JSON; a lost game's were never read."""
    return options if isinstance(game, LostGame) else CONVERTER.unstructure(options)


def _saved_contest(contest: GameSeries) -> _SavedContest:
    played = tuple(
        _SavedGame(one.game.name, one.game.version, _raw(one.game, one.options), one.first, one.moves, one.result)
        for one in contest.played
    )
    return _SavedContest(contest.game.name, contest.game.version, _raw(contest.game, contest.options), played)


def _restored(saved: _SavedMatch, games: Mapping[str, Game[Any]]) -> Match:
    copied = {name: getattr(saved, name) for name in _COPIED}
    try:
        contest = None if saved.contest is None else _restored_contest(saved.contest, games)
        game, options = _known(saved.game, saved.game_version, saved.options, games)
        if saved.phase is MatchPhase.READYING:
            state = referee.start(game, options)
        else:
            state = referee.state_after(game, options, saved.moves, len(saved.seats))
        return Match(game=game, options=options, state=state, contest=contest, **copied)
    except (referee.GameBug, LookupError, ValueError, TypeError):
        pass
    return Match(game=LostGame(saved.game, saved.game_version), options=saved.options, state=LOST, **copied)


def without_position(match: Match) -> Match:
    """The match as one whose game is lost, with the moves that were made."""
    game = LostGame(match.game.name, match.game.version)
    return evolve(match, game=game, options=_raw(match.game, match.options), state=LOST, contest=None)


def _restored_contest(saved: _SavedContest, games: Mapping[str, Game[Any]]) -> GameSeries:
    game, options = _known(saved.game, saved.game_version, saved.options, games)
    contest = contest_of(game, options)
    if contest is None:
        message = f"{saved.game} makes no match of several games any more"
        raise LookupError(message)
    series, played = contest.series, []
    for one in saved.played:
        series = referee.series_after(series, outcome_of(one.result))
        one_game, one_options = _known(one.game, one.game_version, one.options, games)
        played.append(GamePlayed(one_game, one_options, one.first, one.moves, one.result))
    return GameSeries(game, options, series, tuple(played))


def _known(name: str, version: int, raw: Any, games: Mapping[str, Game[Any]]) -> tuple[Game[Any], Any]:
    """A game that is still what it was, and its options. Raises `LookupError`, or whatever the options raise."""
    game = games[name.lower()]
    if game.version != version:
        message = f"{name} has changed"
        raise LookupError(message)
    return game, CONVERTER.structure(raw, game.options_type)
