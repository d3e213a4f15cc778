"""`gameserver rehearse`: the time that a tournament will take, before anybody is there.

It is a rehearsal in virtual time. Players move at random after a think time that is drawn.

The real lobby decides and the real planner pairs; only time and players are simulated. So it predicts, before the class
arrives, the number of games, the time that they take, and the disk space of their moves.
"""

import heapq
import random
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
from attrs import define, evolve, field
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from gameserver.cli.common import CommandFailed, WrongSettings, config_option, plain_console
from gameserver.cli.effective_config import effective
from gameserver.cli.tournament_options import chosen_plan, preset_option, set_option, stages_option
from gameserver.cli.tournament_text import duration
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
from gameserver.time_control import NO_TIME_LIMIT
from gameserver.tournaments import model
from gameserver.tournaments.plan import Format, Plan, stages_text
from gameserver.tournaments.planner import Planner
from gameserver.tournaments.presets import preset
from gameserver.tournaments.progress import progress

_SEED = "00" * 32
_MOVES_MAX = 1_000
"""Moves after which a player resigns: random play may never end by itself."""

_ROW_BYTES = 120
"""Bytes on the disk that a row of the journal and its move on record take beside the command itself."""


@click.command(name="rehearse")
@click.option("--game", required=True, help="The game, as `gameserver plugins` lists it.")
@click.option("--players", type=click.IntRange(2, 1000), default=30, show_default=True)
@preset_option("which")
@stages_option
@set_option
@click.option("--think", "think_s", type=click.FloatRange(0.001, 3600), default=0.5, show_default=True)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="The seed of the random moves; another one gives other games.",
)
@click.option("--absent", type=click.IntRange(min=0), default=0, show_default=True, help="Players who never come.")
@config_option
def rehearse_tournament(
    game: str,
    players: int,
    which: str | None,
    stages: str | None,
    settings: tuple[str, ...],
    think_s: float,
    seed: int,
    absent: int,
    config_file: Path | None,
) -> None:
    """Play a tournament in virtual time, with players who move at random, and report how long it takes.

    Each move takes from nothing to twice --think seconds, and no longer than the clock permits. --config has the
    server's plug-ins and its clock.
    """
    plug_ins, server_settings, _ = effective(config_file, None, ())
    found, rules = plug_ins.games, server_settings.rules()
    if game.lower() not in found:
        raise WrongSettings(f"there is no game {game!r}; there is {', '.join(one.name for one in found.values())}")
    name, changes = chosen_plan(which, stages, settings)
    try:
        # As for a tournament on the server: a clock that differs from its default goes before the preset's.
        chosen = {"clock": None} if rules.has_own_clock else {}
        plan = preset(name, "Rehearsal", game, **chosen | changes)
    except (ValueError, TypeError) as error:
        raise WrongSettings(str(error)) from error
    clock = plan.clock or rules.clock
    plan = evolve(plan, clock=clock)
    chance = random.Random(seed)  # noqa: S311 - nothing is kept secret by it

    def think_ms() -> int:
        return 1 + int(chance.random() * 2 * think_s * 1000)

    # They are spread over the seeds, as in life.
    leaves_ms = {f"player {number}": 0 for number in chance.sample(range(1, players + 1), min(absent, players))}
    console = plain_console()
    columns = (TextColumn("playing, in virtual time"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)

        moves = count()

        def told(row: TournamentRow, now_ms: int) -> None:
            if next(moves) % 10 == 0:
                so_far = progress(row.state)
                total = None if so_far.left is None else so_far.done + so_far.playing + so_far.left
                bar.update(task, completed=so_far.done, total=total)

        done = rehearse(found, plan, players, think_ms, chance, told, leaves_ms)
        if plan.format is Format.ARENA:  # it lasts as long as the plan says, however slow the moves are
            worst = f"{duration(plan.duration_ms)} and the last games"
        elif clock == NO_TIME_LIMIT:
            worst = "no bound: the clock limits neither turns nor matches"
        else:
            slowest = rehearse(found, plan, players, None, random.Random(seed), told, leaves_ms)  # noqa: S311 - as above
            worst = duration(slowest.took_ms)
            if slowest.given_up and clock.longest_ms(_MOVES_MAX) != clock.longest_ms(2 * _MOVES_MAX):
                worst = f"no bound: {slowest.given_up} of the games had no end after {_MOVES_MAX} moves"
    console.print(_table(plan, players, think_s, (f"at the worst, by the clock {clock}", worst), done))


def _table(plan: Plan, players: int, think_s: float, worst: tuple[str, str], done: "Rehearsal") -> Table:
    table = Table(
        show_header=False, title=f"{stages_text(plan.stages) or plan.format.value} at {plan.game}, {players} players"
    )
    rows: tuple[tuple[str, Any], ...] = (
        ("games", done.games),
        ("moves", done.moves),
        ("played at once, at the most", done.at_once),
        ("longest game", duration(done.longest_game_ms)),
        (f"expected to take, at {think_s:g} s a move", duration(done.took_ms)),
        ("of it, pauses between a player's games", duration(done.rested_ms)),
        *([("of it, waits for a player who does not come", duration(done.waited_ms))] if done.waited_ms else []),
        worst,
        ("disk", f"about {(done.journal_bytes + _ROW_BYTES * done.moves) / 1_000_000:.1f} MB"),
    )
    for name, figure in rows:
        table.add_row(name, str(figure))
    return table


def rehearse(
    games: Mapping[str, Game[Any]],
    plan: Plan,
    players: int,
    think_ms: Callable[[], int] | None,
    chance: random.Random,
    told: Callable[[TournamentRow, int], None],
    leaves_ms: Mapping[str, int] = MappingProxyType({}),
) -> "Rehearsal":
    """Rehearses a tournament of so many players in virtual time.

    `games` are by name in lower case; `told` is called at every move.

    The players are `player 1`, `player 2` and so on. `leaves_ms` has the time at which some of them leave; one who
    leaves at 0 never comes. Raises `CommandFailed`.
    """
    rehearsal = Rehearsal(games, chance, think_ms, leaves_ms)
    names = [f"player {number}" for number in range(1, players + 1)]
    for session, name in enumerate(names, start=1):
        if leaves_ms.get(name) != 0:
            rehearsal.do(Enter(session, name, "strategic", "", (Capability.CHALLENGE,)))
    boards = plan.team_boards
    teams = [f"team {index // boards + 1}" if boards else "" for index in range(players)]
    roster = tuple(model.RegisterEntrant(name, team=team) for name, team in zip(names, teams, strict=True))
    rehearsal.do(CreateTournament(plan, _SEED, EntryMode.ROSTER, roster))
    rehearsal.do(Conduct(1, model.StartTournament(0)))
    rehearsal.run(told)
    return rehearsal


@define(eq=False)
class Rehearsal:
    """A tournament's rehearsal, under way or over. Times are virtual. `think_ms` draws the time that a move takes.

    Without it each move comes in the last moment, which makes a match as long as its clock lets it be.

    `leaves_ms` has the time at which a player leaves, or after it as soon as the player is in no match.
    `journal_bytes` counts the moves of all games and nothing else.
    """

    known: Mapping[str, Game[Any]]
    chance: random.Random
    think_ms: Callable[[], int] | None
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
    given_up: int = 0
    """The games in which a player resigned because they had no end."""
    is_woken: bool = False
    """True if the planner may have something to pair."""

    def __attrs_post_init__(self) -> None:
        self.lobby = Lobby(self.known)
        names = tuple(game.name for game in self.known.values())
        versions = {game.name: game.version for game in self.known.values()}
        self.do(ServerStarted(1, _SEED, house=(HousePlayer("house-random", names),), games=versions))

    def do(self, command: Command) -> None:
        """Have the rehearsal's lobby decide a command. Raises `CommandFailed` if it refuses."""
        at = At(self.now_ms, self.now_ms)
        decision = decide(self.lobby, command, at)
        if isinstance(decision.answer, Rejected):
            raise _not_playable(decision.answer.facts.get("why") or str(decision.answer.code))
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
        """Play the tournament until it is over."""
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
                raise _not_playable("nothing is played and nobody is waited for")

    @property
    def row(self) -> TournamentRow:
        """The row of the tournament."""
        return next(iter(self.lobby.tournaments.values()))

    @property
    def took_ms(self) -> int:
        """The time that the tournament has taken."""
        return self.now_ms

    @property
    def games(self) -> int:
        """The number of games that were played."""
        return sum(pairing.match is not None for pairing in self.row.state.pairings)

    @property
    def rested_ms(self) -> int:
        """The total pause between games of the player with the most games."""
        return min(self.now_ms, _pauses(self.row) * self.row.state.plan.pause_ms)

    @property
    def waited_ms(self) -> int:
        """The time spent waiting for the player who missed the most."""
        return _encounters_missed(self.row) * self.row.state.plan.no_show_ms

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
            if len(match.moves) >= _MOVES_MAX:
                self.do(Resign(session))
                self.given_up += 1
                return
            move = match.game.write_move(self.chance.choice(match.state.legal_moves(seat)))
            self.do(Play(session, move, number, seat, turn))
            self.moves += 1
        after = self.lobby.matches.get(number)
        if after is not None:
            self._await(after)

    def _await(self, match: Match) -> None:
        latest_ms = match.deadline_ms
        due_ms = latest_ms if self.think_ms is None else self.now_ms + self.think_ms()
        due_ms = min(filter(None, (due_ms, latest_ms)), default=self.now_ms)
        heapq.heappush(self.turns, (due_ms, match.id, match.turn.number))


def _not_playable(why: object) -> CommandFailed:
    return CommandFailed(f"it cannot be played: {why}")


def _pauses(row: TournamentRow) -> int:
    house = row.state.house_names
    played = [pairing for pairing in row.state.pairings if pairing.match is not None]
    games = Counter(name for pairing in played for name in pairing.seats if name not in house)
    return max(0, max(games.values(), default=0) - 1)


def _encounters_missed(row: TournamentRow) -> int:
    """The most encounters that any player did not come to."""
    missed = {(name, one.round, one.board) for one in row.state.pairings for name in one.absent}
    return max(Counter(name for name, _, _ in missed).values(), default=0)
