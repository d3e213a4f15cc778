"""Checks of every row that becomes durable, of the records with it, and of the positions that follow."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

import orjson
from attrs import define, evolve, field

from gameserver.core.commands import Book, Kick, Leave, Play, TimeUp
from gameserver.core.draft import Decision
from gameserver.core.events import (
    By,
    EndReason,
    Event,
    GameEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    TurnStarted,
)
from gameserver.core.lobby import At, Lobby, Ticket, is_reserved
from gameserver.core.match import Match, SeatHolder
from gameserver.core.seats import is_away_by_fault
from gameserver.engine.clock import HEARTBEAT_MS, PATIENCE_MS, STALL_MS
from gameserver.game import Game, Outcome
from gameserver.journal.journal import JournalRow
from gameserver.policies import Policies
from gameserver.records.match_record import MatchRecord, MoveRecord
from tests.simulation import tournaments
from tests.simulation.banks import Ledger
from tests.simulation.told import moves_on_record
from tests.simulation.violation import Violation
from tests.support.lobbies import check

if TYPE_CHECKING:
    from tests.simulation.disk import Truth
    from tests.simulation.power import Machine
    from tests.simulation.world import World

CHECKERS = 15
FAMILY = ("Backgammon", "Tavla", "Portes", "Plakoto", "Fevga")


def check_conserved(match: Match) -> None:
    """Check the position of a live match against its moves."""
    rule = _RULES.get(match.game.name)
    view: Any = match.state.view(None)
    if rule is not None and not rule(view, sum(step.seat is not None for step in match.moves)):
        raise Violation("stones are conserved", f"match {match.id} after {len(match.moves)} steps: {view}")


def _stones(view: Any, moves: int) -> bool:
    """One stone a move, in turns."""
    stones = "".join(row for layer in view["layers"] for row in layer)
    taken = [stones.count(mark) for mark in sorted(set(stones) - {"."})]
    return sum(taken) == moves and (not taken or max(taken) - (min(taken) if len(taken) > 1 else 0) <= 1)


def _discs(view: Any, moves: int) -> bool:
    """Four at the start, and one a move; how many are whose changes all the time."""
    return bool(view["black"] + view["white"] == 4 + moves)


def _checkers(view: Any, _: int) -> bool:
    """Fifteen on each side: on the points, pinned, on the bar, off."""
    places = (*view["fields"], *(view["pinned"] or ()))
    white, black = -sum(n for n in places if n < 0), sum(n for n in places if n > 0)
    return all(
        on_board + view["bar"][seat] + view["off"][seat] == CHECKERS for seat, on_board in enumerate((white, black))
    )


_RULES: Mapping[str, Callable[[Any, int], bool]] = {
    "Connect-four-3D": _stones,
    "Reversi": _discs,
    **dict.fromkeys(FAMILY, _checkers),
}


def check_record(record: MatchRecord, games: Mapping[str, Game[Any]]) -> None:
    """Check that a record agrees with itself and with the rules of its game."""
    results = sorted(seat.result.value for seat in record.seats)
    if record.reason in {"void", "abandoned"}:
        good = results == ["void", "void"] and not record.rated and all(seat.points == 0 for seat in record.seats)
    else:
        good = results in (["loss", "win"], ["draw", "draw"])
    if not good:
        raise Violation("a match has one result, and a void one no loser", repr(record))
    if any(move.think_ms < 0 or move.at_ms < 0 for move in record.moves):
        raise Violation("clocks are never negative", repr(record))
    if record.game.startswith("Broken"):
        return
    game = games[record.game.lower()]
    options = game.options_type(**orjson.loads(record.options))
    if game.series(options) is None:
        _check_outcome(record, _outcome_of(game, options, record.moves))
    else:
        _check_series(record, game, options)


def _check_outcome(record: MatchRecord, outcome: Outcome | None) -> None:
    points = tuple(seat.points for seat in record.seats)
    winners = tuple(seat.seat for seat in record.seats if seat.result == "win")
    if (outcome is not None) != (record.reason == "played"):
        raise Violation("a result follows from the moves", repr(record))
    if outcome is not None and (points, winners) != (outcome.points, outcome.winners):
        raise Violation("a result follows from the moves", repr(record))


def _check_series(record: MatchRecord, game: Game[Any], options: Any) -> None:
    """Replay the games that were played to their ends; the moves of one that was given up prove nothing."""
    series = game.series(options)
    for moves in _games(record.moves):
        following = series.next_game
        if following is None:
            raise Violation("a result follows from the moves", f"there is a game too many in {record}")
        outcome = _outcome_of(*following, moves)
        if outcome is None:
            return
        series = series.after(outcome)
    if series.next_game is None:
        _check_outcome(record, series.outcome)
    elif record.reason == "played":
        raise Violation("a result follows from the moves", f"there is a game too few in {record}")


def _games(moves: tuple[MoveRecord, ...]) -> Iterator[tuple[MoveRecord, ...]]:
    for _, played in groupby(moves, key=lambda move: move.game):
        yield tuple(played)


def _outcome_of(game: Game[Any], options: Any, moves: tuple[MoveRecord, ...]) -> Outcome | None:
    state = game.start(options)
    for move in moves:
        if move.seat is None:
            state = state.drawn(tuple(int(number) for number in move.move.split()))
        else:
            state = state.play(move.seat, game.read_move(move.move))
    return state.outcome


OVER_MS = PATIENCE_MS + 2 * HEARTBEAT_MS + STALL_MS + 350
"""The longest time after deadline and margin for a turn to be told again: the alarm's patience, a look, a decision."""

