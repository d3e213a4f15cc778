"""Following a journal while it grows, in whatever pieces, tells the same as replaying it at once."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import count
from random import Random
from typing import Any

import pytest
from attrs import define, evolve, field
from hypothesis import given
from hypothesis import strategies as st

from gameserver.core.commands import Leave
from gameserver.game import Game
from gameserver.journal.journal import JournalBroken, JournalError, JournalRow, Snapshot
from gameserver.journal.recovery import Follower, replay
from gameserver.journal.snapshot import digest, write_snapshot
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import MatchRecord
from tests.journal.test_recovery import NewCountdown
from tests.support.games import Countdown, Dice, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.shared_log import SharedJournal, SharedLog

GAMES = catalogue(Countdown(), Dice())
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


@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_whole_past_in_equal_pieces(piece: int) -> None:
    carried_out([("write", piece), ("follow",)] * (COMMANDS // piece + 1))


def test_rows_that_a_promoted_replica_has_otherwise_are_decided_otherwise() -> None:
    line = carried_out([ALL, ("follow",), ("lose",), ALL])
    assert line.is_lost
    assert digest(line.follower.finish().lobby) == history(2)[1] != history(1)[1]


def test_journal_of_a_snapshot_alone_is_followed() -> None:
    carried_out([("follow",), ("write", 50), ("save",), ("trim", 1), ("follow",), ("write", 10), ("follow",)])


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


@pytest.mark.parametrize("games", [catalogue(Dice()), catalogue(NewCountdown(), Dice())], ids=["gone", "changed"])
@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_standby_of_another_version_finds_the_same_matches_lost(games: Mapping[str, Game[Any]], piece: int) -> None:
    line = Line()
    follower = Follower(line.standby, games)
    for _ in range(0, COMMANDS, piece):
        line.write(piece)
        follower.follow()
    at_once, found = replay(line.log.kept, games), follower.finish()
    assert (found.lobby.seated, list(found.lobby.matches)) == (at_once.lobby.seated, list(at_once.lobby.matches))
    assert found.lost_matches == at_once.lost_matches
    assert found.lost_matches
    assert found.skipped == at_once.skipped


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
