"""A tournament as a row of the lobby: its own state, what the lobby knows beside it, and the players it reserves.

The pure `gameserver.tournaments` says what a tournament is and what an act does to it; `core.organizer` begins
its matches and carries out what teachers do.

While a tournament runs, its players meet only the opponents that it pairs them with: no queue, room or ticket
leads them into another match. A search in a queue waits, as during a match; being ready in a room or waiting
with a ticket means being ready for the tournament. A challenge that two players agree on goes on, unless the
tournament's plan says otherwise. In a pause players are reserved as before: otherwise the program of a player
who waits would begin a match with the next one who waits, and be missing when the tournament goes on.
Challenges are always allowed then, because nobody challenges by accident.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol

import attrs
from attrs import Factory

from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.tournaments.model import CLOSED, Timing, Tournament, TournamentPhase
from gameserver.values import value

RESERVING = (TournamentPhase.RUNNING, TournamentPhase.PAUSED)
"""Phases in which its players are reserved for it: in a pause too, or other matches would have them after it."""


@value
class TournamentRow:
    """One tournament in the lobby. Times are on the server's axis, but for those of the day."""

    number: int
    state: Tournament
    entry: EntryMode = EntryMode.LOGGED_IN
    created_wall_ms: int = 0
    started_wall_ms: int | None = None
    ended_wall_ms: int | None = None
    waits: Mapping[int, int] = Factory(dict)
    """Until when each announced pairing waits for its players."""
    rests: Mapping[str, int] = Factory(dict)
    """Until when each player has a pause between two matches."""
    running_since_ms: int | None = None
    ran_ms: int = 0
    """The time that it has run, without the stretch since `running_since_ms`: for telling when it will end."""
    faults: Mapping[str, tuple[int, ...]] = Factory(dict)
    """The matches in which a bug of ours ended a player's connection, by player."""
    took_ms: Mapping[int, int] = Factory(dict)
    """The length of each pairing's match that gave a result: for telling when it will end."""

    @property
    def name(self) -> str:
        """Its name."""
        return self.state.plan.name

    @property
    def is_over(self) -> bool:
        """True if nothing will be played any more, unless a teacher has something played again."""
        return self.state.phase in CLOSED

    @property
    def due_ms(self) -> int | None:
        """The time of the next thing by itself: a no-show, the end of a rest, the end of an arena."""
        if self.state.phase is not TournamentPhase.RUNNING:
            return None
        ends = () if self.state.ends_ms is None else (self.state.ends_ms,)
        return min((*self.waits.values(), *self.rests.values(), *ends), default=None)

    def keeps(self, name: str) -> bool:
        """True if this player, who is in and not out, is reserved for the tournament's matches now."""
        if self.state.phase not in RESERVING:
            return False
        entrant = self.state.entrant(name)
        return entrant is not None and not entrant.is_out and not entrant.house

    def has_run_ms(self, now_ms: int) -> int:
        """The time that it has been running in all."""
        return self.ran_ms + (0 if self.running_since_ms is None else now_ms - self.running_since_ms)

    def timing(
        self, now_ms: int, open_ms: Mapping[int, int] = MappingProxyType({}), missing: frozenset[str] = frozenset()
    ) -> Timing:
        """The times for telling when it will end, with what the lobby's other rows know of them."""
        return Timing(self.has_run_ms(now_ms), now_ms, self.took_ms, open_ms, missing)

    def with_state(self, state: Tournament, now_ms: int, wall_ms: int) -> "TournamentRow":
        """The row after an act; keeps the times at which it ran."""
        was, now = self.state.phase, state.phase
        row = attrs.evolve(self, state=state)
        if was is now:
            return row
        if now is TournamentPhase.RUNNING:
            started = wall_ms if self.started_wall_ms is None else self.started_wall_ms
            return attrs.evolve(row, running_since_ms=now_ms, started_wall_ms=started, ended_wall_ms=None)
        if was is TournamentPhase.RUNNING:
            row = attrs.evolve(row, running_since_ms=None, ran_ms=self.has_run_ms(now_ms), waits={}, rests={})
        return attrs.evolve(row, ended_wall_ms=wall_ms if row.is_over else None)


class _Rows(Protocol):
    def __len__(self) -> int: ...

    def values(self) -> Iterable[TournamentRow]: ...


class Tournaments(Protocol):
    """A lobby or a draft of one."""

    @property
    def tournaments(self) -> _Rows:
        """Every tournament."""


def is_reserved(lobby: Tournaments, name: str, game: str | None = None) -> bool:
    """True if a player is reserved for a tournament (of this game) now."""
    # Most lobbies have none, and every search asks.
    if not lobby.tournaments:
        return False
    return any(row.keeps(name) and game in {None, row.state.plan.game} for row in lobby.tournaments.values())


def may_challenge(lobby: Tournaments, name: str) -> bool:
    """True if the tournaments that a player is in let them play others meanwhile."""
    return not any(
        row.state.phase is TournamentPhase.RUNNING and not row.state.plan.challenges and row.keeps(name)
        for row in lobby.tournaments.values()
    )


def reserved_names(row: TournamentRow) -> dict[str, None]:
    """All who are kept for this tournament, in order."""
    if row.state.phase not in RESERVING:
        return {}
    return {entrant.name: None for entrant in row.state.entrants if not entrant.is_out and not entrant.house}
