"""Replaying a journal, at once or in pieces while it grows, leads to the same lobby."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from random import Random
from typing import Any, ClassVar, Self

import pytest
from attrs import define, evolve, field
from hypothesis import given
from hypothesis import strategies as st

from gameserver.core.commands import Leave, Void
from gameserver.core.events import EndReason, GameEnded
from gameserver.game import Game
from gameserver.journal.journal import Journal, JournalBroken, JournalError, JournalRow, Snapshot
from gameserver.journal.recovery import Follower, replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import MatchRecord
from tests.support.games import Broken, Countdown, CountdownState, Dice, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.shared_log import SharedJournal, SharedLog

GAMES = catalogue(Countdown(), Dice())


class NewCountdown(Countdown):
    """The same game under changed rules."""

    version: ClassVar[int] = 2


def played_lobby() -> LobbyHarness:
    harness = LobbyHarness(GAMES)
    for session, name in enumerate(("ann", "bob", "cyd", "dan"), start=1):
        harness.enter(session, name)
    for session in (1, 2):
        harness.seek(session, "Countdown")
    for session in (3, 4):
        harness.seek(session, "Dice")
    for match in list(harness.lobby.matches.values()):
        harness.play(match.seats[0].session, match.game.write_move(match.state.legal_moves(0)[0]))
    return harness


def journal_of(harness: LobbyHarness, snapshot_after: int = 0) -> Journal:
    journal = MemoryJournal()
    journal.append(harness.rows, harness.records)
    if snapshot_after:
        before = MemoryJournal()
        before.append(harness.rows[:snapshot_after], harness.records)
        found = replay(before, harness.games)
        journal.save_snapshot(write_snapshot(found.lobby, found.seq, found.now_ms))
        journal.trim(snapshot_after + 1)
    return journal


LOST = pytest.mark.parametrize(
    ("games", "why"),
    [
        (catalogue(Dice()), "its game is not on this server any more"),
        (catalogue(NewCountdown(), Dice()), "the game's rules have changed"),
    ],
    ids=["gone", "changed"],
)


@pytest.mark.parametrize("snapshot", [False, True])
@LOST
def test_matches_of_a_lost_game_are_found_and_can_be_voided(
    games: dict[str, object], why: str, *, snapshot: bool
) -> None:
    harness = played_lobby()
    replayed = replay(journal_of(harness, len(harness.rows) if snapshot else 0), games)
    ((lost, reason),) = replayed.lost_matches.items()
    assert (set(replayed.lobby.matches), reason) == ({1, 2}, why)
    harness.lobby = replayed.lobby
    harness.do(Void(lost, "its game is gone"))
    results = [event.result for event in harness.hear(1) if isinstance(event, GameEnded)]
    (end,) = [result for result in results if result.reason is EndReason.VOID]
    assert end.winners == ()
    assert harness.records[-1].game == "Countdown"
    harness.start()
    assert harness.lobby.server[""].next_match == 3


@LOST
def test_a_finished_match_of_a_lost_game_does_not_come_back(games: dict[str, object], why: str) -> None:
    """Killed right after a start, whose snapshot holds no match: the rows after it were decided by the old rules."""
    harness = LobbyHarness(GAMES)
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    started = len(harness.rows)
    match, first, second = harness.opened()
    for session, move in ((first, "2"), (second, "2"), (first, "1")):
        harness.play(session, move)
    harness.seek(1, "Countdown")
    harness.seek(2, "Countdown")
    journal = journal_of(harness, started)
    journal.append([], harness.records)
    replayed = replay(journal, games)
    assert 1 not in replayed.lobby.matches
    assert replayed.skipped == (), "what became of the match is on record, and not a sentence a move"
    assert set(replayed.lost_matches) == set(replayed.lobby.matches)


@pytest.mark.parametrize(
    ("snapshot", "says"), [(Snapshot(1, 1, 99, b"{}"), "version 99"), (Snapshot(1, 1, 1, b'{"server": 5}'), "damaged")]
)
def test_a_snapshot_that_cannot_be_read_is_refused(snapshot: Snapshot, says: str) -> None:
    with pytest.raises(JournalBroken, match=says):
        read_snapshot(snapshot, GAMES)


class ShorterState(CountdownState):
    def play(self, seat: int, move: int) -> Self:
        after = super().play(seat, move)
        return evolve(after, heap=0) if after.heap <= 2 else after


class StricterState(CountdownState):
    def legal_moves(self, seat: int) -> Sequence[int]:
        return [move for move in super().legal_moves(seat) if move == 1]


class Edited(Countdown):
    """Rules edited without a new version: the last two count for nothing, or 2 is no move any more."""

    def __init__(self, state: type[CountdownState]) -> None:
        self.start = lambda options: state()


def broken() -> Game[Any]:
    game = Broken("play")
    game.name = "Countdown"
    return game


@pytest.mark.parametrize(
    "edited", [Edited(ShorterState), Edited(StricterState), broken()], ids=["over early", "illegal", "broken"]
)
def test_live_match_whose_rules_changed_without_a_version_ends_void(edited: Game[Any]) -> None:
    harness = LobbyHarness(GAMES)
    _, first, second = harness.opened()
    harness.play(first, "2")
    harness.play(second, "1")
    assert harness.match().moves
    harness.enter(3, "cyd")
    replayed = replay(journal_of(harness), catalogue(edited, Dice()))
    assert replayed.skipped
    assert all("row" in line for line in replayed.skipped)
    assert replayed.lost_matches == {1: "the game's rules have changed"}
    assert replayed.lobby.matches[1].players == harness.match().players
    assert "cyd" in replayed.lobby.players, "what came after it still counts"
    harness.lobby = replayed.lobby
    harness.do(Void(1, replayed.lost_matches[1]))
    record = harness.records[-1]
    assert (record.match, record.reason, record.why) == (1, "void", "the game's rules have changed")
    assert [seat.result for seat in record.seats] == ["void", "void"]
    assert not harness.lobby.seated


@pytest.mark.parametrize("next_game", ["Countdown", "Dice"])
@pytest.mark.parametrize("now", [Countdown(), NewCountdown()], ids=["in silence", "new version"])
def test_match_that_was_over_by_the_old_rules_makes_way_for_the_next_one(now: Game[Any], next_game: str) -> None:
    """Its players began another, which was live at the kill. By the new rules, they would still play the first."""
    harness, journal = LobbyHarness(catalogue(Edited(ShorterState), Dice())), MemoryJournal()
    _, first, second = harness.opened()
    harness.play(first, "2")
    harness.play(second, "1")
    assert [record.match for record in harness.records] == [1]
    journal.append(harness.rows, harness.records)
    for session in (1, 2):
        harness.seek(session, next_game)
    journal.append(harness.rows[journal.last() :])
    assert set(harness.lobby.matches) == {2}
    replayed = replay(journal, catalogue(now, Dice()))
    assert set(replayed.lobby.matches) == {2}
    assert replayed.lobby.seated == harness.lobby.seated
    assert set(replayed.lost_matches) == ({2} if now.version == 2 and next_game == "Countdown" else set())


@pytest.mark.parametrize("snapshot_after", range(11))
def test_a_snapshot_anywhere_tells_the_same(snapshot_after: int) -> None:
    harness = played_lobby()
    replayed = replay(journal_of(harness, snapshot_after), GAMES)
    assert digest(replayed.lobby) == digest(harness.lobby)
    assert replayed.seq == len(harness.rows)
    assert replayed.now_ms == harness.now_ms
    assert replayed.rows == len(harness.rows) - snapshot_after


NAMES = ("ann", "bob", "cyd", "dan")
COMMANDS = 120
FORK = 70
PART = 5
"""Rows that are read at once."""

Batch = tuple[tuple[JournalRow, ...], tuple[MatchRecord, ...]]


@cache
def history(fork: int) -> tuple[tuple[Batch, ...], str]:
    """A past of some matches, batch by batch, and its digest; those with another `fork` go another way at one point."""
    harness, chance, batches = LobbyHarness(GAMES), Random(0), []
    sessions = dict(zip(NAMES, count(1), strict=False))
    rows = records = 0
    for number in range(COMMANDS):
        if number == FORK:
            chance = Random(fork)
        _do_something(harness, chance, sessions)
        if len(harness.rows) > rows:
            batches.append((tuple(harness.rows[rows:]), tuple(harness.records[records:])))
            rows, records = len(harness.rows), len(harness.records)
    assert records > 5
    return tuple(batches), digest(harness.lobby)


def _do_something(harness: LobbyHarness, chance: Random, sessions: dict[str, int]) -> None:
    name = chance.choice(NAMES)
    session, player = sessions[name], harness.lobby.players.get(name)
    harness.now_ms += chance.randint(1, 2_000)
    if player is None:
        sessions[name] = max(sessions.values()) + 1
        harness.enter(sessions[name], name)
    elif player.match is None:
        harness.seek(session, chance.choice(("Countdown", "Dice")))
    elif chance.random() < 0.1:
        harness.do(Leave(session))
    elif chance.random() < 0.05:
        harness.start()
    else:
        match = harness.lobby.matches[player.match]
        for seat in match.turn.seats:
            legal = match.state.legal_moves(seat)
            harness.play(match.seats[seat].session, match.game.write_move(chance.choice(legal)))


class Interrupted(SharedJournal):
    """A standby's way to the log, which fails at one of the next calls."""

    fails_in = -1
    meanwhile: Callable[[], None] | None = None
    """The leader's work after the next snapshot is read, or after the first part of the next read of rows."""
    after_snapshot = False

    def load_snapshot(self) -> Snapshot | None:
        found = super().load_snapshot()
        if self.after_snapshot:
            self._work()
        return found

    def read_from(self, seq: int) -> Iterator[JournalRow]:
        rows = list(super().read_from(seq))
        yield from rows[:PART]
        if rows[PART:] and self._work():
            rows = [*rows[:PART], *super().read_from(rows[PART].seq)]
        yield from rows[PART:]

    def _work(self) -> bool:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return meanwhile is not None

    def _reached(self) -> MemoryJournal:
        self.fails_in -= 1
        if self.fails_in == 0:
            raise JournalError("the connection is gone")
        return super()._reached()


