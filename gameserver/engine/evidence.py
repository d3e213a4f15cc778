"""Facts for the records that only a running server knows: stalls, round trips, and who was there.

The record itself follows from the journal. This evidence does not, and need not: no decision depends on it. It answers
"why did I lose on time?" a day later.

`Attendance` notes the players who were there for the matches of tournaments. It reads the lobby as it was before a
decision, and the decision's changes. Most lobbies have no tournament, and then nothing is looked at.
"""

from collections.abc import Callable, Iterator, Sequence

from attrs import evolve

from gameserver.core.commands import Command, Kick, Leave, ServerStarted
from gameserver.core.lobby import Change, Lobby, Player, TournamentRow
from gameserver.core.match import Match
from gameserver.engine.clock import Stalls
from gameserver.records.match_record import GameRecord, MatchRecord, MoveRecord, SeatRecord, time_of_day
from gameserver.records.tournament_record import Attendance, AttendanceRecord
from gameserver.tournaments.model import Pairing, PairingStatus
from gameserver.values import evolved, value


def noted(
    lobby: Lobby, command: Command, changes: Sequence[Change], now_ms: int, wall_ms: int
) -> Iterator[AttendanceRecord]:
    """Notes as evidence for the records which players came, left or were missing at tournaments in one decision.

    Call it before the lobby takes the changes.
    """
    if not lobby.tournaments:
        return
    at = (time_of_day(wall_ms), now_ms)
    players = {key: new for table, key, new in changes if table == "players"}
    rows = {key: new for table, key, new in changes if table == "tournaments"}
    for name, new in players.items():
        before = lobby.players.get(name)
        # A row that changed for another reason: nobody came or went.
        if (before is None) is (new is None) and (before is None or new.session == before.session):
            continue
        for number, row in lobby.tournaments.items():
            if row.keeps(name):
                what = Attendance.LEFT if new is None else Attendance.CAME
                yield AttendanceRecord(number, *at, what, None, name, _why(command) if new is None else _how(new))
    for number, row in rows.items():
        row_before = lobby.tournaments.get(number)
        # A row without one before it is new and has no pairings, or was taken back from the records, facts and all.
        if row_before is not None and row is not None:
            yield from _of_pairings(row_before, row, {**lobby.players, **players}, at)


def _of_pairings(
    before: TournamentRow, row: TournamentRow, players: dict[str, Player | None], at: tuple[str, int]
) -> Iterator[AttendanceRecord]:
    old = before.state.pairings
    if old is row.state.pairings:
        return
    for pairing in row.state.pairings:
        was = old[pairing.number - 1] if pairing.number <= len(old) else None
        if was is pairing:
            continue
        # One that begins at once waits for nobody.
        if was is None and pairing.status is PairingStatus.ANNOUNCED:
            yield from _each(row, pairing, Attendance.ANNOUNCED, pairing.seats, players, at)
        elif pairing.absent and (was is None or not was.absent):
            yield from _each(row, pairing, Attendance.NO_SHOW, pairing.absent, players, at)


def _each(
    row: TournamentRow,
    pairing: Pairing,
    what: Attendance,
    names: Sequence[str],
    players: dict[str, Player | None],
    at: tuple[str, int],
) -> Iterator[AttendanceRecord]:
    for name in names:
        if not row.state.is_house(name):
            yield AttendanceRecord(row.number, *at, what, pairing.number, name, _state_of(players.get(name)))


def _state_of(player: Player | None) -> str:
    if player is None:
        return "not connected"
    if player.match is not None:
        return f"{_how(player)}, in match {player.match}"
    return f"{_how(player)}, in room {player.room}" if player.room is not None else _how(player)


def _how(player: Player) -> str:
    return f"connected by {player.protocol}"


def _why(command: Command) -> str:
    if isinstance(command, Leave):
        return command.why or "the connection ended"
    if isinstance(command, ServerStarted):
        return "the server was started again"
    return "the teacher ended the connection" if isinstance(command, Kick) else ""


@value
class RoundTrip:
    """The smoothed round trip and its mean deviation, in microseconds, and how many segments were sent again."""

    round_trip_us: int
    deviation_us: int
    segments_resent: int


def with_evidence(
    record: MatchRecord, match: Match, stalls: Stalls, round_trip: Callable[[int], RoundTrip | None]
) -> MatchRecord:
    """Adds evidence to a match's record: the stalls of each turn, the round trip of each player who is here."""
    seats = tuple(
        _seat(seat, None if holder.is_house or holder.session is None else round_trip(holder.session))
        for seat, holder in zip(record.seats, match.seats, strict=True)
    )
    last_ms = record.moves[-1].at_ms if record.moves else 0
    ends_ms = max([last_ms, *(game.lapse.decided_ms for game in record.games if game.lapse is not None)])
    opened_ms = record.opened_ms
    # As for nearly every match: its moves need not be copied.
    if stalls.between(opened_ms, opened_ms + ends_ms) == 0:
        return evolved(record, seats=seats)

    def stalled_ms(from_ms: int, to_ms: int) -> int:
        return stalls.between(opened_ms + from_ms, opened_ms + to_ms)

    return evolved(
        record,
        seats=seats,
        moves=tuple(_move(move, stalled_ms) for move in record.moves),
        games=tuple(_game(game, stalled_ms) for game in record.games),
    )


def _seat(seat: SeatRecord, network: RoundTrip | None) -> SeatRecord:
    if network is None:
        return seat
    return evolved(
        seat,
        round_trip_us=network.round_trip_us,
        round_trip_deviation_us=network.deviation_us,
        segments_resent=network.segments_resent,
    )


def _move(move: MoveRecord, stalled_ms: Callable[[int, int], int]) -> MoveRecord:
    return move if move.seat is None else evolve(move, stall_ms=stalled_ms(move.turn_began_ms, move.at_ms))


def _game(game: GameRecord, stalled_ms: Callable[[int, int], int]) -> GameRecord:
    lapse = game.lapse
    if lapse is None:
        return game
    return evolve(game, lapse=evolve(lapse, stall_ms=stalled_ms(lapse.began_ms, lapse.decided_ms)))
