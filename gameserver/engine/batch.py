"""One batch of commands: decided one after the other, journaled at once, and released when it is durable.

Synchronous and without trio, so that the simulator in the tests drives the very code that serves.

A game's bug ends its own match: `GameBug` names it, a journaled `Void` ends it without a loser, and the command that
met it is refused. Any other exception in `decide` is a bug of ours; the lobby is untouched, the command is refused, the
traceback is logged, and the server goes on. If a timer met the bug, the match is voided, because nobody would send a
timer's command again.

Some commands have to be corrected, as their senders cannot know yet what was decided. A batch decides each command on
the lobby as the one before left it, and more commands come in while it is committed. No player has been told anything
of it by then. That changes the meaning of two commands, both of which end a session: a player must not lose a match
that they never heard of, and a player whose return was not confirmed has not come back.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import structlog
from attrs import Factory, define, evolve, field

from gameserver.core.commands import (
    Arrive,
    Command,
    Drain,
    Enter,
    KeepRanking,
    Kick,
    Leave,
    Play,
    Query,
    ServerStarted,
    SetLadder,
    TimeUp,
    Void,
    Withdraw,
)
from gameserver.core.decide import decide, shortened
from gameserver.core.draft import Decision
from gameserver.core.events import Answer, Code, Event, Rejected
from gameserver.core.identity import SAID_LENGTH_MAX, is_text
from gameserver.core.lobby import TIMED_TABLES, At, Change, Lobby, Timed, TournamentRow
from gameserver.core.match import Match, MatchPhase
from gameserver.core.referee import GameBug
from gameserver.engine.evidence import noted
from gameserver.journal.codec import write_row
from gameserver.journal.journal import JournalRow
from gameserver.records.match_record import MatchRecord, record_of, records_of_epochs
from gameserver.records.tournament_record import Record, record_of_tournament
from gameserver.values import value

_AFTER_A_VOID = (Leave, Enter, Arrive, ServerStarted)
"""Commands that have to be carried out even if a match that they touch had to be voided first."""

_COME_AND_GO = frozenset({Enter, Arrive, Leave, Drain, Kick})
"""Commands that are logged as such, whatever they change."""

log = structlog.get_logger()


class Receiver(Protocol):
    """A receiver of answers and events: a connection, or the house."""

    def deliver(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Takes the answer and events of one command of a batch that is durable; called once for each command."""

    def flush(self) -> None:
        """Sends what a batch's release has delivered to this receiver."""

    def resume(self) -> None:
        """Goes on with input of this receiver that waited for the answer to its command."""

    def dismiss(self, why: str) -> None:
        """Tells the receiver's peer the reason of a decision to end the connection, and ends it."""


@value
class Submission:
    """A command on its way in. `sender` is None for the server's own."""

    command: Command | Query
    stamp_ms: int
    sender: Receiver | None = None


Decided = tuple[Receiver | None, Decision]
"""A decision on its way out, and the receiver of its answer: None for a command of the server's own."""


@define
class InFlight:
    """The changes of a batch that players have not been told yet."""

    entered: list[int] = Factory(list)
    """The sessions that came in."""
    opened: list[int] = Factory(list)
    """The matches that were opened or began; not all of their players have been told."""

    def adjust(self, lobby: Lobby, command: Command | Query) -> tuple[Command | Query, ...]:
        """Corrects a command by what its sender cannot know yet of the batch in flight.

        The commands to decide in its place, in order: the last is the command itself.
        """
        if not isinstance(command, Leave | Kick):
            return (command,)
        before = self._ends_untold(lobby, command)
        # Entered and gone within one batch: the login was never answered.
        if isinstance(command, Leave) and command.session in self.entered:
            command = evolve(command, unheard=True)
        return (*before, command)

    def _ends_untold(self, lobby: Lobby, command: Leave | Kick) -> tuple[Command, ...]:
        """The commands that end the match of a player who was seated but never told: nobody loses such a match.

        The player's search for the next one ends before that match does, or it could lead to a second one. Where a bug
        of ours ended the session, no command has to come before it: the seat waits for its player.
        """
        if isinstance(command, Leave) and command.fault:
            return ()
        name = command.player if isinstance(command, Kick) else lobby.sessions.get(command.session, "")
        player = lobby.players.get(name)
        if player is None or player.match is None or player.match not in self.opened:
            return ()
        match = lobby.matches[player.match]
        if match.phase is MatchPhase.PLAYING and match.seats[match.seat_of(name)].says_ready:
            return ()  # they said that they are ready for it, so they had been told
        return Withdraw(player.session), Void(player.match, f"{player.name} had left before it began")


