"""Notes the players who were there for the matches of tournaments, as facts for the records.

Reads the lobby as it was before a decision, and the decision's changes. Most lobbies have no tournament, and then
nothing is looked at.
"""

from collections.abc import Iterator, Sequence

from gameserver.core.commands import Command, Kick, Leave, ServerStarted
from gameserver.core.lobby import Change, Lobby, Player, TournamentRow
from gameserver.records.match_record import time_of_day
from gameserver.records.tournament_record import Attendance, AttendanceRecord
from gameserver.tournaments.model import Pairing, PairingStatus


def noted(
    lobby: Lobby, command: Command, changes: Sequence[Change], now_ms: int, wall_ms: int
) -> Iterator[AttendanceRecord]:
    """The facts of a decision. Call it before the lobby takes the changes."""
    if not lobby.tournaments:
        return
    at = (time_of_day(wall_ms), now_ms)
    players = {key: new for table, key, new in changes if table == "players"}
    rows = {key: new for table, key, new in changes if table == "tournaments"}
    for name, new in players.items():
        before = lobby.players.get(name)
        if (before is None) is (new is None) and (before is None or new.session == before.session):
            continue
        for number, row in lobby.tournaments.items():
            if row.keeps(name):
                what = Attendance.LEFT if new is None else Attendance.CAME
                yield AttendanceRecord(number, *at, what, None, name, _why(command) if new is None else _how(new))
    for number, row in rows.items():
        if row is not None:
            yield from _of_pairings(lobby.tournaments.get(number), row, {**lobby.players, **players}, at)


def _of_pairings(
    before: TournamentRow | None, row: TournamentRow, players: dict[str, Player | None], at: tuple[str, int]
) -> Iterator[AttendanceRecord]:
    old = () if before is None else before.state.pairings
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
