"""What must hold at every step, whatever happens: between the lobby, its journal, and what clients were told."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from gameserver.core.matches.faults import is_away_by_fault
from gameserver.core.messages.commands import Book, Play
from gameserver.core.messages.events import (
    Accepted,
    By,
    EndReason,
    Event,
    GameEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    Rejected,
    TurnStarted,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.state import tournament
from gameserver.core.state.lobby import Lobby
from gameserver.core.state.match import Match
from gameserver.engine.alarm import PATIENCE_MS
from gameserver.engine.batch import Batch, Release, Submission
from gameserver.engine.clock import HEARTBEAT_MS
from gameserver.policies import Policies
from gameserver.records.match_record import MatchRecord
from tests.simulation import tournaments
from tests.simulation.conserved import check_conserved
from tests.simulation.recorded import check_record
from tests.simulation.violation import Violation
from tests.support.lobbies import check

if TYPE_CHECKING:
    from tests.simulation.process import Process

__all__ = ["Auditor", "Violation", "moves_of", "over_by_ms"]

DECIDED_WITHIN_MS = 350
"""How long after it was read a command may be decided, as the axis goes: a heartbeat, stalls and commits."""


@define
class Auditor:
    """Looks at every decision, and keeps what it needs to know of earlier ones, across all restarts."""

    records: dict[int, MatchRecord] = field(factory=dict)
    """What was committed about finished matches."""
    _owners: dict[tuple[int, int], int] = field(factory=dict)
    """Who really was behind each seat of each match when it was opened."""
    _turns: dict[int, TurnStarted] = field(factory=dict)
    """For each session of this process: its last turn, as decided."""
    _turns_told: dict[tuple[int, tuple[int, ...]], int] = field(factory=dict)
    """For each match and who is to act there: the turn that was told last, by whatever connection."""
    _present: set[tuple[int, int]] = field(factory=set)
    """The seats whose player has been here since the last start, so that it is their own doing if they are not now."""
    _met_bugs: set[tuple[int, int]] = field(factory=set)
    """The seats whose player a bug of ours has disconnected, and who is not back."""
    _told: set[tuple[int, int]] = field(factory=set)
    """The seats whose player was ever told of the match."""
    _row_ms: int = 0
    _running: set[int] = field(factory=set)
    """The matches that there were when the server began to drain, or are now."""

    def decided(self, process: "Process", taken: Submission, outputs: Sequence[Release]) -> None:
        """After a command was decided: `outputs` are its own and what had to be decided before it."""
        check(process.lobby)
        check_seekers(process.lobby)
        tournaments.check(process.lobby)
        self._check_drain(process.lobby)
        if taken.stamp_ms > process.now_ms():
            raise Violation("no command is from the future", repr(taken))
        if isinstance(taken.command, Book):
            owner = process.bots[taken.command.session]
            process.world.secrets.keep_own(taken.command.ticket, owner)
            process.world.secrets.keep_own(taken.command.token, owner)
        for player in process.lobby.players.values():
            process.world.rosters.check(player.name, process.bots[player.session])
        if isinstance(taken.command, Play):
            if isinstance(outputs[0].answer, Accepted) and len(outputs) > 1:
                process.world.count("move overdue")
            self._in_time(process, taken, taken.command, outputs[-1])
        for output in outputs:
            _no_mistake(output)
            for session, event in output.deliveries:
                self._hear(process, session, event)
        self._check_owners(process)
        _note_claims(process)
        process.world.secrets.notice(process.lobby)

    def committed(self, process: "Process", batch: Batch) -> None:
        """After a batch was committed."""
        for row in batch.rows:
            if row.now_ms < self._row_ms:
                raise Violation("time goes forward", f"{row.now_ms} ms after {self._row_ms} ms")
            self._row_ms = row.now_ms
            process.world.rosters.check_kept(row.body)
        for record in batch.records:
            self._keep(record, process.lobby)
            process.world.secrets.ended(record)
        tournaments.check_results(process.lobby, self.records)

    def _keep(self, record: MatchRecord, lobby: Lobby) -> None:
        if record.match in self.records or record.match in lobby.matches:
            raise Violation("every match ends once", f"match {record.match} is recorded again, or still live")
        check_record(record)
        self.records[record.match] = record
        losers = [seat.seat for seat in record.seats if seat.result == "loss"]
        if record.reason == "dropped" and not all(
            (record.match, seat) in self._present & self._told for seat in losers
        ):
            raise Violation("who drops out of a match has been in it", repr(record))
        games = record.games[-1:]
        lost = {game.by for game in games if game.reason in {"dropped", "late"}}
        lost |= set(losers) if record.reason in {"dropped", "late"} else set()
        if any((record.match, seat) in self._met_bugs for seat in lost):
            raise Violation("nobody loses by our bug", repr(record))

    def seated(self, match: int, seat: int) -> None:
        """A player was told of a seat."""
        self._told.add((match, seat))

    def restarted(self, lobby: Lobby, records: Iterable[MatchRecord]) -> None:
        """A new process numbers its sessions anew, and knows only what was committed; perhaps more than we heard of."""
        found = {record.match: record for record in records}
        for match, record in found.items():
            if match not in self.records:
                self._keep(record, lobby)
        if found != self.records:
            raise Violation("nothing that was told is lost", f"{len(found)} of {len(self.records)} records are left")
        self._turns.clear()
        self._turns_told.clear()
        self._present.clear()
        self._owners = {key: bot for key, bot in self._owners.items() if key[0] in lobby.matches}

    def truth(self, process: "Process | None", match: int) -> list[tuple[str, str]] | None:
        """A match's moves, as the server has them now: player and move. None where it knows no such match."""
        live = None if process is None else process.lobby.matches.get(match)
        if live is not None:
            return moves_of(live)
        record = self.records.get(match)
        if record is None and process is not None and process.sequencer.batch is not None:
            pending = process.sequencer.batch.records
            record = next((record for record in pending if record.match == match), None)
        if record is None:
            return None
        return [(record.seats[move.seat].player, move.move) for move in record.moves if move.seat is not None]

    def _hear(self, process: "Process", session: int, event: Event) -> None:
        if isinstance(event, TurnStarted):
            is_again = self._turns_told.get((event.match, event.seats)) == event.turn
            self._turns_told[event.match, event.seats] = event.turn
            self._turns[session] = event
            allowed_ms = None if event.deadline_ms is None else event.deadline_ms - process.now_ms()
            process.allowed_ms[event.match, event.turn, session] = allowed_ms
            match = process.lobby.matches.get(event.match)
            if match is not None and event.deadline_ms is not None and allowed_ms is not None:
                over_ms = event.deadline_ms
                if is_again:
                    over_ms = over_by_ms(over_ms, match.policies.late_margin_ms, process.looks_ms, process.now_ms())
                _check_allowed(match.policies, allowed_ms, event.deadline_ms - over_ms)
        elif isinstance(event, GameEnded) and event.reason is EndReason.LATE and event.by is not None:
            self._had_time(process, session, event.match, event.by)
        elif isinstance(event, MovePlayed):
            if event.by is By.SERVER and event.seat is not None:
                self._had_time(process, session, event.match, event.seat)
            live = process.lobby.matches.get(event.match)
            if live is not None:
                check_conserved(live)
        elif isinstance(event, MatchOpened | MatchShown | MatchPaired):
            self._own(process, event.match, event.seat, process.bots.get(session))

    def _had_time(self, process: "Process", session: int, match: int, seat: int) -> None:
        """Who is late knew of the turn, and had all the time that was allowed, whatever the server was busy with."""
        endpoint, turn = process.endpoints.get(session), self._turns.get(session)
        if endpoint is None or turn is None or (turn.match, turn.seats) != (match, (seat,)):
            return
        told = endpoint.wire.turns_told[-1] if endpoint.wire.turns_told else None
        if told is None or (told.match, told.turn) != (turn.match, turn.turn):
            raise Violation("who loses on time had the time", f"session {session} was not told of {turn}")
        had_ms = process.world.real_ms - told.real_ms
        if had_ms < (told.allowed_ms or 0):
            raise Violation("who loses on time had the time", f"session {session} had {had_ms} ms for {told}")

    def _own(self, process: "Process", match: int, seat: int, bot: int | None) -> None:
        live = process.lobby.matches.get(match)
        if live is not None and live.seats[seat].is_claimed and (match, seat) not in self._owners:
            return  # whoever knows the id may keep the seat warm until its owner comes
        self._check_ticket(process, match, seat, bot)
        if bot is not None and self._owners.setdefault((match, seat), bot) != bot:
            raise Violation("nobody takes another's seat", f"bot {bot} got seat {seat} of match {match}")

    def _check_ticket(self, process: "Process", match: int, seat: int, bot: int | None) -> None:
        """A seat that is no mere claim belongs to the client that took its ticket out."""
        live = process.lobby.matches.get(match)
        owner = None if live is None else process.world.secrets.owner_of(live.seats[seat].ticket)
        if owner is not None and bot is not None and owner != bot:
            raise Violation("nobody takes another's seat", f"bot {bot} got seat {seat} of match {match}")

    def _check_drain(self, lobby: Lobby) -> None:
        if lobby.server[""].stop_by_ms is None:
            self._running = set(lobby.matches)
        elif not self._running.issuperset(lobby.matches):
            raise Violation("no match begins before a stop", f"{sorted(lobby.matches)}, of which ran {self._running}")

    def _check_owners(self, process: "Process") -> None:
        for match in process.lobby.matches.values():
            for seat, holder in enumerate(match.seats):
                if is_away_by_fault(holder):
                    self._met_bugs.add((match.id, seat))
                if holder.session:
                    self._met_bugs.discard((match.id, seat))
                    self._present.add((match.id, seat))
                    self._own(process, match.id, seat, process.bots[holder.session])

    def _in_time(self, process: "Process", taken: Submission, command: Play, output: Release) -> None:
        """A move that was read after deadline and margin must not be played."""
        turn = self._turns.get(command.session)
        deadline_ms = None if turn is None else turn.deadline_ms
        if turn is None or deadline_ms is None:
            return
        late_ms = taken.stamp_ms - deadline_ms - process.world.rules.late_margin_ms
        for _, event in output.deliveries:
            if isinstance(event, MovePlayed) and event.match == turn.match and event.by is By.PLAYER and late_ms > 0:
                raise Violation("late moves do not count", f"{command} was read {late_ms} ms too late")