@define
class Batch:
    """Decides commands one after the other, each on the lobby as the one before left it."""

    lobby: Lobby
    seq: int
    """The number of the journal's last row, this batch's included."""
    now_ms: Callable[[], int]
    wall_ms: Callable[[], int]
    watch: Callable[[Timed, int | None], None]
    """Called with every timed row that changed, and the time at which its next thing is due."""
    judge: Callable[[Lobby, Enter], Enter] = lambda _, command: command
    """Completes a newcomer's command by the judgement of the name, compared with the names in the lobby at that
    moment."""
    outputs: list[Decided] = field(factory=list)
    rows: list[JournalRow] = field(factory=list)
    finished: list[Match] = field(factory=list)
    records: list[MatchRecord] = field(factory=list)
    """The records of the finished matches, in the same order."""
    other_records: list[Record] = field(factory=list)
    """Records committed beside them: changes in tournaments, coming and going at tournaments, a restart."""
    in_flight: InFlight | None = None
    """The sessions that came in and the matches that were opened in this batch; None if there are none."""
    wake: dict[int | str, None] = field(factory=dict)
    """The tournaments and ladders that their directors should look at."""

    def add(self, taken: Submission) -> None:
        """Decides one command of a batch, and before it the time-out that it proves to be overdue."""
        # The clock is read for each command, not once for the batch: a turn that a command begins has its whole time.
        at = At(self.now_ms(), taken.stamp_ms, self.wall_ms())
        command: Any = taken.command  # `decide` takes queries too; a command that changes the lobby is not one
        try:
            if type(command) in _COME_AND_GO:
                command = self._prepared(command, at)
            decision = decide(self.lobby, command, at, is_new=True)
            # The time-out is a command of its own in the journal; the move is decided again behind it.
            if decision.overdue is not None:
                self.add(Submission(decision.overdue, at.now_ms))
                decision = decide(self.lobby, command, at)
            move = command.move if type(command) is Play else ""
            if len(move) > SAID_LENGTH_MAX or not (move.isascii() or is_text(move)):
                command, decision = shortened(self.lobby, command, at, decision)
            records = [_record_of(match, at) for match in decision.finished] if decision.finished else ()
            # A change that cannot be encoded must not have happened, so it is encoded before the lobby takes it.
            row = write_row(self.seq + 1, at, command) if decision.changes else None
        except GameBug as fault:
            log.exception("a game's code failed", match=fault.match, command=type(command).__name__)
            self._void_and_refuse(taken, fault)
        except Exception:
            log.exception("decision failed", command=command)
            self._refuse_for_our_mistake(taken)
        else:
            if row is not None:
                self._keep(command, row, decision.changes)
            if decision.finished or decision.faults or decision.wake:
                self._note_ends(decision, records)
            self.outputs.append((taken.sender, decision))

    def _prepared(self, command: Any, at: At) -> Any:
        """Complete a command by which a player comes or goes; first decide the commands that have to precede it."""
        if type(command) is Enter:
            return self.judge(self.lobby, command)
        if self.in_flight is None:
            return command
        *before, command = self.in_flight.adjust(self.lobby, command)
        for earlier in before:
            self.add(Submission(earlier, at.now_ms))
        return command

    def _void_and_refuse(self, taken: Submission, fault: GameBug) -> None:
        """End the match whose game failed; then decide a command again that must be carried out in any case."""
        if fault.match is None:
            self._refuse(taken, "the game could not be begun; play another, and tell the teacher")
            return
        void = Submission(Void(fault.match, fault.why), taken.stamp_ms)
        # A connection that has ended has ended, whatever becomes of its match: the command is decided once more after
        # the void.
        if isinstance(taken.command, _AFTER_A_VOID):
            self.add(void)
            if fault.match not in self.lobby.matches:
                self.add(taken)
        else:
            self._refuse(taken, "the game made a mistake, so this match ends without a loser")
            self.add(void)

    def _refuse_for_our_mistake(self, taken: Submission) -> None:
        self._refuse(taken, "the server made a mistake, nothing was changed")
        # The alarm would ring for it again and again, and meet the same bug.
        if isinstance(taken.command, TimeUp):
            self.add(Submission(Void(taken.command.match, "server fault"), taken.stamp_ms))

    def _refuse(self, taken: Submission, why: str) -> None:
        self.outputs.append((taken.sender, Decision(Rejected(Code.SERVER_FAULT, {"why": why}), (), ())))

    def _keep(self, command: Command, row: JournalRow, changes: tuple[Change, ...]) -> None:
        """Apply a decision's changes; log the matches that begin, and the players who come and go."""
        self.seq = row.seq
        self.rows.append(row)
        for table, key, new in changes:
            if table == "server" and new.epochs is not self.lobby.server[""].epochs:
                self.other_records += records_of_epochs(self.lobby.server[""].epochs, new.epochs, row.wall_ms)
            if table in TIMED_TABLES:
                self.watch((table, key), None if new is None else new.due_ms)
                if new is not None and table == "matches":
                    before = self.lobby.matches.get(key)
                    if before is None or before.phase is not new.phase:
                        self._note_match(before, new)
                elif new is not None and table == "tournaments":
                    self._note_tournament(key, new)
            elif table == "ladders":
                self._note_ladder(command)
        if type(command) in _COME_AND_GO:
            self._note_coming_and_going(command, changes)
        # Before the lobby takes the changes: what is noted is the difference between the two.
        if self.lobby.tournaments:
            self.other_records += noted(self.lobby, command, changes, row.now_ms, row.wall_ms)
        self.lobby.apply(changes)

    def _note_ends(self, decision: Decision, records: Sequence[MatchRecord]) -> None:
        """Record and log the matches that a decision ended, its effect on tournaments, and the faults of games."""
        self.wake.update(dict.fromkeys(decision.wake))
        for why in decision.faults:
            log.error("a game's code failed", why=why)
        for match in decision.finished:
            _log_result(match)
        self.finished += decision.finished
        self.records += records

    def _put_in_flight(self) -> InFlight:
        if self.in_flight is None:
            self.in_flight = InFlight()
        return self.in_flight

    def _note_match(self, before: Match | None, match: Match) -> None:
        """Note and log a match that was opened, or that began once its players were ready."""
        if before is None:
            self._put_in_flight().opened.append(match.id)
            log.info("match opened", match=match.id, game=match.whole.game.name, players=match.players)
        elif match.phase is MatchPhase.PLAYING and match.game_number == 1:
            self._put_in_flight().opened.append(match.id)

    def _note_tournament(self, number: int, row: TournamentRow) -> None:
        before = self.lobby.tournaments.get(number)
        record = record_of_tournament(before, row)
        if record is not None:
            self.other_records.append(record)
        if before is None or before.state.phase is not row.state.phase:
            log.info("tournament", tournament=number, name=row.name, phase=row.state.phase.value)

    def _note_ladder(self, command: Command) -> None:
        if isinstance(command, KeepRanking):
            self.other_records.append(command)
        elif isinstance(command, SetLadder):
            log.info("ladder", game=command.game, is_open=command.is_open, by=command.by)

    def _note_coming_and_going(self, command: Command, changes: Sequence[Change]) -> None:
        if isinstance(command, Enter | Arrive):
            self._put_in_flight().entered.append(command.session)
        if isinstance(command, Enter):
            name = next(given for table, _, given in changes if table == "sessions" and given is not None)
            before = self.lobby.players.get(name)
            log.info(
                "player entered",
                session=command.session,
                player=name,
                address=command.address,
                match=self.lobby.seated.get(name),
                **({"takes_over_from": before.address} if before is not None else {}),
            )
        elif isinstance(command, Leave):
            name = self.lobby.sessions[command.session]
            log.info("player left", session=command.session, player=name, match=self.lobby.seated.get(name))
        elif isinstance(command, Drain):
            log.info("asked to stop", by=command.by, why=command.why)
        elif isinstance(command, Kick):
            log.info("player kicked", player=command.player, by=command.by, why=command.why)


