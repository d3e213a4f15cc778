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

from gameserver.core.decide import decide
from gameserver.core.matches.referee import GameFault
from gameserver.core.messages.commands import Command, ServerStarted, Void
from gameserver.core.messages.events import Rejected
from gameserver.core.state.lobby import At, Lobby
from gameserver.game import Game
from gameserver.journal.codec import read_row
from gameserver.journal.journal import REMEDY, Journal, JournalBroken
from gameserver.journal.lost_game import LOST, LostGame
from gameserver.journal.snapshot import read_snapshot, without_position
from gameserver.values import value

GONE = "its game is not on this server any more"
CHANGED = "the game's rules have changed"


@value
class Replayed:
    """The state at the journal's end. `skipped` names the rows that no longer apply, a sentence each."""

    lobby: Lobby
    seq: int
    now_ms: int
    rows: int
    skipped: tuple[str, ...]
    last_wall_ms: int | None = None
    """The time of day of the last row; None in an empty journal, and if nothing but the snapshot is left of it."""

    @property
    def lost_matches(self) -> Mapping[int, str]:
        """The live matches that cannot go on, and why."""
        lost = (match for match in self.lobby.matches.values() if match.state is LOST)
        return {match.id: CHANGED if match.game.name.lower() in self.lobby.games else GONE for match in lost}


def replay(journal: Journal, games: Mapping[str, Game[Any]]) -> Replayed:
    """Build the lobby from a journal. Raises `JournalBroken` where it cannot be read."""
    snapshot = journal.load_snapshot()
    lobby = Lobby(games) if snapshot is None else read_snapshot(snapshot, games)
    lobby.games = _games_of(lobby.server[""].games, games)
    seq = 0 if snapshot is None else snapshot.seq
    now_ms = 0 if snapshot is None else snapshot.now_ms
    rows = 0
    skipped: list[str] = []
    ends = journal.ends_after(seq)
    for row in journal.read_from(seq + 1):
        if row.seq != seq + 1:
            missing = f"row {seq + 1}" if row.seq == seq + 2 else f"rows {seq + 1} to {row.seq - 1}"
            raise JournalBroken(f"{journal.name}: {missing} of the journal cannot be found; {REMEDY}")
        command, at = read_row(row)
        if isinstance(command, ServerStarted):
            lobby.games = _games_of(command.games, games)
        fault = _repeat(lobby, command, at, journal)
        if fault is not None:
            skipped.append(f"row {row.seq} ({row.tag}): {fault}")
        if row.seq in ends:
            _end(lobby, ends[row.seq], at)
        seq, now_ms, rows = row.seq, row.now_ms, rows + 1
    lobby.games = games
    _forget_recorded(lobby, journal)
    return Replayed(lobby, seq, now_ms, rows, tuple(skipped), _last_wall_ms(journal, seq))


def _last_wall_ms(journal: Journal, seq: int) -> int | None:
    with suppress(JournalBroken):  # a row that the snapshot replaces need not be whole
        return next((row.wall_ms for row in journal.read_from(seq)), None)
    return None


def _repeat(lobby: Lobby, command: Command, at: At, journal: Journal) -> str | None:
    """Decide a row again; the sentence says why it does not apply, if it does not."""
    try:
        decision = decide(lobby, command, at)
    except GameFault as fault:
        _lose(lobby, [_match_of(lobby, command) if fault.match is None else fault.match])
        return fault.why
    if isinstance(decision.answer, Rejected) and not decision.changes:
        _lose(lobby, [_match_of(lobby, command)])
        return f"refused: {decision.answer.code}"
    early = [match.id for match in decision.finished if not journal.has_record(match.id)]
    if early:
        _lose(lobby, early)
        return f"match {', '.join(map(str, early))} would be over, and was not: {CHANGED}"
    lobby.apply(decision.changes)
    return None


def _end(lobby: Lobby, matches: Sequence[int], at: At) -> None:
    """End those of these matches that are not over, so that what follows happens as it did."""
    for number in matches:
        if number in lobby.matches:
            _lose(lobby, [number])
            lobby.apply(decide(lobby, Void(number, CHANGED), at).changes)


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


def _forget_recorded(lobby: Lobby, journal: Journal) -> None:
    """Take out the lost matches that had come to their end by a row that older records do not name."""
    for match in list(lobby.matches.values()):
        if match.state is LOST and journal.has_record(match.id):
            del lobby.matches[match.id]
            for name in [name for name, number in lobby.seated.items() if number == match.id]:
                del lobby.seated[name]


def _games_of(versions: Mapping[str, int], games: Mapping[str, Game[Any]]) -> dict[str, Game[Any]]:
    """The games as they were when the server started; a game that is no longer the same is lost."""
    then: dict[str, Game[Any]] = {}
    for name, version in versions.items():
        game = games.get(name.lower())
        then[name.lower()] = game if game is not None and game.version == version else LostGame(name, version)
    return then