STALE_MS = STALL_MS + HEARTBEAT_MS
"""The greatest age of the server's time when a turn is told, and so the excess of the time that it seems to leave."""


CHATTER_MAX = 10
"""Commands that a client may say before a move: the low rate of some seeds lets no more through in the patience."""


@define
class Auditor:
    """Checks every row, and keeps what it needs to know of earlier ones across all restarts."""

    _world: "World"
    records: dict[int, MatchRecord] = field(factory=dict)
    """The committed records of finished matches."""
    _owners: dict[tuple[int, int], int] = field(factory=dict)
    """The client that was really behind each seat of each match when it was opened."""
    _turns: dict[int, TurnStarted] = field(factory=dict)
    """The last turn of each session of this process, as decided."""
    _turns_told: dict[tuple[int, tuple[int, ...]], int] = field(factory=dict)
    """The turn that was told last, by match and seats to act, on whatever connection."""
    _present: set[tuple[int, int]] = field(factory=set)
    """The seats whose player was told of the match since the last start, so that it is their own doing to leave."""
    _met_bugs: set[tuple[int, int]] = field(factory=set)
    """The seats whose player a bug of ours has disconnected, and who is not back."""
    _told: dict[tuple[int, int], int] = field(factory=dict)
    """The seats whose player was ever told of the match, and the server's time when that was first."""
    _row_ms: int = 0
    _banks: Ledger = field(init=False)
    _running: set[int] = field(factory=set)
    """The matches that there were when the server began to drain, or are now."""

    def __attrs_post_init__(self) -> None:
        self._banks = Ledger(self._world)

    def decided(self, machine: "Machine", command: Any, at: At, decision: Decision) -> None:
        """Check a decision that is durable and applied to the truth."""
        lobby, world = machine.lobby, self._world
        check(lobby)
        check_seekers(lobby)
        tournaments.check(lobby)
        world.ladder.check(command, at, decision)
        self._check_drain(lobby)
        if at.stamp_ms > at.now_ms:
            raise Violation("no command is from the future", f"{command} at {at}")
        if isinstance(command, Book):
            owner = machine.bot_of(command.session)
            world.secrets.keep_own(command.ticket, owner)
            world.secrets.keep_own(command.token, owner)
        for player in lobby.players.values():
            world.rosters.check(player.name, machine.bot_of(player.session))
        if isinstance(command, TimeUp) and command.quiet is None:
            self._note_outwaited(machine, command, at)
        elif isinstance(command, TimeUp):
            self._check_all_read(machine, command, at)
        if isinstance(command, Leave | Kick):
            self._check_heard_of(command, at, decision)
        if isinstance(command, Leave) and command.fault and any(match.result.winners for match in decision.finished):
            raise Violation("nobody loses by our bug", f"{command} ends {decision.finished}")
        if isinstance(command, Play):
            self._in_time(command, at, decision)
        for session, event in decision.deliveries:
            self._hear(machine, at, session, event)
        self._banks.decided(machine, at, decision)
        self._check_owners(machine)
        self._note_claims(machine)
        world.secrets.notice(lobby)

    def committed(self, machine: "Machine", rows: Sequence[JournalRow], records: Iterable[Any]) -> None:
        for row in rows:
            if row.now_ms < self._row_ms:
                raise Violation("time goes forward", f"{row.now_ms} ms after {self._row_ms} ms")
            self._row_ms = row.now_ms
            self._world.rosters.check_kept(row.body)
        for record in records:
            if isinstance(record, MatchRecord):
                self._keep(record, machine.lobby)
                self._world.secrets.ended(record)
                self._world.count(f"ended: {record.reason}")
        tournaments.check_results(machine.lobby, self.records)

    def seated(self, machine: "Machine", match: int, seat: int) -> None:
        """Note that a player was told of a seat."""
        self._told.setdefault((match, seat), machine.axis_ms)
        self._present.add((match, seat))

    def restarted(self, lobby: Lobby, records: Iterable[MatchRecord]) -> None:
        """Forget the sessions of the last process, and check that all records are left."""
        found = {record.match: record for record in records}
        for match in found.keys() & self.records.keys():
            if not self.records[match].key:
                found[match] = evolve(found[match], key="")  # a tournament's matches tell it when the last has ended
        if found != self.records:
            raise Violation("nothing that was told is lost", f"{len(found)} of {len(self.records)} records are left")
        self._turns.clear()
        self._turns_told.clear()
        self._present.clear()
        self._owners = {key: bot for key, bot in self._owners.items() if key[0] in lobby.matches}

    def rewound(self, truth: "Truth", records: Iterable[MatchRecord]) -> None:
        """Forget the last rows, which the database has lost."""
        self.records = {record.match: record for record in records}
        self._row_ms = truth.now_ms
        self._banks.rewound(truth.lobby, truth.now_ms)
        self._running |= set(truth.lobby.matches)

    def truth(self, match: int) -> list[tuple[str, str]] | None:
        """Give the moves of a match, as (player, move), by what is on the disk now; None for an unknown match."""
        live = self._world.truth.lobby.matches.get(match)
        if live is not None:
            return moves_of(live)
        record = self.records.get(match)
        return None if record is None else moves_on_record(record)

    def _keep(self, record: MatchRecord, lobby: Lobby) -> None:
        if record.match in self.records or record.match in lobby.matches:
            raise Violation("every match ends once", f"match {record.match} is recorded again, or still live")
        check_record(record, self._world.plan.games)
        self.records[record.match] = record
        losers = [seat.seat for seat in record.seats if seat.result == "loss"]
        if record.reason == "dropped" and not all((record.match, seat) in self._present for seat in losers):
            raise Violation("who drops out of a match has been in it", repr(record))
        games = record.games[-1:]
        lost = {game.by for game in games if game.reason in {"dropped", "late"}}
        lost |= set(losers) if record.reason in {"dropped", "late"} else set()
        if any((record.match, seat) in self._met_bugs for seat in lost):
            raise Violation("nobody loses by our bug", repr(record))

    def _due_ms(self, match: int, at: At) -> int:
        """Give the time from which a move of the last turn told in a match is late; now if it has no deadline."""
        deadlines = [turn.deadline_ms for turn in self._turns.values() if turn.match == match]
        known = [deadline_ms for deadline_ms in deadlines if deadline_ms is not None]
        return min(at.stamp_ms, max(known) + self._world.rules.late_margin_ms) if known else at.stamp_ms

    def _note_outwaited(self, machine: "Machine", command: TimeUp, at: At) -> None:
        """Note the matches whose turn ended when the alarm's patience did, with a client that took no answers.

        Where the seed's rate of commands is low, a client may also have said more than is let through in that time: its
        move waits behind its own chatter. A time-out that a late move itself has brought is decided without the alarm,
        and sooner.
        """
        if at.stamp_ms - self._due_ms(command.match, at) <= PATIENCE_MS:
            return
        match = machine.lobby.matches.get(command.match)
        sessions = [] if match is None else [seat.session for seat in match.seats if seat.session]
        is_slowed = self._world.plan.limits().commands_per_s * PATIENCE_MS / 1_000 <= CHATTER_MAX
        has_answers_left = any(machine.wires[session].coming for session in sessions if session in machine.wires)
        if match is None or is_slowed or has_answers_left:
            self._world.outwaited.add(command.match)
            self._world.count("a turn that outlasts the alarm's patience")

    def _check_all_read(self, machine: "Machine", command: TimeUp, at: At) -> None:
        """Check that whatever came from a player before their time was up was read before the alarm went off.

        What came later may wait behind other commands: it would not count.
        """
        due_ms = self._due_ms(command.match, at)
        for wire in (machine.wires[session] for session in command.quiet or () if session in machine.wires):
            before = [arrival for arrival in wire.arrivals if arrival.axis_ms < due_ms]
            read = wire.read_of(before[-1].end) if before else None
            if before and not wire.is_over and (read is None or read.axis_ms > at.stamp_ms):
                raise Violation("what has arrived is read before a time-out", f"{before[-1]} is read {read}, not {at}")

    def _check_heard_of(self, command: Leave | Kick, at: At, decision: Decision) -> None:
        """Check that nobody lost a match that they had not been told of.

        A player who leaves must have been told before that, and one whom the teacher sends away before the act counts.
        """
        by_ms = at.stamp_ms if isinstance(command, Leave) else at.now_ms
        for match in decision.finished:
            for seat, _ in enumerate(match.seats):
                is_loser = bool(match.result.winners) and seat not in match.result.winners
                if is_loser and self._told.get((match.id, seat), by_ms + 1) > by_ms:
                    raise Violation("nobody loses a match that they never heard of", f"{command} at {at} ends {match}")

    def _hear(self, machine: "Machine", at: At, session: int, event: Event) -> None:
        if isinstance(event, TurnStarted):
            is_again = self._turns_told.get((event.match, event.seats)) == event.turn
            self._turns_told[event.match, event.seats] = event.turn
            self._turns[session] = event
            allowed_ms = None if event.deadline_ms is None else event.deadline_ms - at.now_ms
            match = machine.lobby.matches.get(event.match)
            if match is not None and allowed_ms is not None:
                least_ms = -(match.policies.late_margin_ms + OVER_MS) if is_again else 0
                _check_allowed(match.policies, allowed_ms, least_ms)
        elif isinstance(event, GameEnded) and event.result.reason is EndReason.LATE and event.result.by is not None:
            self._had_time(machine, session, event.match, event.result.by)
        elif isinstance(event, MovePlayed):
            if event.by is By.SERVER and event.seat is not None:
                self._had_time(machine, session, event.match, event.seat)
            live = machine.lobby.matches.get(event.match)
            if live is not None:
                check_conserved(live)
        elif isinstance(event, MatchOpened | MatchShown | MatchPaired) and session in machine.wires:
            self._own(machine, event.match, event.seat, machine.bot_of(session))

    def _had_time(self, machine: "Machine", session: int, match: int, seat: int) -> None:
        """Check that a player who is late knew of the turn, and had all the time allowed, whatever the server did."""
        wire, turn = machine.wires.get(session), self._turns.get(session)
        if wire is None or wire.server_done or turn is None or (turn.match, turn.seats) != (match, (seat,)):
            return
        told = wire.turns_told[-1] if wire.turns_told else None
        if told is None or (told.match, told.turn) != (turn.match, turn.turn):
            raise Violation("who loses on time had the time", f"session {session} was not told of {turn}")
        had_ms = self._world.real_ms - told.real_ms
        if had_ms < (told.allowed_ms or 0) + self._world.rules.late_margin_ms - STALE_MS:
            raise Violation("who loses on time had the time", f"session {session} had {had_ms} ms for {told}")

    def _own(self, machine: "Machine", match: int, seat: int, bot: int) -> None:
        live = machine.lobby.matches.get(match)
        claim = None if live is None else live.seats[seat].claim
        if claim is not None and claim.by_stranger and (match, seat) not in self._owners:
            return  # whoever knows the id may keep the seat warm until its owner comes
        owner = None if live is None else self._world.secrets.owner_of(live.seats[seat].ticket)
        if owner not in (None, bot) or self._owners.setdefault((match, seat), bot) != bot:
            raise Violation("nobody takes another's seat", f"bot {bot} got seat {seat} of match {match}")

    def _check_drain(self, lobby: Lobby) -> None:
        if lobby.server[""].stop_by_ms is None:
            self._running = set(lobby.matches)
        elif not self._running.issuperset(lobby.matches):
            raise Violation("no match begins before a stop", f"{sorted(lobby.matches)}, of which ran {self._running}")

    def _check_owners(self, machine: "Machine") -> None:
        for match in machine.lobby.matches.values():
            for seat, holder in enumerate(match.seats):
                if is_away_by_fault(holder):
                    self._met_bugs.add((match.id, seat))
                if holder.session:
                    self._met_bugs.discard((match.id, seat))
                    self._own(machine, match.id, seat, machine.bot_of(holder.session))

    def _in_time(self, command: Play, at: At, decision: Decision) -> None:
        """Check that a move which was read after deadline and margin was not played."""
        turn = self._turns.get(command.session)
        deadline_ms = None if turn is None else turn.deadline_ms
        if turn is None or deadline_ms is None:
            return
        late_ms = at.stamp_ms - deadline_ms - self._world.rules.late_margin_ms
        for _, event in decision.deliveries:
            if isinstance(event, MovePlayed) and event.match == turn.match and event.by is By.PLAYER and late_ms > 0:
                raise Violation("late moves do not count", f"{command} was read {late_ms} ms too late")

    def _note_claims(self, machine: "Machine") -> None:
        """Note that a player who sits in another's place is told the id of the match."""
        lobby = machine.lobby
        places: list[Ticket | SeatHolder] = list(lobby.tickets.values())
        for match in lobby.matches.values():
            places += match.seats
        for place in places:
            if place.session is not None and place.claim is not None and place.claim.by_stranger:
                self._world.secrets.keep_own(place.claim.public_id, machine.bot_of(place.session))


