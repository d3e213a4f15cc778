"""Works out what is to be played next, in every format.

When a stage of several has been played, that is the next stage: the best of each group, seeded. The first of each group
come before the second ones, each in the order of their results; then players of one group or one team change places
with others until they meet as late as they can.

In an arena, every free player meets another near in score for a set time; one who loses plays on. Nobody meets the same
opponent a third time running while others are playing: it is better to wait a moment for one of them. In an odd crowd,
one of those who have played most has to wait.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import combinations

import attrs
from attrs import Factory, define

from gameserver.chance import lot
from gameserver.tournaments import knockout, round_robin, swiss
from gameserver.tournaments.history import History, are_mates, by_lot
from gameserver.tournaments.model import Bye, NextStage, Pair, Pairing, PairingStatus, Tournament, TournamentPhase
from gameserver.tournaments.plan import Format, Stage
from gameserver.tournaments.stages import grouped, parts
from gameserver.tournaments.standings import Ledger, standings
from gameserver.tournaments.swiss import Badness, Edge, best_matching, near
from gameserver.tournaments.teams import apart, boards_of, field_of_teams

_RUNNING_MAX = 2
# Stands in the matching for the partner of the player of an odd field who has to wait.
_WAITS = -1


@define
class Planner:
    """A planner of one tournament's next pairings, which keeps its index of earlier ones between calls.

    Asked about another state of the same tournament it looks only at what has changed since. What it keeps is
    worked out of the tournament alone, so nothing is lost with it.
    """

    _schedule: round_robin.Schedule | None = None
    _of_groups: dict[tuple[int, int], "Planner"] = Factory(dict)
    """A planner for each group of a stage, by the round after which the stage began, and the group."""

    def next_pairings(self, tournament: Tournament, free: Collection[str], now_ms: int) -> Pair | NextStage | None:
        """Plan the pairings that a tournament announces next, as an act; None if there is nothing to announce now.

        Where a stage has been played and another one follows, the act begins that.

        `free` names the players whose protocol lets them be paired now (the house need not be named). Formats
        with rounds pair everybody, and an announced match waits for its players; the others pair the free.
        The same tournament, the same `free` in any order and the same time give the same act, whatever was asked
        before. A field of 100 takes up to 0.2 s: call it outside of the lobby's loop.
        """
        if tournament.phase is not TournamentPhase.RUNNING or _time_is_up(tournament, now_ms):
            return None
        if tournament.has_parts:
            return self._next_in_stage(tournament, free, now_ms)
        if tournament.plan.team_boards:
            return _numbered(tournament, *_next_of_teams(tournament))
        if not tournament.plan.has_fixtures:
            return _numbered(tournament, *_next_elsewhere(History.of(tournament), free))
        if self._schedule is None:
            self._schedule = round_robin.Schedule.of(History.of(tournament))
        else:
            # Indexing every pairing again after every game took half of the CPU of a double round robin of 40 bots:
            # 35.6 s, of which 8.2 s are left.
            self._schedule = self._schedule.after(self._schedule.history.after(tournament))
        return _numbered(tournament, round_robin.next_fixtures(self._schedule, free), [])

    def _next_in_stage(self, tournament: Tournament, free: Collection[str], now_ms: int) -> Pair | NextStage | None:
        if is_stage_complete(tournament):
            return next_stage(tournament) if tournament.stage + 1 < len(tournament.plan.stages) else None
        found: list[Pairing] = []
        byes: list[Bye] = []
        for part in parts(tournament):
            planner = self._of_groups.setdefault((part.after_round, part.group), Planner())
            act = planner.next_pairings(part.state, free, now_ms)
            if isinstance(act, Pair):
                found += map(part.announced, act.pairings)
                byes += map(part.rested, act.byes)
        return _numbered(tournament, found, byes)


def startable(tournament: Tournament, free: Collection[str]) -> tuple[Pairing, ...]:
    """The planned pairings whose matches can begin now: both players free, and within the plan's matches at once."""
    if tournament.phase is not TournamentPhase.RUNNING:
        return ()
    limit = tournament.plan.matches_at_once_max
    room = limit - sum(pairing.status is PairingStatus.PLAYING for pairing in tournament.pairings) if limit else None
    taken = {
        name for pairing in tournament.pairings if pairing.status is PairingStatus.PLAYING for name in pairing.seats
    }
    found: list[Pairing] = []
    house = tournament.house_names
    for pairing in tournament.pairings:
        if pairing.status is PairingStatus.ANNOUNCED:
            people = [name for name in pairing.seats if name not in house]
            if all(name in free and name not in taken for name in people):
                taken.update(people)
                found.append(pairing)
    return tuple(found[: None if room is None else max(0, room)])


