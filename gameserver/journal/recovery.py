"""The lobby as the journal tells it: the snapshot, and every row after it, decided again.

The same rows give the same lobby, to the digest. They do not where a game is gone or its rules changed, which
shows in three ways:

* The server started with another version of the game: every match of it is lost from its first row on.
* A row is refused, or the game's code fails on it. Only accepted commands became rows, so its match is lost.
* A match ends that has no record, or goes on after the row with which it was recorded. A record is committed
  together with the row that ends the match. In the first case the match is lost, and the row does not count. In
  the second it ends here, or its players could not be found in the matches that they played after it.

A lost match is voided at the start. What a player was told of a finished one stands in the records.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from gameserver.core.commands import Command, ServerStarted, Void
from gameserver.core.decide import decide
from gameserver.core.events import Rejected
from gameserver.core.lobby import At, Lobby
from gameserver.core.referee import GameBug
from gameserver.game import Game
from gameserver.journal.codec import read_row
from gameserver.journal.journal import REMEDY, Journal, JournalBroken, JournalRow, Snapshot
from gameserver.journal.snapshot import LOST, LostGame, read_snapshot, without_position
from gameserver.values import value

GONE = "its game is not on this server any more"
_CHANGED = "the game's rules have changed"
# Judgement: nobody reads more of them in the log.
SKIPPED_MAX = 20
"""Rows that no longer apply and are told of; a server that stands by for a day may meet a million of them."""


@value
class Replayed:
    """The lobby at the end of a replayed journal.

    `skipped` names the first rows that no longer apply, a sentence each; of a lost match at most the row that lost it.
    """

    lobby: Lobby
    seq: int
    now_ms: int
    rows: int
    skipped: tuple[str, ...]
    last_wall_ms: int | None = None
    """The time of day of the last row; None in an empty journal, and if nothing but the snapshot is left of it."""

    @property
    def lost_matches(self) -> Mapping[int, str]:
        """The live matches that cannot go on after a recovery, and why."""
        lost = (match for match in self.lobby.matches.values() if match.state is LOST)
        return {match.id: _CHANGED if match.game.name.lower() in self.lobby.games else GONE for match in lost}


class Follower:
    """A replay that goes on: the lobby of a journal that may grow while it is read.

        follower = Follower(journal, games)
        follower.follow()                     decides what has come since, as often as one likes
        follower.finish()                     what a start makes of it

    Where the row that it read last is gone, or is another one, it begins again with the snapshot: the leader has
    forgotten that row, or a replica without it became the primary. Every call may raise `JournalError`, after which
    it can be made again, and `JournalBroken`.
    """

    def __init__(self, journal: Journal, games: Mapping[str, Game[Any]]) -> None:
        self._journal = journal
        self._games = games
        self._is_loaded = False
        self._lobby = Lobby(games)
        self._row: JournalRow | None = None
        """The last row, as far as there is one: nothing may be left of it but the snapshot."""
        self._now_ms = 0
        self._rows = 0
        self._skipped = 0
        self._told: list[str] = []
        self.seq = 0
        """The number of the last row."""

    def follow(self) -> int:
        """Decide the journal rows again that have come.

        Gives their number, or that of all rows after the snapshot if it was read.
        """
        rows = self._new_rows() if self._is_loaded else None
        if rows is None or not _is_whole(rows, self.seq + 1):
            rows = self._load()
        ends = self._journal.ends_after(self.seq) if rows else {}
        for row in rows:
            if row.seq != self.seq + 1:
                missing = f"row {self.seq + 1}" if row.seq == self.seq + 2 else f"rows {self.seq + 1} to {row.seq - 1}"
                raise JournalBroken(f"{self._journal.name}: {missing} of the journal cannot be found; {REMEDY}")
            self._decide(row, ends.get(row.seq, ()))
        return len(rows)

    def finish(self) -> Replayed:
        """The recovered lobby at the journal's end, after a last look. It is not to be followed any more."""
        self.follow()
        lobby = self._lobby
        # Now the games of this start: those of the last one may be lost ones.
        lobby.games = self._games
        wall_ms = None if self._row is None else self._row.wall_ms
        others = self._skipped - len(self._told)
        told = (*self._told, f"and {others} other rows") if others else tuple(self._told)
        return Replayed(lobby, self.seq, self._now_ms, self._rows, told, wall_ms)

    def _new_rows(self) -> Sequence[JournalRow] | None:
        """The rows after the last one; None if that is not there any more."""
        if self._row is not None:
            found = list(self._journal.read_from(self.seq))
            return found[1:] if found[:1] == [self._row] else None
        found = list(self._journal.read_from(self.seq + 1))
        is_next = found[0].seq == self.seq + 1 if found else self._journal.last() == self.seq
        return found if is_next else None

    def _load(self) -> Sequence[JournalRow]:
        """Begin with the snapshot; gives the rows after it."""
        snapshot, rows = self._snapshot_and_rows()
        lobby = Lobby(self._games) if snapshot is None else read_snapshot(snapshot, self._games)
        lobby.games = _games_of(lobby.server[""].games, self._games)
        seq = 0 if snapshot is None else snapshot.seq
        row = None if snapshot is None else _row(self._journal, seq)
        self._lobby, self.seq, self._row = lobby, seq, row
        self._now_ms = 0 if snapshot is None else snapshot.now_ms
        self._rows, self._skipped, self._told, self._is_loaded = 0, 0, [], True
        return rows

    def _snapshot_and_rows(self) -> tuple[Snapshot | None, Sequence[JournalRow]]:
        """The snapshot, and the rows after it. A leader may keep the next one in between, and forget rows."""
        journal = self._journal
        snapshot = journal.load_snapshot()
        while True:
            first = 1 if snapshot is None else snapshot.seq + 1
            rows = list(journal.read_from(first))
            if rows and _is_whole(rows, first):
                return snapshot, rows
            # Read again: the leader may have kept the next snapshot in between, and forgotten the rows before it.
            found = journal.load_snapshot()
            if found == snapshot:
                return snapshot, rows
            snapshot = found

    def _decide(self, row: JournalRow, ended: Sequence[int]) -> None:
        """Decide a row again, and end the matches that were recorded with it."""
        command, at = read_row(row)
        # The rows from here on were decided by these versions of the games.
        if isinstance(command, ServerStarted):
            self._lobby.games = _games_of(command.games, self._games)
        match = self._lobby.matches.get(_match_of(self._lobby, command) or 0)
        fault = _repeat(self._lobby, command, at, self._journal)
        # A lost match takes no move: each of its rows would say so again.
        if fault is not None and (match is None or match.state is not LOST):
            self._skipped += 1
            if self._skipped <= SKIPPED_MAX:
                self._told.append(f"row {row.seq} ({row.tag}): {fault}")
        _end(self._lobby, ended, at)
        self.seq, self._now_ms, self._row, self._rows = row.seq, row.now_ms, row, self._rows + 1


