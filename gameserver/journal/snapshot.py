"""The whole lobby as one value, so that a start need not replay what was before it.

A match is written as its game, version, options, moves and draws, never as a pickled position: the
position is worked out again by the game. Where that fails, because the game is gone or its rules
changed, the match comes back with a lost position, to be voided.

To write a thousand matches takes a tenth of a second, in which nobody would be answered. So a server that
plays writes them a row at a time, between batches. Rows are frozen values, so what is written is the
lobby as it stood when that began, whatever has happened to it since.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import GenericAlias
from typing import Any, get_args

import orjson
from attrs import evolve, fields
from cattrs.gen import make_dict_unstructure_fn, override

from gameserver.core import referee
from gameserver.core.lobby import Lobby, ServerState
from gameserver.core.match import GamePlayed, GameSeries, Match, MatchPhase
from gameserver.core.match_course import contest_of, outcome_of
from gameserver.game import Game, Outcome, Seat, State, Turn
from gameserver.journal.codec import CONVERTER
from gameserver.journal.journal import JournalBroken, Snapshot

VERSION = 1

_KEYS = {
    "players": "name",
    "challenges": "number",
    "matches": "id",
    "rooms": "number",
    "tickets": "id",
    "tournaments": "number",
    "ladders": "game",
}
"""The field of a row that is its key in the lobby. Rows of other tables are written in pairs with their keys."""
# `games` are the plug-ins of this start, `server` is one row, `sessions` and `player_list` follow from the players.
_TABLES = tuple(table for table in fields(Lobby) if table.name not in {"games", "server", "sessions", "player_list"})
_ROW_TYPES: Mapping[str, Any] = {
    table.name: get_args(table.type)[1] if table.name in _KEYS else GenericAlias(tuple, get_args(table.type))
    for table in _TABLES
}


def write_snapshot(lobby: Lobby, seq: int, now_ms: int) -> Snapshot:
    """Writes the lobby as it stands after the row `seq` into one snapshot."""
    return next(filter(None, begin_snapshot(lobby, seq, now_ms)))


def begin_snapshot(lobby: Lobby, seq: int, now_ms: int) -> Iterator[Snapshot | None]:
    """Writes a snapshot of the lobby a row at a time: gives None for each, and the whole at last."""
    # Taken at once, before the first slice: rows are frozen, so this is the lobby of now for as long as it is written.
    tables: dict[str, tuple[Any, ...]] = {}
    for table in _TABLES:
        rows = getattr(lobby, table.name)
        # As lists, because their order is part of the value.
        tables[table.name] = tuple(rows.values() if table.name in _KEYS else rows.items())
    return _written(lobby.server[""], tables, seq, now_ms)


def _written(
    server: ServerState, tables: Mapping[str, Sequence[Any]], seq: int, now_ms: int
) -> Iterator[Snapshot | None]:
    """The JSON of the lobby, piece by piece."""
    body = bytearray(b'{"server":' + CONVERTER.dumps(server))
    for name, rows in tables.items():
        body += b',"%s":[' % name.encode()
        for number, row in enumerate(rows):
            # By hand, as the rows come out one at a time: orjson alone would write the whole in one go, 0.1 s for 1,000
            # matches.
            body += b"," if number else b""
            body += orjson.dumps(CONVERTER.unstructure(row, _ROW_TYPES[name]))
            yield None
        body += b"]"
    yield Snapshot(seq, now_ms, VERSION, bytes(body + b"}"))


def read_snapshot(snapshot: Snapshot, games: Mapping[str, Game[Any]]) -> Lobby:
    """Reads the lobby from a snapshot. Raises `JournalBroken` on one it cannot read."""
    if snapshot.version != VERSION:
        message = f"the snapshot has version {snapshot.version}, this server reads {VERSION}"
        raise JournalBroken(message)
    try:
        saved = orjson.loads(snapshot.body)
        server = CONVERTER.structure(saved["server"], ServerState)
        tables = {name: _read_table(name, saved.get(name, ()), games) for name in _ROW_TYPES}
    except Exception as error:
        message = f"the snapshot is damaged: {error}"
        raise JournalBroken(message) from error
    sessions = {player.session: player.name for player in tables["players"].values()}
    return Lobby(games, {"": server}, sessions=sessions, **tables)


def _read_table(name: str, saved: Sequence[Any], games: Mapping[str, Game[Any]]) -> dict[Any, Any]:
    rows: list[Any]
    if name == "matches":
        rows = [_read_match(row, games) for row in saved]
    else:
        rows = [CONVERTER.structure(row, _ROW_TYPES[name]) for row in saved]
    key = _KEYS.get(name)
    return dict(rows) if key is None else {getattr(row, key): row for row in rows}


def digest(lobby: Lobby) -> str:
    """The digest of a lobby's snapshot in 64 hex digits: equal for equal lobbies, in any process."""
    state = hashlib.sha256(write_snapshot(lobby, 0, 0).body)
    for match in lobby.matches.values():
        # A snapshot has moves, not positions: a game that comes to another position from them has to show.
        views = [match.state.view(seat) for seat in range(len(match.seats))]
        state.update(orjson.dumps(views, option=orjson.OPT_SORT_KEYS))
    return state.hexdigest()


