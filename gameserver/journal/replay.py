"""The lobby as the journal tells it: the snapshot, and every row after it, decided again.

The same rows give the same lobby, to the digest. Where they do not, because a game is gone or its
rules changed, the row is skipped and named: what a player was told stands in the records, and the
matches concerned are voided at the start.
"""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from gameserver.core.commands import Command, ServerStarted
from gameserver.core.decide import decide
from gameserver.core.events import Rejected
from gameserver.core.lobby import At, Lobby
from gameserver.core.lost import LOST, LostGame
from gameserver.core.referee import GameFault
from gameserver.game import Game
from gameserver.journal.codec import read_row
from gameserver.journal.log import Journal
from gameserver.journal.snapshot import read_snapshot


@frozen
class Replayed:
    """Where the journal left off. `skipped` says, a sentence each, which rows no longer apply."""

    lobby: Lobby
    seq: int
    now_ms: int
    rows: int
    skipped: tuple[str, ...]

    @property
    def lost_matches(self) -> tuple[int, ...]:
        """The live matches whose game is not there any more."""
        return tuple(match.id for match in self.lobby.matches.values() if match.state is LOST)


def replay(journal: Journal, games: Mapping[str, Game[Any]]) -> Replayed:
    """Build the lobby from a journal. Raises `JournalBroken` where it cannot be read."""
    snapshot = journal.load_snapshot()
    lobby = Lobby(games) if snapshot is None else read_snapshot(snapshot, games)
    lobby.games = _games_of(lobby.server[""].games, games)
    seq = 0 if snapshot is None else snapshot.seq
    now_ms = 0 if snapshot is None else snapshot.now_ms
    rows = 0
    skipped: list[str] = []
    for row in journal.read_from(seq + 1):
        command, at = read_row(row)
        if isinstance(command, ServerStarted):
            lobby.games = _games_of(command.games, games)
        fault = _repeat(lobby, command, at)
        if fault is not None:
            skipped.append(f"row {row.seq} ({row.tag}): {fault}")
        seq, now_ms, rows = row.seq, row.now_ms, rows + 1
    lobby.games = games
    _forget_recorded(lobby, journal)
    return Replayed(lobby, seq, now_ms, rows, tuple(skipped))


def _repeat(lobby: Lobby, command: Command, at: At) -> str | None:
    try:
        decision = decide(lobby, command, at)
    except GameFault as fault:
        return fault.why
    lobby.apply(decision.changes)
    if isinstance(decision.answer, Rejected) and not decision.changes:
        return f"refused: {decision.answer.code}"
    return None


def _forget_recorded(lobby: Lobby, journal: Journal) -> None:
    """Take out the matches of lost games that had come to their end: the replay cannot see it, the records can."""
    for match in list(lobby.matches.values()):
        if match.state is LOST and journal.has_record(match.id):
            del lobby.matches[match.id]
            for name in [name for name, number in lobby.seated.items() if number == match.id]:
                del lobby.seated[name]


def _games_of(versions: Mapping[str, int], games: Mapping[str, Game[Any]]) -> dict[str, Game[Any]]:
    """The games as they were when the server started: those that are no longer the same are lost."""
    then: dict[str, Game[Any]] = {}
    for name, version in versions.items():
        game = games.get(name.lower())
        then[name.lower()] = game if game is not None and game.version == version else LostGame(name, version)
    return then