def is_complete(tournament: Tournament) -> bool:
    """True if nothing is left to plan: everything that the tournament's format asks for has been played.

    An arena is complete when its time is up.
    """
    if tournament.has_parts:
        return tournament.stage + 1 == len(tournament.plan.stages) and is_stage_complete(tournament)
    if tournament.phase is TournamentPhase.GATHERING or tournament.has_open:
        return False
    history = History.of(tournament)
    plan = tournament.plan
    if plan.team_boards:
        return not history.owed and not swiss.games_to_follow(history) and is_complete(field_of_teams(tournament))
    if plan.has_fixtures:
        return next(round_robin.due_games(history), None) is None
    if plan.is_bracket:
        return knockout.is_decided(history)
    if plan.format is Format.SWISS:
        return not history.owed and swiss.is_played(history)
    return tournament.ends_ms is None and tournament.left_ms == 0


def is_stage_complete(tournament: Tournament) -> bool:
    """True if nothing is left to plan in the stage in which the tournament is, in any of its groups."""
    return not tournament.has_open and all(is_complete(part.state) for part in parts(tournament))


def next_stage(tournament: Tournament) -> NextStage:
    """Plan the next stage of a tournament whose stage has been played: the players who go on, in groups, by seed."""
    stage = tournament.stage
    found = qualifiers(tournament, stage)
    names = _seeded(tournament, found, tournament.plan.stages[stage + 1])
    return NextStage(
        grouped(names, tournament.plan.stages[stage + 1]), _last_round(tournament), len(tournament.rulings)
    )


def qualifiers(tournament: Tournament, stage: int) -> tuple[tuple[str, ...], ...]:
    """The players who go on from each group of a stage to the next that is planned, the best first.

    The next one takes the place of a player who is out. House players go on only where there is nobody else.
    """
    best = tournament.plan.stages[stage].best
    found = []
    for part in parts(tournament, stage):
        able = (row.name for row in standings(part.state) if not part.state.is_out(row.name))
        found.append(tuple(able)[:best])
    return tuple(found)


def _last_round(tournament: Tournament) -> int:
    """The last round that the stage may have, played or not: a correction may still make a deciding final needed."""
    draw = tournament.draws[-1]
    rounds = (draw.after_round + rounds_planned(part.state) for part in parts(tournament))
    return max(tournament.round, *rounds) if draw.last_round is None else draw.last_round


def rounds_planned(tournament: Tournament) -> int:
    """The rounds that the plan of a tournament without stages leads to at most, for the players that it has."""
    plan = tournament.plan
    if plan.has_fixtures:
        return max((one.place[0] for one in round_robin.fixtures(tournament)), default=0)
    if plan.is_bracket:
        nodes = knockout.tree(plan.format, len(tournament.entrants), third_place=plan.third_place)
        return max(node.place[0] for node in nodes)
    return tournament.rounds


def _seeded(tournament: Tournament, found: Sequence[Sequence[str]], following: Stage) -> tuple[str, ...]:
    """Those who go on by their new seeds: the first of each group, then the second ones, and so on."""
    if len(found) == 1:
        return apart(found[0], (tournament.team_of,), following)
    group_of = {name: group for group, names in enumerate(found) for name in names}
    rows = {row.name: row for part in parts(tournament) for row in standings(part.state)}
    lots = by_lot(group_of, tournament.seed, "seed")
    by_strength = sorted(group_of, key=lambda name: (-rows[name].points_a_game, lots.index(name)))
    place_of = {name: place for names in found for place, name in enumerate(names)}
    names = sorted(by_strength, key=lambda name: place_of[name])
    # The winners of groups keep their seeds by bands, as in a draw.
    tiers = [(place_of[name], 0 if place_of[name] else seed.bit_length()) for seed, name in enumerate(names)]
    return apart(names, (group_of, tournament.team_of), following, tiers)


def _next_in_arena(history: History, free: Collection[str]) -> list[Pairing]:
    tournament = history.tournament
    points = Ledger.of(tournament).points
    playing = {name for pairing in tournament.keeping for name in pairing.seats}
    waiting = [one for one in tournament.active if (one.house or one.name in free) and one.name not in playing]
    players = [e.name for e in sorted(waiting, key=lambda entrant: (-points[entrant.name], entrant.number))]
    last, team_of = _last_opponents(history), tournament.team_of
    waiting_teams = _teams_that_wait(history, players)
    edges: dict[Edge, Badness] = {}
    for i, j in combinations(range(len(players)), 2):
        one, other = players[i], players[j]
        running, mates = _running(last, one, other), are_mates(team_of, one, other)
        # A third meeting in a row waits only while others play: their end brings new opponents. So do team mates,
        # where opponents for all of them are playing.
        has_to_wait = team_of[one] in waiting_teams if mates else running >= _RUNNING_MAX and bool(history.busy)
        if j - i <= near(len(players)) and not has_to_wait:
            met = len(history.meetings_of(one, other))
            gap = points[one] - points[other]
            same_seat = int(history.seat_balance(one) * history.seat_balance(other) > 0)
            # The second place is kept for the player who waits: only a pair of team mates weighs more.
            edges[i, j] = (int(mates), 0, min(running, _RUNNING_MAX), gap * gap, met, same_seat)
    if len(players) % 2 and edges:
        played = [len(history.seats.get(name, ())) for name in players]
        most = max(played)
        edges |= {(_WAITS, i): (0, most - count, 0, 0, 0, 0) for i, count in enumerate(played)}
    pairs = [(i, j) for i, j in best_matching(edges) if i != _WAITS]
    room = (
        tournament.plan.matches_at_once_max - len(tournament.keeping) if tournament.plan.matches_at_once_max else None
    )
    boards = max((pairing.board for pairing in tournament.pairings), default=0)
    return [
        history.drawn_up((1, boards + number), 1, *_seats(history, players[i], players[j]))
        for number, (i, j) in enumerate(pairs[:room], start=1)
    ]