def _write_with_game(kind: type[Any], *worked_out: str) -> None:
    """Have rows of this class written with the name and the version of their game, and without what follows from it."""
    left_out: dict[str, Any] = dict.fromkeys(("game", "options", *worked_out), override(omit=True))
    write_rest = make_dict_unstructure_fn(kind, CONVERTER, **left_out)

    def write(row: Any) -> dict[str, Any]:
        # The options of a lost game were never read: they are terms of JSON already, and written as they are.
        options = CONVERTER.unstructure(row.options)
        return {"game": row.game.name, "game_version": row.game.version, "options": options, **write_rest(row)}

    CONVERTER.register_unstructure_hook(kind, write)


# From the inside out: cattrs looks the hooks of the parts up when that of the whole is made.
_write_with_game(GamePlayed)
_write_with_game(GameSeries, "series")
# A live match has no result yet.
_write_with_game(Match, "state", "result", "game_result")


def _read_match(saved: Mapping[str, Any], games: Mapping[str, Game[Any]]) -> Match:
    copied = _fields_of_match(saved)
    try:
        contest = None if saved["contest"] is None else _read_contest(saved["contest"], games)
        game, options = _known(saved, games)
        if copied["phase"] is MatchPhase.READYING:
            state = referee.start(game, options)
        else:
            state = referee.state_after(game, options, copied["moves"], len(copied["seats"]))
        return Match(game=game, options=options, state=state, contest=contest, **copied)
    # The match is voided right after the start: nobody loses by an upgrade.
    except (referee.GameBug, LookupError, ValueError, TypeError):
        pass
    return Match(game=LostGame(saved["game"], saved["game_version"]), options=saved["options"], state=LOST, **copied)


def _reader_of(kind: type[Match | GamePlayed]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Reads the fields that were written and do not depend on the game."""
    with_game = {"game", "options", "state", "contest"}
    kinds = {field.name: field.type for field in fields(kind) if field.name not in with_game}
    # Looked up once: asking the converter for each field of each match makes reading some 6 % slower (measured).
    hooks = {name: CONVERTER.get_structure_hook(type_) for name, type_ in kinds.items()}
    return lambda saved: {name: hook(saved[name], kinds[name]) for name, hook in hooks.items() if name in saved}


_fields_of_match, _fields_of_game = _reader_of(Match), _reader_of(GamePlayed)


def _read_contest(saved: Mapping[str, Any], games: Mapping[str, Game[Any]]) -> GameSeries:
    game, options = _known(saved, games)
    contest = contest_of(game, options)
    if contest is None:
        message = f"{game.name} makes no match of several games any more"
        raise LookupError(message)
    # The score is not written: it follows from the results.
    series, played = contest.series, []
    for one in saved["played"]:
        one_game, one_options = _known(one, games)
        played.append(GamePlayed(one_game, one_options, **_fields_of_game(one)))
        series = referee.series_after(series, outcome_of(played[-1].result))
    return GameSeries(game, options, series, tuple(played))


def _known(saved: Mapping[str, Any], games: Mapping[str, Game[Any]]) -> tuple[Game[Any], Any]:
    """A game that is still what it was, and its options. Raises `LookupError`, or whatever the options raise."""
    name = saved["game"]
    game = games[name.lower()]
    if game.version != saved["game_version"]:
        message = f"{name} has changed"
        raise LookupError(message)
    return game, CONVERTER.structure(saved["options"], game.options_type)


def without_position(match: Match) -> Match:
    """Reduces a match whose game is lost to what its snapshot can hold: the moves, without a position."""
    game = LostGame(match.game.name, match.game.version)
    return evolve(match, game=game, options=CONVERTER.unstructure(match.options), state=LOST, contest=None)


class LostGame(Game[str]):
    """The place-holder, in a recovered lobby, of a game whose plug-in is gone or whose rules changed.

    Its plug-in is gone, or its rules changed, with or without a new version.

    A journal may hold matches of it. They are kept as they are, with `LOST` in the place of the game's
    own position, until the server voids them right after the start: nobody loses by an upgrade.
    """

    def __init__(self, name: str, version: int) -> None:
        self.name = name
        self.version = version

    def start(self, options: Any) -> State[str]:
        """The one position of a lost game."""
        return LOST

    def read_move(self, text: str) -> str:
        """The text of a lost game's move, whatever it is: nobody knows how its moves were written."""
        return text

    def write_move(self, move: str) -> str:
        """The same text back, as a lost game's moves are kept as they were written."""
        return move


class _LostState(State[str]):
    """Any position of a lost game. It accepts every move and never ends."""

    __slots__ = ()

    @property
    def turn(self) -> Turn:
        return Turn(0, (0,))

    def legal_moves(self, seat: Seat) -> Sequence[str]:
        return ()

    def play(self, seat: Seat, move: str) -> "_LostState":
        return self

    @property
    def outcome(self) -> Outcome | None:
        return None

    def resigned(self, seat: Seat) -> Outcome:
        """Nobody wins a game that nobody knows."""
        return Outcome((0, 0), ())

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        return {}

    def board(self, viewer: Seat | None) -> str:
        return ""


LOST = _LostState()
