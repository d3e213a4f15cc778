"""A match on record in other forms: step by step for a terminal, as a score sheet, as rows, as a file of its game.

A score sheet and rows need no game to be installed. Rows are JSON lines for programs, or CSV for spreadsheets.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import orjson
from cattrs.preconf.orjson import make_converter

from gameserver.game import Game, PlayedGame, PlayedMatch, Seat, State
from gameserver.records.match_record import GameRecord, MatchRecord, MoveRecord
from gameserver.records.reader import RecordReader
from gameserver.tournaments.csv_text import CsvStyle, csv_line
from gameserver.values import value

_CONVERTER = make_converter()
_SCORE_SHEET = "txt"
"""The ending of the format that every game has."""
Row = Mapping[str, Any]


PRUNED = "its moves were pruned from the records"


class NotReadable(Exception):
    """A match on record that the installed games cannot make sense of; the text says why, in a sentence."""


def match_file(reader: RecordReader, games: Mapping[str, Game[Any]], number: int, ending: str) -> str | None:
    """Exports a match on record in the form asked for: as a score sheet, or as a file of its game.

    None if there is no such match, no such format, or nothing that the installed game can read.
    """
    record = reader.match(number)
    if record is None:
        return None
    if ending == _SCORE_SHEET:
        return score_sheet(record)
    try:
        match = played_match(record, games)
    except NotReadable:
        return None
    export = match.game.exports.get(ending)
    return None if export is None else export(match)


def played_match(record: MatchRecord, games: Mapping[str, Game[Any]]) -> PlayedMatch:
    """Plays a match on record again for the exports of matches; `games` are those there are, by name in lower case.

    Raises `NotReadable`.
    """
    if record.moves_pruned:
        raise NotReadable(PRUNED)
    game = known_game(record.game, record.game_version, games)
    return PlayedMatch(
        number=record.match,
        game=game,
        options=read_options(game, record.options),
        players=tuple(seat.player for seat in record.seats),
        opened_at=record.opened_at,
        games=tuple(_played_games(record, games)),
        clock=record.clock,
    )


def _played_games(record: MatchRecord, games: Mapping[str, Game[Any]]) -> Iterator[PlayedGame]:
    for one in record.games:
        game = known_game(one.game, one.game_version, games)
        moves = [move for move in record.moves if move.game == one.number]
        steps, left_ms = tuple((move.seat, move.move) for move in moves), tuple(move.bank_ms for move in moves)
        yield PlayedGame(game, read_options(game, one.options), steps, one.points, one.winners, one.reason, left_ms)


def known_game(name: str, version: int, games: Mapping[str, Game[Any]]) -> Game[Any]:
    """The installed game that can replay an exported match of this version. Raises `NotReadable`."""
    game = games.get(name.lower())
    if game is None:
        raise NotReadable(f"the game {name} is not installed, or not in the config")
    if game.version != version:
        raise NotReadable(f"it was played by version {version} of {name}, and version {game.version} is installed")
    return game


def read_options(game: Game[Any], text: str) -> Any:
    """Reads the options of an exported match from JSON. Raises `NotReadable`."""
    try:
        return _CONVERTER.structure(orjson.loads(text), game.options_type)
    except Exception as error:
        raise NotReadable(f"its options are not those of {game.name}: {text}") from error


@value
class Frame:
    """One moment of an exported match; `board` is empty where the installed games cannot show it."""

    heading: str
    happened: str
    board: str


def frames(record: MatchRecord, games: Mapping[str, Game[Any]], viewer: Seat | None) -> tuple[Frame, ...]:
    """Every moment of a match to be exported, from the first position to the result.

    `viewer` is the seat that looks on; None hides secrets.
    """
    return tuple(_frames(record, games, viewer))


def _frames(record: MatchRecord, games: Mapping[str, Game[Any]], viewer: Seat | None) -> Iterator[Frame]:
    players = " - ".join(seat.player for seat in record.seats)
    title = f"match {record.match}, {record.game}: {players}"
    board = ""
    try:
        match = played_match(record, games)
    except NotReadable as error:
        yield Frame(title, f"the boards cannot be shown: {error}", "")
        for move in record.moves:
            yield Frame(title, _happened(record, move), "")
    else:
        several = len(match.games) > 1
        for number, game in enumerate(match.games, start=1):
            heading = f"{title}, game {number} ({game.game.name})" if several else title
            for happened, board in _positions(record, number, game, viewer):
                yield Frame(heading, happened, board)
    yield Frame(title, _result(record), board)


def _positions(record: MatchRecord, number: int, game: PlayedGame, viewer: Seat | None) -> Iterator[tuple[str, str]]:
    moves = [move for move in record.moves if move.game == number]
    happened = ["the beginning", *(_happened(record, move) for move in moves)]
    positions: Iterator[State[Any]] = game.positions()
    board = ""
    for index, what in enumerate(happened):
        try:
            board = next(positions).board(viewer)
        except Exception as error:  # noqa: BLE001 - a changed record may take a game's code anywhere
            reason = f"{type(error).__name__}: {error}"
            yield f"{what}; from here on the boards cannot be shown, as {game.game.name} cannot replay it: {reason}", ""
            yield from ((later, "") for later in happened[index + 1 :])
            return
        yield what, board


def _happened(record: MatchRecord, move: MoveRecord) -> str:
    at = f"at +{move.at_ms / 1000:.3f} s"
    if move.seat is None:
        return f"{move.number}. the dice show {move.move}, {at}"
    player = record.seats[move.seat].player
    if move.by == "server":
        return f"{move.number}. {player} was late, the server played {move.move}, {at}"
    stalled = f", the server stood still for {move.stall_ms} ms" if move.stall_ms else ""
    left = "" if move.bank_ms is None else f", {move.bank_ms / 1000:.3f} s left"
    return f"{move.number}. {player} played {move.move} after {move.think_ms / 1000:.3f} s, {at}{left}{stalled}"


def _result(record: MatchRecord) -> str:
    points = ", ".join(f"{seat.player} {seat.points} ({seat.result})" for seat in record.seats)
    why = f" ({record.why})" if record.why else ""
    return f"the end, {record.reason}{why}: {points}"


def score_sheet(record: MatchRecord) -> str:
    """Exports a match as a score sheet in plain text, its lines ended.

        [Match "12"]
        [Game "Reversi"]
        ...
        [Result "ann 40, bob 24"]
        [Termination "played"]

        1. ann 19
        2. bob 18
        3. (dice) 3 5

    Tags as in chess's PGN, then a line for each move and draw, as the game writes them. A match of several games has a
    `[Round]` before each.
    """
    return "".join(f"{line}\n" for line in _lines(record))


def _lines(record: MatchRecord) -> Iterator[str]:
    yield _tag("Match", str(record.match))
    yield _tag("Game", record.game)
    if record.moves_pruned:
        yield _tag("Moves", f"{record.moves_pruned}, pruned from the records")
    if record.options != "{}":
        yield _tag("Options", record.options)
    yield _tag("Clock", record.clock)
    yield _tag("Opened", record.opened_at)
    yield _tag("Ended", record.ended_at)
    for seat in record.seats:
        yield _tag(f"Player{seat.seat + 1}", seat.player)
    yield _tag("Result", ", ".join(f"{seat.player} {seat.points}" for seat in record.seats))
    yield _tag("Winner", ", ".join(seat.player for seat in record.seats if seat.result == "win") or "nobody")
    yield _tag("Termination", record.reason)
    if record.why:
        yield _tag("Why", record.why)
    several = len(record.games) > 1 or any(move.game > 1 for move in record.moves)
    current = 0
    for move in record.moves:
        if move.game != current:
            current = move.game
            yield ""
            if several:
                yield from _round(record, current)
        yield f"{move.number}. {_who(record, move)} {move.move}"


def _round(record: MatchRecord, number: int) -> Iterator[str]:
    yield _tag("Round", str(number))
    for game in record.games:
        if game.number == number:
            yield _tag("Game", game.game)
            yield _tag("Result", _points(record, game))


def _points(record: MatchRecord, game: GameRecord) -> str:
    both = zip(record.seats, game.points, strict=True)
    return ", ".join(f"{seat.player} {points}" for seat, points in both)


def _who(record: MatchRecord, move: MoveRecord) -> str:
    if move.seat is None:
        return "(dice)"
    server = " (server)" if move.by == "server" else ""
    return f"{record.seats[move.seat].player}{server}"


def _tag(name: str, value: str) -> str:
    # As PGN has it (section 7): a backslash before quotes and backslashes.
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


def match_rows(records: Iterable[MatchRecord], without_rounds: Collection[int] = ()) -> Iterator[Row]:
    """A row of the export for each match. `without_rounds` are the tournaments whose rounds mean nothing: arenas.

    Each seat's facts have columns of their own (`player1`, `points1`, ...).
    """
    for one in records:
        row: dict[str, Any] = {
            "match": one.match,
            "game": one.game,
            "options": one.options,
            "clock": one.clock,
            "opened_at": one.opened_at,
            "ended_at": one.ended_at,
            "reason": one.reason,
            "reason_text": one.reason_text,
            "why": one.why,
            "rated": int(one.rated),
            "games": len(one.games),
            "moves": len(one.moves) or one.moves_pruned,
            "public_id": one.public_id,
        }
        for seat in one.seats:
            number = seat.seat + 1
            row |= {
                f"player{number}": seat.player,
                f"protocol{number}": seat.protocol,
                f"points{number}": seat.points,
                f"result{number}": seat.result.value,
                f"rating{number}": None if seat.rating is None else round(seat.rating),
                f"round_trip_us{number}": seat.round_trip_us,
            }
        # In an arena matches begin whenever two players are free: the number says nothing.
        has_round = one.round and one.tournament not in without_rounds
        yield row | {"tournament": one.tournament, "round": one.round if has_round else None}


def move_rows(records: Iterable[MatchRecord]) -> Iterator[Row]:
    """A row of the export for each move and draw of matches."""
    for one in records:
        for move in one.moves:
            yield {
                "match": one.match,
                "game": move.game,
                "number": move.number,
                "seat": move.seat,
                "player": "" if move.seat is None else one.seats[move.seat].player,
                "move": move.move,
                "by": move.by,
                "at_ms": move.at_ms,
                "think_ms": move.think_ms,
                "lag_ms": move.lag_ms,
                "stall_ms": move.stall_ms,
                "bank_ms": move.bank_ms,
            }


def json_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Exports rows of matches or moves as JSON, an object a line."""
    for row in rows:
        yield orjson.dumps(row).decode() + "\n"


def csv_lines(rows: Iterable[Row], style: CsvStyle = CsvStyle.ENGLISH) -> Iterator[str]:
    """Exports rows of matches or moves as CSV: a line of names, then one for each row."""
    for number, row in enumerate(rows):
        if number == 0:
            yield csv_line(row, style)
        yield csv_line(row.values(), style)
