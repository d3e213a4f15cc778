"""An account of every player's bank, kept beside the server's from what was told and when it was read.

An account is opened with the clock that the match was told to have. It is charged from the moment that a turn was told
to begin, to the reading of the move that ends it, and only while all who are to act are here and have been asked.
Whatever the server then tells of a bank has to be the same, to the millisecond, through all its restarts.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attrs import define, field

from gameserver.core.draft import Decision
from gameserver.core.events import By, EndReason, Result, TurnStarted
from gameserver.core.lobby import At, Lobby
from gameserver.core.match import Match, MatchPhase
from gameserver.time_control import TimeControl
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.power import Machine
    from tests.simulation.world import World

RIGHT = "a bank pays for its player's turns alone"


@define
class Account:
    """A bank: what it had when the turn began, what the turn has used before it last stood, and since when it runs."""

    clock: TimeControl
    left_ms: int
    used_ms: int = 0
    since_ms: int | None = None
    turn: tuple[int, int] | None = None
    """The numbers of the game and of the turn in which its player is to act; None while they are not."""

    def used_at(self, now_ms: int) -> int:
        return self.used_ms + (0 if self.since_ms is None else max(0, now_ms - self.since_ms))

    def stop(self, now_ms: int) -> None:
        # A bank that is used up stops at nothing, and one whose turn is over at its limit: the margin is on no clock.
        most_ms = self.left_ms if self.clock.turn_time_ms is None else min(self.left_ms, self.clock.turn_time_ms)
        self.used_ms, self.since_ms = min(most_ms, self.used_at(now_ms)), None

    def begin_by(self, deadline_ms: int) -> None:
        """Run for so long as the player was told to have."""
        limits_ms = [self.left_ms - self.used_ms]
        if self.clock.turn_time_ms is not None:
            limits_ms.append(max(0, self.clock.turn_time_ms - self.used_ms))
        self.since_ms = deadline_ms - min(limits_ms)

    def end_turn(self, used_ms: int, increment_ms: int) -> None:
        """Take off what a turn has used: first what is before the periods, then each period that was exceeded."""
        before_ms, periods = self.left_ms, 0
        while periods < self.clock.periods and before_ms >= self.clock.period_ms:
            before_ms, periods = before_ms - self.clock.period_ms, periods + 1
        beyond_ms = max(0, used_ms - before_ms)
        before_ms = max(0, before_ms - used_ms)
        while periods and beyond_ms > self.clock.period_ms:
            beyond_ms, periods = beyond_ms - self.clock.period_ms, periods - 1
        self.left_ms = before_ms + periods * self.clock.period_ms + increment_ms
        self.used_ms, self.since_ms, self.turn = 0, None, None


@define
class Ledger:
    """All accounts, by match and seat."""

    _world: "World"
    _machine: "Machine | None" = None
    _now_ms: int = 0
    _accounts: dict[int, list[Account | None]] = field(factory=dict)

    def decided(self, machine: "Machine", at: At, decision: Decision) -> None:
        """Follow a decision that is durable, and compare what it tells."""
        self._check_time(machine, at)
        for match in decision.finished:
            accounts = self._accounts.pop(match.id, None)
            if accounts is not None and match.result is not None:
                self._check_loss(match, accounts, match.result, at)
        for match in machine.lobby.matches.values():
            if match.policies.clock.has_bank:
                told = [
                    each for _, each in decision.deliveries if isinstance(each, TurnStarted) and each.match == match.id
                ]
                self._follow(match, at, told)

    def rewound(self, lobby: Lobby, now_ms: int) -> None:
        """Forget what the last rows have brought, which the database has lost: only what is left can be known."""
        self._now_ms = now_ms
        self._accounts = {
            match.id: [
                None
                if bank is None
                else Account(match.policies.clock, bank.left_ms, bank.used_ms, bank.since_ms, _turn_of(match, seat))
                for seat, bank in enumerate(match.banks)
            ]
            for match in lobby.matches.values()
            if match.banks
        }

    def _check_time(self, machine: "Machine", at: At) -> None:
        """Check that a new server goes on where the one before it was, and that its time is no faster than ours."""
        if self._machine is not machine:
            before, self._machine = self._machine, machine
            # The time of a server that has lost the lead is gone with it.
            had_ms = max(self._now_ms, 0 if before is None else before.axis_ms)
            if at.now_ms - had_ms > self._world.real_ms - machine.began_ms:
                raise Violation("nobody pays for a server that is gone", f"it went at {had_ms} ms, this one is at {at}")
        self._now_ms = at.now_ms

    def _follow(self, match: Match, at: At, told: Sequence[TurnStarted]) -> None:
        if match.id not in self._accounts:
            self._world.count("a match with banks")
            clock = match.policies.clock
            full_ms = (clock.bank_ms or 0) + clock.periods * clock.period_ms
            self._accounts[match.id] = [None if one.is_house else Account(clock, full_ms) for one in match.seats]
        accounts = self._accounts[match.id]
        asked = {owed.seat for owed in match.owed}
        runs = all(match.seats[seat].is_present and seat not in asked for seat in match.turn.seats)
        for seat, account in enumerate(accounts):
            if account is None:
                continue
            turn = _turn_of(match, seat)
            if account.turn is not None and account.turn != turn:
                self._end_turn(match, seat, account, at)
            account.turn = turn
            if account.since_ms is not None and not runs:
                account.stop(at.now_ms)
            elif account.since_ms is None and turn is not None and runs:
                self._begin(match, seat, account, at, told)
        banks_ms = tuple(None if one is None else max(0, one.left_ms - one.used_at(at.now_ms)) for one in accounts)
        for event in told:
            if event.banks_ms != banks_ms:
                raise Violation(RIGHT, f"{event} tells of banks in match {match.id} that have {banks_ms} ms at {at}")

    def _begin(self, match: Match, seat: int, account: Account, at: At, told: Sequence[TurnStarted]) -> None:
        """Let a bank run from the moment on that the player was told, which is now or after a pause."""
        deadlines_ms = [event.deadline_ms for event in told if seat in event.seats and event.deadline_ms is not None]
        if not deadlines_ms:
            raise Violation(
                "a turn is told to who is to move", f"seat {seat} of match {match.id} is told {told} at {at}"
            )
        account.begin_by(deadlines_ms[0])
        pauses_ms = match.policies.first_move_pause_ms + match.policies.move_pause_ms
        if account.since_ms is None or not 0 <= account.since_ms - at.now_ms <= pauses_ms:
            raise Violation(RIGHT, f"{told} begins at {account.since_ms} ms in match {match.id} for {account}, at {at}")

    def _end_turn(self, match: Match, seat: int, account: Account, at: At) -> None:
        assert account.turn is not None, "a turn ends that was begun"
        game, _ = account.turn
        is_over = match.game_number != game
        played = match.games[game - 1]
        reason = played.result.reason if is_over and played.result is not None else EndReason.PLAYED
        by = next((step.by for step in reversed(played.moves) if step.seat == seat), By.PLAYER)
        if reason is EndReason.LATE or (reason is EndReason.PLAYED and by is By.SERVER):
            used_ms = account.clock.turn_time_ms
            assert used_ms is not None, "without a limit for the turn nobody is late but by the bank"
        else:
            used_ms = account.used_at(at.stamp_ms)
        margin_ms = match.policies.late_margin_ms
        if used_ms > account.left_ms + margin_ms:
            raise Violation("nobody plays on without time", f"seat {seat} of {match} used {used_ms} ms of {account}")
        # A move within the margin is in time, and so is a turn that is cut short within it.
        account.end_turn(min(used_ms, account.left_ms), 0 if is_over else account.clock.increment_ms)
        moved = [step for step in played.moves if step.seat == seat]
        if reason is EndReason.PLAYED and moved and moved[-1].bank_ms != account.left_ms:
            raise Violation(RIGHT, f"{moved[-1]} in match {match.id} by seat {seat}, which has {account} at {at}")
        self._world.count("a bank is charged")

    def _check_loss(self, match: Match, accounts: Sequence[Account | None], result: Result, at: At) -> None:
        """Check that a player who lost by the bank had used it up."""
        if result.lapse is None or not result.lapse.is_bank or result.by is None:
            return
        self._world.count("a bank is used up")
        account = accounts[result.by]
        if account is None or account.used_at(at.now_ms) < account.left_ms + match.policies.late_margin_ms:
            raise Violation("nobody loses by a bank with time left", f"{match} at {at}, which has {account}")


def _turn_of(match: Match, seat: int) -> tuple[int, int] | None:
    """Give the game and the turn in which a seat is to act, if it is."""
    acts = match.phase is MatchPhase.PLAYING and seat in match.turn.seats
    return (match.game_number, match.turn.number) if acts else None