@define
class Line:
    """A log that grows batch by batch along one past, and the standby that follows it."""

    log: SharedLog = field(factory=SharedLog)
    fork: int = 1
    written: int = 0
    leader: SharedJournal = field(init=False)
    standby: Interrupted = field(init=False)
    follower: Follower = field(init=False)
    snapshots: list[int] = field(factory=list)
    is_lost: bool = False

    def __attrs_post_init__(self) -> None:
        self.leader, self.standby = self.log.journal("leader"), Interrupted(self.log, "standby")
        self.leader.lead()
        self.follower = Follower(self.standby, GAMES)

    def write(self, batches: int) -> None:
        past, _ = history(self.fork)
        for rows, records in past[self.written : self.written + batches]:
            self.leader.append(rows, records)
            self.written += 1

    def save(self) -> None:
        found = replay(self.log.kept, GAMES)
        self.log.kept.save_snapshot(write_snapshot(found.lobby, found.seq, found.now_ms))
        self.snapshots.append(found.seq)

    def trim(self, snapshots: int) -> None:
        """Forget what came before the last snapshot, or before an earlier one."""
        if len(self.snapshots) >= snapshots:
            self.log.kept.trim(self.snapshots[-snapshots] + 1)

    def lose(self) -> None:
        """Lose what was written since the fork, and go on otherwise."""
        past, _ = history(self.fork)
        common = [batch for batch, other in zip(past, history(2)[0], strict=False) if batch == other]
        last = common[-1][0][-1].seq
        if self.is_lost or self.written <= len(common) or any(seq > last for seq in self.snapshots):
            return
        self.log.forget_after(last)
        self.leader = self.log.journal("promoted")
        self.leader.lead()
        self.is_lost, self.fork, self.written = True, 2, len(common)

    def forgets(self, before: int, after: int) -> None:
        """Have the leader go on, and forget all but a snapshot, while the standby reads next."""

        def go_on() -> None:
            self.write(before)
            self.save()
            self.trim(1)
            self.write(after)

        self.standby.meanwhile = go_on

    def follow(self, fails_in: int = -1) -> None:
        self.standby.fails_in = fails_in
        with suppress(JournalError):
            self.follower.follow()
        self.standby.fails_in = -1

    def check(self) -> None:
        """Whatever was followed, the end is the end of the log."""
        at_once, found = replay(self.log.kept, GAMES), self.follower.finish()
        assert found.seq == at_once.seq == self.leader.last()
        assert digest(found.lobby) == digest(at_once.lobby)
        assert (found.now_ms, found.last_wall_ms) == (at_once.now_ms, at_once.last_wall_ms)
        assert found.skipped == at_once.skipped == ()
        if self.written == len(history(self.fork)[0]):
            assert digest(found.lobby) == history(self.fork)[1]