def _check_allowed(policies: Policies, allowed_ms: int, least_ms: int) -> None:
    """Check that a turn which is told is not over, and not longer than was agreed.

    `least_ms` is below 0 for a turn that is told again within the margin, after a refused move or a reconnect.
    """
    pauses_ms = policies.first_move_pause_ms + policies.move_pause_ms
    turn_time_ms = policies.clock.turn_time_ms
    # A turn that may last as long as the bank has its time from there, which `Ledger` knows.
    most_ms = allowed_ms if turn_time_ms is None and policies.clock.has_bank else (turn_time_ms or 0) + pauses_ms
    if not least_ms <= allowed_ms <= most_ms:
        raise Violation("a turn has its time", f"{allowed_ms} ms instead of {least_ms} to {most_ms} ms")


def check_seekers(lobby: Lobby) -> None:
    """Check that a free player who seeks a match stands in the queue, unless the server is about to stop."""
    if lobby.server[""].drains:
        return
    for player in lobby.players.values():
        if is_reserved(lobby, player.name):
            continue
        if player.seek is not None and player.match is None and player.name not in lobby.queues.get(player.seek, ()):
            raise Violation("who could play is not left waiting", f"{player} stands in no queue")


def moves_of(match: Match) -> list[tuple[str, str]]:
    """Give the moves of a live match, without draws."""
    return [(match.seats[step.seat].player, step.text) for step in match.moves if step.seat is not None]