def _teams_that_wait(history: History, players: Collection[str]) -> frozenset[str]:
    """The teams with no more free players than opponents of other teams are at play."""
    team_of = history.tournament.team_of
    free = Counter(team_of[name] for name in players if name in team_of)
    busy = Counter(team_of.get(name) for name in history.busy)
    return frozenset(team for team, count in free.items() if count <= busy.total() - busy[team])


def _last_opponents(history: History) -> dict[str, list[str]]:
    """Everybody's last opponents, the latest first, as many as matter."""
    last: dict[str, list[str]] = {}
    for pairing in reversed(history.tournament.pairings):
        if pairing.status is not PairingStatus.VOID:
            for name in pairing.seats:
                met = last.setdefault(name, [])
                if len(met) < _RUNNING_MAX:
                    met.append(pairing.opponent(name))
    return last


def _running(last: dict[str, list[str]], one: str, other: str) -> int:
    """The number of times in a row that these two have met, by the one who has met others less since."""
    return max(_run(last.get(one, []), other), _run(last.get(other, []), one))


def _run(opponents: list[str], name: str) -> int:
    return next((count for count, met in enumerate(opponents) if met != name), len(opponents))


def _seats(history: History, one: str, other: str) -> tuple[str, str]:
    balance = history.seat_balance(one) - history.seat_balance(other)
    if balance == 0:
        seed = history.tournament.seed
        balance = lot(seed, "seat", one) - lot(seed, "seat", other)
    return (one, other) if balance < 0 else (other, one)


def _next_elsewhere(history: History, free: Collection[str]) -> tuple[list[Pairing], list[Bye]]:
    """The next pairings of a format whose later opponents rest on the results, and its byes."""
    byes: list[Bye] = []
    plan = history.tournament.plan
    if plan.is_bracket:
        found = knockout.next_in_bracket(history)
    elif plan.format is Format.SWISS:
        found = _owed(history)
        # Replays of voided matches come before the next round: their results decide who meets whom.
        more, byes = ([], []) if history.owed else swiss.next_round(history)
        found += more
    else:
        found = _next_in_arena(history, free)
    return found, byes


def _next_of_teams(tournament: Tournament) -> tuple[list[Pairing], list[Bye]]:
    """The next games at the boards of this round; once all are over, the matches of teams of the next one."""
    history = History.of(tournament)
    found = _owed(history) if history.owed else swiss.games_to_follow(history)
    if found or history.owed or tournament.open:
        return found, []
    act = Planner().next_pairings(field_of_teams(tournament), (), 0)
    return boards_of(history, act.pairings, act.byes) if isinstance(act, Pair) else ([], [])


def _numbered(tournament: Tournament, found: list[Pairing], byes: list[Bye]) -> Pair | None:
    if not found and not byes:
        return None
    first = len(tournament.pairings) + 1
    numbered = (attrs.evolve(pairing, number=number) for number, pairing in enumerate(found, start=first))
    return Pair(tuple(numbered), tuple(byes))


def _owed(history: History) -> list[Pairing]:
    """Once more what was voided, earlier rounds first; who is to play several of them plays one after the other."""
    busy = set(history.busy)
    found: list[Pairing] = []
    for pairing in sorted(history.owed, key=lambda pairing: pairing.round):
        people = [name for name in pairing.seats if not history.tournament.is_house(name)]
        # Two voided games of one player, announced at once, were refused as a whole, and nothing was ever played again.
        if busy.isdisjoint(people):
            busy.update(people)
            found.append(history.again(pairing))
    return found


def _time_is_up(tournament: Tournament, now_ms: int) -> bool:
    """True for an arena whose time is over, also for one that was resumed after it."""
    ends_ms = tournament.ends_ms
    return tournament.plan.format is Format.ARENA and (ends_ms is None or now_ms >= ends_ms)