def replay(journal: Journal, games: Mapping[str, Game[Any]]) -> Replayed:
    """Recover the lobby from a journal: its snapshot, and each row after it.

    Raises `JournalBroken` where it cannot be read.
    """
    return Follower(journal, games).finish()


def _is_whole(rows: Sequence[JournalRow], first: int) -> bool:
    """True if no row is missing: the leader may forget some between two parts of what is read."""
    return [row.seq for row in rows] == list(range(first, first + len(rows)))


def _row(journal: Journal, seq: int) -> JournalRow | None:
    """The row with this number, which the snapshot replaces: it may be gone, and need not be whole."""
    with suppress(JournalBroken):
        return next((row for row in journal.read_from(seq) if row.seq == seq), None)
    return None


def _repeat(lobby: Lobby, command: Command, at: At, journal: Journal) -> str | None:
    """Decide a row again; the sentence says why it does not apply, if it does not."""
    try:
        decision = decide(lobby, command, at)
    except GameBug as fault:
        _lose(lobby, [_match_of(lobby, command) if fault.match is None else fault.match])
        return fault.why
    # A dropped late answer is refused and changes the lobby all the same: that one counts as carried out.
    if isinstance(decision.answer, Rejected) and not decision.changes:
        _lose(lobby, [_match_of(lobby, command)])
        return f"refused: {decision.answer.code}"
    # A record is committed with the row that ends the match: without one it did not end here.
    early = [match.id for match in decision.finished if not journal.has_record(match.id)]
    if early:
        _lose(lobby, early)
        return f"match {', '.join(map(str, early))} would be over, and was not: {_CHANGED}"
    lobby.apply(decision.changes)
    return None


def _end(lobby: Lobby, matches: Sequence[int], at: At) -> None:
    """End those of these matches that are not over, so that what follows happens as it did."""
    for number in matches:
        if number in lobby.matches:
            _lose(lobby, [number])
            # By a command, not by taking the row out: its room and its tournament have to go on, too.
            lobby.apply(decide(lobby, Void(number, _CHANGED), at).changes)


def _match_of(lobby: Lobby, command: Command) -> int | None:
    """The match that a command is about, or that its sender sits in."""
    number = getattr(command, "match", None)
    if number is None:
        number = lobby.seated.get(lobby.sessions.get(getattr(command, "session", 0), ""))
    return number


def _lose(lobby: Lobby, matches: Sequence[int | None]) -> None:
    for match in [lobby.matches[number] for number in matches if number in lobby.matches]:
        if match.state is not LOST:
            lobby.matches[match.id] = without_position(match)


def _games_of(versions: Mapping[str, int], games: Mapping[str, Game[Any]]) -> dict[str, Game[Any]]:
    """The games as they were when the server started; a game that is no longer the same is lost."""
    then: dict[str, Game[Any]] = {}
    for name, version in versions.items():
        game = games.get(name.lower())
        then[name.lower()] = game if game is not None and game.version == version else LostGame(name, version)
    return then