MIGRATIONS = st.one_of(
    st.tuples(st.just("write"), st.integers(1, 30)),
    st.tuples(st.just("follow"), st.sampled_from([-1, -1, 1, 2, 3, 4, 5])),
    st.tuples(st.just("save")),
    st.tuples(st.just("trim"), st.integers(1, 2)),
    st.tuples(st.just("lose")),
)


Steps = list[tuple[Any, ...]]
ALL: tuple[str, int] = ("write", COMMANDS)


def carried_out(steps: Steps) -> Line:
    """Carry out these steps, and check that what was followed in pieces ends where the log does."""
    line = Line()
    for what, *much in steps:
        getattr(line, what)(*much)
        if what == "follow" and much in ([], [-1]):
            assert line.follower.seq == line.leader.last()
    line.check()
    return line


@given(st.lists(MIGRATIONS, max_size=25))
def test_following_in_pieces_tells_the_same_as_replaying_at_once(steps: Steps) -> None:
    carried_out(steps)


@pytest.mark.parametrize("has_snapshot", [False, True])
@pytest.mark.parametrize("more", [0, 5])
def test_rows_forgotten_between_the_snapshot_and_its_rows_are_not_missing(*, has_snapshot: bool, more: int) -> None:
    line = carried_out([("write", 20), *([("save",)] if has_snapshot else []), ("write", 20)])
    line.follower, line.standby.after_snapshot = Follower(line.standby, GAMES), True
    line.forgets(0, more)
    line.follower.follow()
    assert line.follower.seq == line.leader.last()
    line.check()


