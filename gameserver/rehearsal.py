"""A rehearsal of a tournament in virtual time. Players move at random after a think time that is drawn.

The real lobby decides and the real planner pairs; only time and players are simulated. So it predicts, before
the class arrives, the number of games, the time that they take, and the disk space of their moves.
"""

import heapq
import random
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from attrs import define, field

from gameserver.core.commands import (
    Capability,
    Command,
    Conduct,
    CreateTournament,
    Enter,
    EntryMode,
    HousePlayer,
    Leave,
    Play,
    Resign,
    ServerStarted,
    TournamentTimeUp,
)
from gameserver.core.decide import decide
from gameserver.core.events import Rejected
from gameserver.core.lobby import At, Lobby, TournamentRow
from gameserver.core.match import Match
from gameserver.core.organizer import to_pair
from gameserver.game import Game
from gameserver.journal.codec import write_row
from gameserver.tournaments import model
from gameserver.tournaments.plan import Plan
from gameserver.tournaments.planner import Planner
from gameserver.values import value

_SEED = "00" * 32
MOVES_MAX = 1_000
"""Moves after which a player resigns: random play may never end by itself."""


class CannotRehearse(Exception):
    """The tournament cannot begin; the text says why."""


@value
class Rehearsed:
    """The result of a rehearsal. Times are virtual. `journal_bytes` counts the moves of all games and nothing else."""

    row: TournamentRow
    took_ms: int
    games: int
    moves: int
    longest_game_ms: int
    at_once: int
    journal_bytes: int
    rested_ms: int
    """The total pause between games of the player with the most games."""
    waited_ms: int
    """The time that was spent with waiting for the player who missed the most."""


@define
class _Rehearsal:
    """A rehearsal under way. `think_ms` draws the time that a move takes.

    `leaves_ms` has the time at which a player leaves, or after it as soon as the player is in no match.
    """

    games: Mapping[str, Game[Any]]
    chance: random.Random
    think_ms: Callable[[], int]
    leaves_ms: Mapping[str, int]
    lobby: Lobby = field(init=False)
    planner: Planner = field(factory=Planner)
    now_ms: int = 0
    journal_bytes: int = 0
    moves: int = 0
    turns: list[tuple[int, int, int]] = field(factory=list)
    """The moves to come, as (time, match, turn)."""
    opened_ms: dict[int, int] = field(factory=dict)
    longest_game_ms: int = 0
    at_once: int = 0
    is_woken: bool = False
    """True if the planner may have something to pair."""

    def __attrs_post_init__(self) -> None:
        self.lobby = Lobby(self.games)
        names = tuple(game.name for game in self.games.values())
        versions = {game.name: game.version for game in self.games.values()}
        self.do(ServerStarted(1, _SEED, house=(HousePlayer("house-random", names),), games=versions))

    def do(self, command: Command) -> None:
        """Have the lobby decide a command. Raises `CannotRehearse` if it refuses."""
        at = At(self.now_ms, self.now_ms)
        decision = decide(self.lobby, command, at)
        if isinstance(decision.answer, Rejected):
            raise CannotRehearse(decision.answer.facts.get("why") or str(decision.answer.code))
        self.journal_bytes += len(write_row(1, at, command).body)
        self.lobby.apply(decision.changes)
        self.is_woken = self.is_woken or bool(decision.wake)
        for match in decision.finished:
            self.longest_game_ms = max(self.longest_game_ms, self.now_ms - self.opened_ms.pop(match.id, self.now_ms))
        for table, number, row in decision.changes:
            if table == "matches" and row is not None and number not in self.opened_ms:
                self.opened_ms[number] = self.now_ms
                self._await(row)
        self.at_once = max(self.at_once, len(self.opened_ms))

    def run(self, told: Callable[[TournamentRow, int], None]) -> None:
        """Play until it is over."""
        while not self.row.is_over:
            self._leave()
            self._pair()
            told(self.row, self.now_ms)
            due_ms = self.row.due_ms
            if due_ms is not None and (not self.turns or due_ms <= self.turns[0][0]):
                self.now_ms = max(self.now_ms, due_ms)
                self.do(TournamentTimeUp(self.row.number))
            elif self.turns:
                self.now_ms, number, turn = heapq.heappop(self.turns)
                self._move(number, turn)
            elif not self.is_woken and not self.row.is_over:  # a pairing may have been a walkover
                raise CannotRehearse("nothing is played and nobody is waited for")

    @property
    def row(self) -> TournamentRow:
        return next(iter(self.lobby.tournaments.values()))

    def _leave(self) -> None:
        for name, leaves_ms in self.leaves_ms.items():
            player = self.lobby.players.get(name)
            if player is not None and player.match is None and leaves_ms <= self.now_ms:
                self.do(Leave(player.session))

    def _pair(self) -> None:
        found = to_pair(self.lobby, self.row.number, self.now_ms)
        if found is None or not self.is_woken:
            return
        self.is_woken = False
        act = self.planner.next_pairings(found[0].state, found[1], self.now_ms)
        if act is not None:
            self.do(Conduct(self.row.number, act))

    def _move(self, number: int, turn: int) -> None:
        match = self.lobby.matches.get(number)
        if match is None or match.turn.number != turn:
            return
        for seat in match.turn.seats:
            session = match.seats[seat].session or 0
            if len(match.moves) >= MOVES_MAX:
                self.do(Resign(session))
                return
            move = match.game.write_move(self.chance.choice(match.state.legal_moves(seat)))
            self.do(Play(session, move, number, seat, turn))
            self.moves += 1
        after = self.lobby.matches.get(number)
        if after is not None:
            self._await(after)

    def _await(self, match: Match) -> None:
        heapq.heappush(self.turns, (self.now_ms + self.think_ms(), match.id, match.turn.number))


