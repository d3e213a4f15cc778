"""Progress of a tournament: games played and left, the time that it still takes, and the stakes.

The time comes from the longest chain of games and of waits for players who do not come.

A player has one game at a time. So a tournament ends no sooner than the player who has the most left to play at their
own pace, however fast the others are: a mean over all games would promise an end in 30 s while one slow player has
twenty games to go. In a knockout the chain leads through the tree to its last encounter. House players play any number
of games at once and make no chain.

A player who does not come costs the plan's `no_show_ms` for each encounter, until `no_shows_max` in a row put them out.
Games and such waits are counted apart: where games of 5 s stood beside waits of 60 s, a mean over both made the time
left ten times too long after a no-show, and too short before.

In a tournament of stages, those that have not begun count as their plan says, for the players who will go on to them.

At stake for a player is a place on the podium, or in a knockout, staying in it.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import ceil

from gameserver.tournaments import knockout, round_robin
from gameserver.tournaments.history import History
from gameserver.tournaments.knockout import NodeNow, Part
from gameserver.tournaments.model import (
    CLOSED,
    UNDER_WAY,
    Pairing,
    PairingStatus,
    Timing,
    Tournament,
    TournamentPhase,
    Verdict,
)
from gameserver.tournaments.plan import Format, Plan
from gameserver.tournaments.stages import grouped, parts
from gameserver.tournaments.standings import StandingsRow, standings
from gameserver.tournaments.swiss import rounds_needed
from gameserver.tournaments.teams import boards_a_round
from gameserver.values import value

_TO_COME = (PairingStatus.ANNOUNCED, PairingStatus.HELD)
_DECISIVE = (Verdict.FIRST, Verdict.SECOND)
_EXTRA_GAMES = 3.0
"""Games expected after a level encounter: two at a time until one leads, or until the plan allows no more."""
LAST_RANK = 3
AT_RISK, CHASING = "at risk", "chasing"
IN, LAST, OUT = "in", "last", "out"


@value
class Progress:
    """The progress of a tournament: games done, being played, and left, which is None where nobody can tell.

    In a knockout, and where a Swiss has byes, `left` is what is to be expected rather than what is sure.
    """

    done: int
    playing: int
    left: int | None

    @property
    def share(self) -> float | None:
        """The progress of a tournament as the part of its games that is done, from 0 to 1."""
        if self.left is None:
            return None
        whole = self.done + self.playing + self.left
        return self.done / whole if whole else 1.0


def progress(tournament: Tournament) -> Progress:
    """Count the games of a tournament that are done, being played and left.

    No-shows and walkovers are done like games.
    """
    done = sum(pairing.status is PairingStatus.DONE for pairing in tournament.pairings)
    playing = sum(pairing.status is PairingStatus.PLAYING for pairing in tournament.pairings)
    if tournament.phase in CLOSED:
        return Progress(done, playing, 0)
    if tournament.phase is TournamentPhase.GATHERING:
        return Progress(0, 0, None)
    left = [_left(part.state) for part in parts(tournament)]
    if None in left:
        return Progress(done, playing, None)
    to_come = sum(_games_of(plan, size) for plan, sizes in _stages_to_come(tournament) for size in sizes)
    return Progress(done, playing, sum(filter(None, left)) + to_come)


def _left(tournament: Tournament) -> int | None:
    playing = sum(pairing.status is PairingStatus.PLAYING for pairing in tournament.pairings)
    # With matches of teams, players meet by rounds in all formats.
    format_alike = Format.SWISS if tournament.plan.team_boards else tournament.plan.format
    return _LEFT[format_alike](tournament, playing)


def _stages_to_come(tournament: Tournament) -> Iterator[tuple[Plan, list[int]]]:
    """The plan of each stage that has not begun, and the sizes of its groups if nobody else leaves."""
    if not tournament.has_parts:
        return
    stages, sizes = tournament.plan.stages, [len(part.state.active) for part in parts(tournament)]
    for number in range(tournament.stage + 1, len(stages)):
        players = sum(min(stages[number - 1].best, size) for size in sizes)
        sizes = [len(names) for names in grouped([""] * players, stages[number])]
        yield tournament.plan.of_stage(number), sizes


def _games_of(plan: Plan, players: int) -> int:
    """The games that so many players have in a stage, as far as its plan tells."""
    if plan.has_fixtures:
        return players * (players - 1) // 2 * plan.cycles * plan.games
    if plan.is_bracket:
        losses = 2 if plan.format is Format.DOUBLE_ELIMINATION else 1
        return (losses * max(0, players - 1) + (plan.third_place and losses == 1 and players > 3)) * plan.games
    return players // 2 * _rounds_of(plan, players) * plan.games


def _rounds_of(plan: Plan, players: int) -> int:
    """The rounds that so many players have in a stage."""
    if plan.has_fixtures:
        return len(round_robin.berger_table(players)) * plan.cycles
    if plan.is_bracket:
        return max(players - 1, 0).bit_length() * (2 if plan.format is Format.DOUBLE_ELIMINATION else 1)
    return plan.rounds or rounds_needed(players)


def least_done(tournament: Tournament) -> int:
    """The number of games that every player who is in has behind them, as a measure of a tournament's progress.

    It grows steadily where rounds overlap. The numbers of rounds do not: a player who waits is given any opponent who
    is free, so with 24 players the last rounds have begun before an eighth of the games is done.
    """
    done = dict.fromkeys((entrant.name for entrant in tournament.active if not entrant.house), 0)
    for pairing in tournament.pairings:
        if pairing.status is PairingStatus.DONE:
            for name in pairing.seats:
                if name in done:
                    done[name] += 1
    return min(done.values(), default=0)


def left_ms(tournament: Tournament, timing: Timing) -> int | None:
    """Estimate the time that a tournament will still take at its pace so far; None if nobody can tell, or nothing runs.

    That is the time for the longest chain of games of a player. House players have many games at once, so where they
    take part it is no shorter than the time for all games at the mean pace.
    """
    if tournament.phase is not TournamentPhase.RUNNING:
        return None
    # An arena's end is known to the millisecond; an estimate would be worse.
    if tournament.ends_ms is not None:
        return max(0, tournament.ends_ms - timing.now_ms)
    so_far = progress(tournament)
    if so_far.left is None or so_far.done == 0:
        return None
    chain_ms = _longest_chain_ms(tournament, timing)
    if not tournament.house_names:
        return chain_ms
    waits = Counter(name for pairing in tournament.pairings if pairing.absent for name in pairing.seats)
    played_ms = max(0, timing.ran_ms - max(waits.values(), default=0) * tournament.plan.no_show_ms)
    # House players make no chain, so the pace of all games is the lower bound where they play.
    return max(chain_ms, played_ms * (so_far.left + so_far.playing) // so_far.done)


def _longest_chain_ms(tournament: Tournament, timing: Timing) -> int:
    """The time that the longest chain will take; 0 if no player has a game left."""
    if tournament.has_parts:
        chains = [_longest_chain_ms(part.state, timing) for part in parts(tournament)]
        game_ms = _Pace(tournament, timing).game_ms()
        rounds = (
            max(_rounds_of(plan, size) for size in sizes) * plan.games for plan, sizes in _stages_to_come(tournament)
        )
        return max(chains) + round(sum(rounds) * game_ms)
    plan, pace = tournament.plan, _Pace(tournament, timing)
    if plan.format is Format.ARENA:
        return 0
    if plan.is_bracket:
        return round(_through_the_tree(tournament, pace))
    return round((_by_rounds if plan.has_rounds else _of_the_free)(tournament, pace))


class _Pace:
    """The length of a game of each player, with the pause after it, and the cost of players who do not come."""

    def __init__(self, tournament: Tournament, timing: Timing) -> None:
        self.no_show_ms = tournament.plan.no_show_ms
        self._pause_ms = tournament.plan.pause_ms
        self._timing = timing
        missed = {
            one.name: tournament.missed_in_a_row(one.name) for one in tournament.active if one.name in timing.missing
        }
        self.to_miss = {name: max(1, tournament.plan.no_shows_max - count) for name, count in missed.items()}
        """The encounters that each missing player will miss before they are out."""
        drawn = sum(pairing.verdict is Verdict.DRAW for pairing in tournament.pairings)
        self.drawn_tenths = 10 * drawn // max(1, len(timing.took_ms))
        """The share of draws so far, in tenths."""
        self._took_ms = dict(timing.took_ms)
        over_ms = _mean(self._took_ms.values()) or timing.ran_ms
        for pairing in tournament.keeping:
            so_far_ms = timing.open_ms.get(pairing.number, 0)
            if pairing.status is PairingStatus.PLAYING and so_far_ms > over_ms:
                self._took_ms[pairing.number] = so_far_ms  # a game that lasts longer than others tells of the rest
        self._mean_ms = _mean(self._took_ms.values()) or timing.ran_ms
        own: dict[str, list[int]] = {}
        for pairing in tournament.pairings:
            if pairing.number in self._took_ms:
                for name in pairing.seats:
                    own.setdefault(name, []).append(self._took_ms[pairing.number])
        self._own_ms = {name: _mean(took_ms) for name, took_ms in own.items()}

    def game_ms(self, *players: str) -> float:
        """The length of a game between these, as far as they are known and have played."""
        own = [self._own_ms[name] for name in players if name in self._own_ms]
        if len(own) == 2:
            # Each has met opponents of the mean pace, so a slow player's mean has the slowness of one.
            return max(min(own), sum(own) - self._mean_ms) + self._pause_ms
        return (own[0] if own else self._mean_ms) + self._pause_ms

    def mean_ms(self, pairings: Iterable[Pairing]) -> float:
        """The mean length of those of these games whose length is known; 0 if none is."""
        mean_ms = _mean([self._took_ms[one.number] for one in pairings if one.number in self._took_ms])
        return mean_ms and mean_ms + self._pause_ms

    def is_waiting(self, pairing: Pairing | None) -> bool:
        """True if this game waits for a player who is missing."""
        is_announced = pairing is not None and pairing.status is PairingStatus.ANNOUNCED
        return pairing is not None and is_announced and any(name in self.to_miss for name in pairing.seats)

    def rest_ms(self, pairing: Pairing) -> float:
        """The time that an open game still takes, or the wait for it."""
        so_far_ms = self._timing.open_ms.get(pairing.number, 0)
        if self.is_waiting(pairing):
            return max(0, self.no_show_ms - so_far_ms)
        game_ms = self.game_ms(*pairing.seats)
        if pairing.status is not PairingStatus.PLAYING:
            return game_ms
        # A game that has lasted longer than others goes on for half as long again, or until the banks are used up.
        rest_ms = max(game_ms - so_far_ms, so_far_ms / 2)
        return min(rest_ms, self._timing.rest_max_ms.get(pairing.number, rest_ms))

    def to_come_ms(self, players: Iterable[str | None], games: float, now: Pairing | None) -> float:
        """The time for so many games of an encounter, of which `now` is open."""
        names = [name for name in players if name is not None]
        if any(name in self.to_miss for name in names):
            return self.no_show_ms if now is None else self.rest_ms(now)  # for all games together
        return max(0.0, games - (now is not None)) * self.game_ms(*names) + (0 if now is None else self.rest_ms(now))


def _mean(lengths_ms: Collection[float]) -> float:
    return sum(lengths_ms) / len(lengths_ms) if lengths_ms else 0.0


def _of_the_free(tournament: Tournament, pace: _Pace) -> float:
    """The time for fixtures without rounds.

    Players who are here meet each other first. A player who has met them all waits for one who is missing.
    """
    left, house = round_robin.games_left(tournament), tournament.house_names
    now = {name: pairing for pairing in tournament.keeping for name in pairing.seats}
    here = [name for name in left if name not in pace.to_miss and name not in house]
    met_ms: dict[str, float] = {}
    for name in here:
        one = now.get(name)
        games = sum(games for other, games in left[name].items() if other not in pace.to_miss)
        later = games - (one is not None and not pace.is_waiting(one))
        met_ms[name] = (0 if one is None else pace.rest_ms(one)) + max(0, later) * pace.game_ms(name)
    boards = tournament.plan.matches_at_once_max or max(1, len(here) // 2)
    games = sum(games for name in here for other, games in left[name].items() if other in met_ms) // 2
    ends = [*met_ms.values(), games * pace.game_ms() / boards]
    for name in pace.to_miss.keys() & left.keys():
        misses, one = min(pace.to_miss[name], ceil(left[name].total() / tournament.plan.games)), now.get(name)
        if misses:
            first_ms = 0 if one is None else pace.rest_ms(one)
            idle_ms = min((met_ms.get(other, 0.0) for other in left[name] if other not in pace.to_miss), default=0.0)
            ends.append(max(first_ms, idle_ms) + (misses - (one is not None)) * pace.no_show_ms)
    return max(ends)


def _by_rounds(tournament: Tournament, pace: _Pace) -> float:
    """The time for rounds, each of which lasts as long as its slowest encounter."""
    games, to_miss = tournament.plan.games, dict(pace.to_miss)
    boards: dict[tuple[int, int], list[Pairing]] = {}
    for pairing in tournament.pairings:
        if pairing.status is not PairingStatus.VOID:
            boards.setdefault((pairing.round, pairing.board), []).append(pairing)
    left_ms, slowest_ms = 0.0, dict[int, float]()
    for (number, _), pairings in boards.items():
        seats, left = pairings[0].seats, games - sum(not one.is_open for one in pairings)
        slowest_ms[number] = max(slowest_ms.get(number, 0), pace.mean_ms(pairings))
        if number == tournament.round and left and not any(map(tournament.is_out, seats)):
            left_ms = max(left_ms, pace.to_come_ms(seats, left, next((one for one in pairings if one.is_open), None)))
            if not any(one.absent for one in pairings):
                to_miss.update({name: to_miss[name] - 1 for name in seats if name in to_miss})
    known_ms = list(filter(None, slowest_ms.values())) or [pace.game_ms()]
    for _ in range(tournament.round, _rounds(tournament)):
        wait_ms = pace.no_show_ms if any(count > 0 for count in to_miss.values()) else 0
        left_ms += max(games * _mean(known_ms), wait_ms)
        to_miss = {name: count - 1 for name, count in to_miss.items()}
    return left_ms


def _rounds(tournament: Tournament) -> int:
    if not tournament.plan.has_fixtures:
        return tournament.rounds
    return max((one.place[0] for one in round_robin.fixtures_left(tournament)), default=0)


def _through_the_tree(tournament: Tournament, pace: _Pace) -> float:
    """The time for a bracket. An encounter begins when those that it depends on are over."""
    ends: list[float] = []
    for one in knockout.nodes_now(History.of(tournament)):
        sources = (one.node.first, one.node.second)
        before = (ends[source.number - 1] for source in sources if source.kind is not knockout.From.SEED)
        begins_ms = max(before, default=0)
        ends.append(begins_ms + _encounter_ms(tournament, one, pace))
    return max(ends, default=0)


def _encounter_ms(tournament: Tournament, now: knockout.NodeNow, pace: _Pace) -> float:
    """The time that an encounter of a bracket still takes."""
    is_out = any(name and tournament.is_out(name) for name in now.players)
    if now.winner is not None or is_out:
        return 0
    over = [one for one in now.games if not one.is_open]
    won = Counter(one.seats[one.verdict is Verdict.SECOND] for one in over if one.verdict in _DECISIVE)
    lead = won[now.players[0] or ""] - won[now.players[1] or ""]
    games = _games_expected(abs(lead), max(1, tournament.plan.games - len(over)), pace.drawn_tenths)
    if now.node.decider and not now.is_playable:
        games /= 2  # it is played only if the winner of the losers' part wins the grand final
    return pace.to_come_ms(now.players, games, next((one for one in now.games if one.is_open), None))


@lru_cache(maxsize=1024)
def _games_expected(lead: int, left: int, drawn_tenths: int) -> float:
    """The number of games, of those that are left, that equal players need until the lead cannot be caught up."""
    if abs(lead) > left:
        return 0.0
    if left == 0:
        return _EXTRA_GAMES
    after = [_games_expected(lead + step, left - 1, drawn_tenths) for step in (-1, 0, 1)]
    return 1 + (after[0] + after[2]) / 2 * (1 - drawn_tenths / 10) + after[1] * drawn_tenths / 10


def podium_race(tournament: Tournament, rows: Sequence[StandingsRow]) -> Mapping[str, str]:
    """The stakes in a tournament's progress so far: whose top place is at risk, and who is one win from one.

    One win brings a player who is `CHASING` level with the last of the podium, or ahead. A place on it is `AT_RISK` if
    one win brings a chaser level with it. A player without a game left chases nobody.
    """
    if tournament.phase not in UNDER_WAY:
        return {}
    if tournament.has_parts:
        # Before the last stage nobody is near the podium yet.
        if tournament.stage + 1 < len(tournament.plan.stages):
            return {}
        tournament = parts(tournament)[0].state
        rows = standings(tournament)
    podium = [row for row in rows if row.rank is not None and row.rank <= LAST_RANK]
    if not any(row.played for row in podium):
        return {}
    in_play, win = still_to_play(tournament), tournament.plan.scoring.win
    below = [row for row in rows if row.rank is not None and row.rank > LAST_RANK and row.name in in_play]
    chasing = [row for row in below if row.units + win >= podium[-1].units]
    most = max((row.units + win for row in chasing), default=-1)
    at_risk = {row.name: AT_RISK for row in podium if row.units <= most}
    return at_risk | {row.name: CHASING for row in chasing}


def bracket_chances(tournament: Tournament, nodes: Sequence[NodeNow]) -> Mapping[str, str]:
    """The stakes in a knockout's progress: `IN`, `OUT`, or `LAST` after one loss where the second decides."""
    if tournament.phase not in UNDER_WAY:
        return {}
    still_in = {name for now in nodes if now.winner is None for name in now.players if name}
    beaten = {now.loser for now in nodes if now.node.part is not Part.LOSERS}
    has_two_lives = tournament.plan.format is Format.DOUBLE_ELIMINATION
    found = {}
    for entrant in tournament.entrants:
        if entrant.name not in still_in or entrant.is_out:
            found[entrant.name] = OUT
        else:
            found[entrant.name] = LAST if has_two_lives and entrant.name in beaten else IN
    return found