@pytest.mark.parametrize("is_new", [True, False])
def test_rows_forgotten_between_two_parts_of_a_read_are_not_missing(*, is_new: bool) -> None:
    """The standby was stopped there. What the leader has forgotten is in its snapshot."""
    line = Line()
    line.write(30)
    line.save()
    if not is_new:
        line.follow()
    line.write(20)
    line.forgets(10, 10)
    line.follow()
    assert line.standby.meanwhile is None
    line.check()


def test_missing_rows_are_named() -> None:
    journal = MemoryJournal()
    for rows, records in history(1)[0]:
        journal.append(rows, records)
    journal.trim(4)
    with pytest.raises(JournalBroken, match="rows 1 to 3 of the journal cannot be found"):
        Follower(journal, GAMES).follow()
    journal.save_snapshot(Snapshot(2, 0, 99, b""))
    with pytest.raises(JournalBroken, match="version 99"):
        Follower(journal, GAMES).follow()


def test_of_many_rows_that_do_not_apply_the_first_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that stands by during an upgrade may meet a million of them."""
    monkeypatch.setattr("gameserver.journal.recovery.SKIPPED_MAX", 2)
    harness, journal = LobbyHarness(GAMES), MemoryJournal()
    for session in range(1, 6):
        harness.enter(session, NAMES[0] + str(session))
    started, entered, *others = harness.rows
    journal.append([started, entered, *(evolve(row, body=entered.body) for row in others)])
    skipped = replay(journal, GAMES).skipped
    assert len(skipped) == 3
    assert skipped[0].startswith("row ")
    assert re.fullmatch(r"and \d other rows", skipped[2])