def rehearse(
    games: Mapping[str, Game[Any]],
    plan: Plan,
    players: int,
    think_ms: Callable[[], int],
    chance: random.Random,
    told: Callable[[TournamentRow, int], None],
    leaves_ms: Mapping[str, int] = MappingProxyType({}),
) -> Rehearsed:
    """Play a tournament of so many players. `games` are by name in lower case; `told` is called at every move.

    The players are `player 1`, `player 2` and so on. `leaves_ms` has the time at which some of them leave; one who
    leaves at 0 never comes. Raises `CannotRehearse`.
    """
    rehearsal = _Rehearsal(games, chance, think_ms, leaves_ms)
    names = [f"player {number}" for number in range(1, players + 1)]
    for session, name in enumerate(names, start=1):
        if leaves_ms.get(name) != 0:
            rehearsal.do(Enter(session, name, "strategic", "", (Capability.CHALLENGE,)))
    roster = tuple(map(model.RegisterEntrant, names))
    rehearsal.do(CreateTournament(plan, _SEED, EntryMode.ROSTER, roster))
    rehearsal.do(Conduct(1, model.StartTournament(0)))
    rehearsal.run(told)
    return Rehearsed(
        row=rehearsal.row,
        took_ms=rehearsal.now_ms,
        games=sum(pairing.match is not None for pairing in rehearsal.row.state.pairings),
        moves=rehearsal.moves,
        longest_game_ms=rehearsal.longest_game_ms,
        at_once=rehearsal.at_once,
        journal_bytes=rehearsal.journal_bytes,
        rested_ms=min(rehearsal.now_ms, _pauses(rehearsal.row) * plan.pause_ms),
        waited_ms=_encounters_missed(rehearsal.row) * plan.no_show_ms,
    )


def _pauses(row: TournamentRow) -> int:
    """The most pauses between two games that any player had."""
    house = row.state.house_names
    played = [pairing for pairing in row.state.pairings if pairing.match is not None]
    games = Counter(name for pairing in played for name in pairing.seats if name not in house)
    return max(0, max(games.values(), default=0) - 1)


def _encounters_missed(row: TournamentRow) -> int:
    """The most encounters that any player did not come to."""
    missed = {(name, one.round, one.board) for one in row.state.pairings for name in one.absent}
    return max(Counter(name for name, _, _ in missed).values(), default=0)
