"""The score sheet of a match: the one text notation that every game has.

    [Match "12"]
    [Game "Reversi"]
    ...
    [Result "ann 40, bob 24"]
    [Termination "played"]

    1. ann 19
    2. bob 18
    3. (dice) 3 5

Tags as in chess's PGN, then a line for each move and draw, as the game writes them. A match of
several games has a `[Round]` before each. It needs no game to be installed.
"""

from collections.abc import Iterator

from gameserver.records.match_record import GameRecord, MatchRecord, MoveRecord


def score_sheet(record: MatchRecord) -> str:
    """The match as text, its lines ended."""
    return "".join(f"{line}\n" for line in _lines(record))


def _lines(record: MatchRecord) -> Iterator[str]:
    yield _tag("Match", str(record.match))
    yield _tag("Game", record.game)
    if record.options != "{}":
        yield _tag("Options", record.options)
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
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'