def _note_claims(process: "Process") -> None:
    """Whoever sits in another's place is told what the match is called."""
    places = [(ticket.session, ticket.is_claimed, ticket.public_id) for ticket in process.lobby.tickets.values()]
    for match in process.lobby.matches.values():
        places += [(seat.session, seat.is_claimed, seat.ids.public or seat.ticket) for seat in match.seats]
    for session, is_claimed, public_id in places:
        if session is not None and is_claimed:
            process.world.secrets.keep_own(public_id, process.bots[session])


def check_seekers(lobby: Lobby) -> None:
    """Who looks for a match and is free stands in the queue, unless the server is about to stop."""
    if lobby.server[""].drains:
        return
    for player in lobby.players.values():
        if tournament.is_reserved(lobby, player.name):
            continue
        if player.seek is not None and player.match is None and player.name not in lobby.queues.get(player.seek, ()):
            raise Violation("who could play is not left waiting", f"{player} stands in no queue")


def over_by_ms(deadline_ms: int, margin_ms: int, looks_ms: Sequence[int], now_ms: int) -> int:
    """The time by which a turn that has not been answered is over; `now_ms` if that cannot be said yet.

    While commands of its player are in the works, the alarm ends a turn once its patience is over. It looks at a turn
    that is due again after a heartbeat, or when it has rested. So the first look after that is the last that may leave
    the turn as it is, however long the alarm has rested before it, or rests now.
    """
    last = bisect_right(looks_ms, deadline_ms + margin_ms + PATIENCE_MS + HEARTBEAT_MS)
    return now_ms if last == len(looks_ms) else looks_ms[last] + DECIDED_WITHIN_MS


def _check_allowed(policies: Policies, allowed_ms: int, least_ms: int) -> None:
    """Nobody is told of a turn that is over, or of one longer than was agreed.

    A move that is refused in the margin, or a player who comes by another connection then, has the turn told again
    while it is not ended. `least_ms` is below 0 then.
    """
    pauses_ms = policies.first_move_pause_ms + policies.move_pause_ms + policies.late_pause_ms
    most_ms = (policies.turn_time_ms or 0) + pauses_ms
    if not least_ms <= allowed_ms <= most_ms:
        raise Violation("a turn has its time", f"{allowed_ms} ms instead of {least_ms} to {most_ms} ms")


def _no_mistake(output: Release) -> None:
    """A broken game may void its match; the server's own code must not fail."""
    answer = output.answer
    if isinstance(answer, Rejected) and answer.code is Code.SERVER_FAULT and "server made a mistake" in str(answer):
        raise Violation("the server makes no mistakes", str(answer))


def moves_of(match: Match) -> list[tuple[str, str]]:
    """The moves of a live match, without draws."""
    return [(match.seats[step.seat].player, step.text) for step in match.moves if step.seat is not None]