def still_to_play(tournament: Tournament) -> frozenset[str]:
    """The players of a tournament in progress who have a game to come, or are in one."""
    if tournament.plan.has_fixtures:
        return frozenset(name for name, games in round_robin.games_left(tournament).items() if games)
    active = frozenset(entrant.name for entrant in tournament.active)
    if tournament.plan.format is Format.ARENA or tournament.round < tournament.rounds:
        return active
    last = tournament.round
    done = Counter(
        name
        for pairing in tournament.pairings
        if pairing.round == last and pairing.status is PairingStatus.DONE
        for name in pairing.seats
    )
    idle = {bye.player for bye in tournament.byes if bye.round == last}
    return frozenset(name for name in active - idle if done[name] < tournament.plan.games)


def _fixtures_left(tournament: Tournament, playing: int) -> int:
    history, left = History.of(tournament), 0
    for fixture in round_robin.fixtures_left(tournament):
        taken = history.meetings_of(fixture.first, fixture.second)
        meetings = fixture.meetings(tournament.plan)
        left += sum(number not in taken or taken[number].status in _TO_COME for number in meetings)
    return left


def _rounds_left(tournament: Tournament, playing: int) -> int:
    games = tournament.plan.games
    boards = boards_a_round(tournament) if tournament.plan.team_boards else len(tournament.active) // 2
    paired = {(one.round, one.board, one.game) for one in tournament.pairings if one.status is not PairingStatus.VOID}
    encounters = {(number, board) for number, board, _ in paired}
    unpaired = len(encounters) * games - len(paired)
    announced = sum(one.status in _TO_COME for one in tournament.pairings)
    return (tournament.rounds - tournament.round) * boards * games + unpaired + announced


def _nodes_left(tournament: Tournament, playing: int) -> int:
    games = tournament.plan.games
    left = 0
    for now in knockout.nodes_now(History.of(tournament)):
        if now.winner is None and not now.node.decider:
            played = sum(pairing.status is PairingStatus.DONE for pairing in now.games)
            left += max(1, games - played)
    return max(0, left - playing)


def _nobody_knows(tournament: Tournament, playing: int) -> None:
    return None


_LEFT: Mapping[Format, Callable[[Tournament, int], int | None]] = {
    Format.ROUND_ROBIN: _fixtures_left,
    Format.GAUNTLET: _fixtures_left,
    Format.SWISS: _rounds_left,
    Format.KNOCKOUT: _nodes_left,
    Format.DOUBLE_ELIMINATION: _nodes_left,
    Format.ARENA: _nobody_knows,
}
