"""Bugs planted in what decides who leads, and in what follows a leader's journal: one for each promise."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any
from unittest.mock import patch

from attrs import evolve

from gameserver.journal.journal import JournalError, JournalRow
from gameserver.journal.leadership import SESSION_S, LastRow, Leader, Leadership
from gameserver.journal.recovery import Follower
from gameserver.records.tournament_record import Record
from tests.simulation.database_session import DatabaseSession
from tests.simulation.mutants import Mutant
from tests.simulation.shared_database import ASYNCHRONOUS, SYNCHRONOUS
from tests.simulation.standby_plan import StandbyPlan

SKIPPED = 5
"""A standby skips every so manieth row."""


def _always_certain() -> AbstractContextManager[object]:
    """Who has led once tells what it decides without asking."""
    return patch.object(Leadership, "is_certain", property(lambda leadership: leadership.leads))


@contextmanager
def _certain_from_the_answer() -> Iterator[None]:
    """A leader counts from when it reads an answer, instead of from when it asked."""
    confirm, append = Leadership.confirm, Leadership.append

    def confirmed(leadership: Leadership[DatabaseSession]) -> None:
        confirm(leadership)
        leadership._certain_from_s = leadership._now_s()

    def appended(
        leadership: Leadership[DatabaseSession], rows: Sequence[JournalRow], records: Sequence[Record]
    ) -> None:
        append(leadership, rows, records)
        leadership._certain_from_s = leadership._now_s()

    with patch.object(Leadership, "confirm", confirmed), patch.object(Leadership, "append", appended):
        yield


def _certain_too_long() -> AbstractContextManager[object]:
    """A leader is certain for longer than the database keeps a session that it hears nothing from."""
    return patch("gameserver.journal.leadership.CERTAIN_S", SESSION_S * 1.2)


@contextmanager
def _goes_on() -> Iterator[None]:
    """A leader that lost its connection goes on with the next one, whatever has happened meanwhile."""

    def take_again(leadership: Leadership[DatabaseSession], session: DatabaseSession, own: Leader) -> None:
        if not session.try_lock():
            leadership._end_old(session)
            raise JournalError("not yet")
        session.write_leader(own)

    with patch.object(Leadership, "_take_again", take_again):
        yield


@contextmanager
def _never_connects_again() -> Iterator[None]:
    """A leader that lost its connection makes no other."""
    connected = Leadership._connected

    def connect(leadership: Leadership[DatabaseSession]) -> DatabaseSession:
        if leadership.leads and leadership.open_session is None:
            raise JournalError("the connection to the database is lost")
        return connected(leadership)

    with patch.object(Leadership, "_connected", connect):
        yield


def _token_unchecked() -> AbstractContextManager[object]:
    """Nobody looks whether another server led meanwhile."""

    def leader(session: DatabaseSession) -> Leader | None:
        session._reach()
        found = session._database.leader
        return None if found is None else evolve(found, token=session.token)

    return patch.object(DatabaseSession, "leader", leader)


def _last_row_unchecked() -> AbstractContextManager[object]:
    """Nobody looks whether the last row is still there after a reconnect."""
    return patch.object(LastRow, "is_same", lambda *_: True)


@contextmanager
def _doubt_forgotten() -> Iterator[None]:
    """A commit in doubt is tried again without a look whether it was made."""
    take_again = Leadership._take_again

    def taken_again(leadership: Leadership[DatabaseSession], session: DatabaseSession, own: Leader) -> None:
        known = leadership._last
        take_again(leadership, session, own)
        leadership._last = known

    with patch.object(Leadership, "_take_again", taken_again):
        yield


@contextmanager
def _doubt_trusted() -> Iterator[None]:
    """A commit in doubt counts as made."""
    take_again = Leadership._take_again

    def taken_again(leadership: Leadership[DatabaseSession], session: DatabaseSession, own: Leader) -> None:
        in_doubt = leadership._in_doubt
        take_again(leadership, session, own)
        leadership._last = in_doubt or leadership._last

    with patch.object(Leadership, "_take_again", taken_again):
        yield


@contextmanager
def _replica_not_awaited() -> Iterator[None]:
    """A commit that is found after a reconnect counts, though the replica may not have it."""
    write_leader = DatabaseSession.write_leader

    def written(session: DatabaseSession, leader: Leader) -> None:
        if session._database.leader is None or session._database.leader.token != leader.token:
            write_leader(session, leader)

    with patch.object(DatabaseSession, "write_leader", written):
        yield


@contextmanager
def _unlocked() -> Iterator[None]:
    """A server leads though another one has the lock."""

    def try_lock(session: DatabaseSession) -> bool:
        session._reach()
        return True

    with patch.object(DatabaseSession, "try_lock", try_lock):
        yield


def _asked_too_early(question: str, *, by_leader: bool) -> Callable[[], AbstractContextManager[object]]:
    """A server that takes the lock has asked a question before it, the answer to which may be old by then."""

    @contextmanager
    def planted() -> Iterator[None]:
        try_lock, ask = DatabaseSession.try_lock, getattr(DatabaseSession, question)
        early: dict[DatabaseSession, Any] = {}

        def locked(session: DatabaseSession) -> bool:
            is_early = (session.token in session._database.led) == by_leader
            answer = ask(session) if is_early else None
            has_lock = try_lock(session)
            if is_early and has_lock:
                early[session] = answer
            return has_lock

        def asked(session: DatabaseSession) -> Any:
            return early.pop(session) if session in early else ask(session)

        with patch.multiple(DatabaseSession, try_lock=locked, **{question: asked}):
            yield

    return planted


@contextmanager
def _rows_skipped() -> Iterator[None]:
    """A server that stands by leaves out a row now and then."""
    follow = Follower._new_rows

    def new_rows(follower: Follower) -> Sequence[JournalRow] | None:
        rows = follow(follower)
        for row in rows or ():
            if row.seq % SKIPPED == 0:
                follower.seq, follower._row = row.seq, row
                return []
        return rows

    with patch.object(Follower, "_new_rows", new_rows):
        yield


def _lost_rows_kept() -> AbstractContextManager[object]:
    """A server that stands by does not look whether the rows that it has are still there."""

    def new_rows(follower: Follower) -> Sequence[JournalRow] | None:
        found = list(follower._journal.read_from(follower.seq + 1))
        return found if not found or found[0].seq == follower.seq + 1 else None

    return patch.object(Follower, "_new_rows", new_rows)


_LOSSES = {"replica": ASYNCHRONOUS, "faults": ("replica-away", "promotion", "lost-connection")}

STANDBY_MUTANTS: Mapping[str, Mutant] = {
    "an uncertain leader tells what it decides": Mutant(
        _always_certain, ("only the leader tells anything",), kind=StandbyPlan, first_seed=11
    ),
    "an answer that is read late makes a leader certain": Mutant(
        _certain_from_the_answer,
        ("only the leader tells anything",),
        {"faults": ("stopped", "cut-network", "slow-commit")},
        kind=StandbyPlan,
        first_seed=130,
    ),
    "a leader is certain for longer than its session lives": Mutant(
        _certain_too_long, ("only the leader tells anything",), {"faults": ("frozen",)}, kind=StandbyPlan, first_seed=13
    ),
    "a leader goes on after another one took over": Mutant(
        _goes_on,
        (
            "there is one leader",
            "somebody leads in the end",
            "nobody stops without a reason",
            "who was taken over from leads no more",
        ),
        kind=StandbyPlan,
    ),
    "a leader that lost its connection makes no other": Mutant(
        _never_connects_again, ("nobody stops without a reason",), {"faults": ("lost-connection",)}, kind=StandbyPlan
    ),
    "nobody looks who led meanwhile": Mutant(
        _token_unchecked,
        ("there is one leader", "somebody leads in the end", "who was taken over from leads no more"),
        kind=StandbyPlan,
        first_seed=3,
    ),
    "nobody looks whether rows are lost": Mutant(
        _last_row_unchecked,
        ("the log has no gap", "who tells something has all rows"),
        _LOSSES,
        kind=StandbyPlan,
        first_seed=3,
    ),
    "a commit in doubt is tried again blindly": Mutant(
        _doubt_forgotten, ("nobody stops without a reason",), kind=StandbyPlan, first_seed=5
    ),
    "a commit in doubt counts as made": Mutant(_doubt_trusted, ("nobody stops without a reason",), kind=StandbyPlan),
    "a commit is told that the replica lacks": Mutant(
        _replica_not_awaited,
        ("nothing that was told is lost",),
        {"replica": SYNCHRONOUS, "faults": ("replica-away",), "steps": 1_500},
        kind=StandbyPlan,
        first_seed=3,
    ),
    "a server leads without the lock": Mutant(_unlocked, ("only the leader writes",), kind=StandbyPlan),
    "a server that takes over reads the last row before it has the lock": Mutant(
        _asked_too_early("last", by_leader=False), ("the log has no gap",), {"faults": ("crash",)}, kind=StandbyPlan
    ),
    "a leader reads the last row before it has the lock again": Mutant(
        _asked_too_early("last", by_leader=True),
        ("nobody stops without a reason", "the log has no gap"),
        {"faults": ("in-doubt",), "steps": 1_500},
        kind=StandbyPlan,
        first_seed=15,
    ),
    "a leader reads who leads before it has the lock again": Mutant(
        _asked_too_early("leader", by_leader=True),
        ("who was taken over from leads no more", "who tells something has all rows"),
        {"faults": ("database-restart", "standby-crash"), "steps": 1_500},
        kind=StandbyPlan,
        first_seed=25,
    ),
    "a standby skips a row": Mutant(
        _rows_skipped, ("replay gives the same lobby", "who stands by has the same lobby"), kind=StandbyPlan
    ),
    "a standby keeps rows that are lost": Mutant(
        _lost_rows_kept, ("replay gives the same lobby",), _LOSSES, kind=StandbyPlan, first_seed=12
    ),
}
"""Each is found within 25 seeds from `first_seed` on, most within 10. From seed 0 on it takes more than 100 to find an
answer that is read late, and may take as many to find a commit that the replica lacks."""