def _record_of(match: Match, at: At) -> MatchRecord:
    """The record of a match; values that the game gave for it may not be fit to record."""
    try:
        return record_of(match, at.wall_ms)
    except Exception as error:
        raise GameBug(f"cannot be recorded: {error}", match.id) from error


def _log_result(match: Match) -> None:
    result = match.result
    assert result is not None, "only a match that is over is logged"
    log.info(
        "match over",
        match=match.id,
        game=match.whole.game.name,
        players=match.players,
        winners=tuple(match.seats[seat].player for seat in result.winners),
        reason=result.reason.value,
        why=result.why,
    )


def release(outputs: Sequence[Decided], find: Callable[[int], Receiver | None]) -> None:
    """Releases a batch that is durable: delivers its answers and events, in order.

    Each receiver sends once, and then goes on with its input.
    """
    touched: dict[Receiver, None] = {}
    answered: list[Receiver] = []
    for sender, decision in outputs:
        told: dict[Receiver, list[Event]] = {}
        for session, event in decision.deliveries:
            receiver = find(session)
            if receiver is None:
                continue  # a player who has left hears nothing more
            if receiver in told:
                told[receiver].append(event)
            else:
                told[receiver] = [event]
        if sender is not None:
            answered.append(sender)
            touched[sender] = None
            sender.deliver(decision.answer, told.pop(sender, ()))
        for receiver, events in told.items():
            touched[receiver] = None
            receiver.deliver(None, events)
        for session, why in decision.dismissed:
            _dismiss(find(session), why)
    # Only now, so that all of a batch leaves in one send: one real client cannot read a line that is split over two
    # segments.
    for receiver in touched:
        receiver.flush()
    # After every flush: input that waited may be a command that ends the connection.
    for sender in answered:
        sender.resume()


def _dismiss(receiver: Receiver | None, why: str) -> None:
    if receiver is not None:
        receiver.dismiss(why)
