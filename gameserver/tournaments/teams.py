"""Teams of a tournament: who is kept apart by a draw, team standings, and matches of teams on several boards.

Nobody meets a player of the same team before they must. Where pairings follow the results (Swiss, arena), a pair of
team mates counts nearly as a rematch; there the planners ask `Tournament.team_of`. Where a draw fixes them, players
change places with others of about their strength: in groups with those of the same place, in a bracket with seeds of
the same band (3 and 4, 5 to 8, 9 to 16), as tennis draws players of one nation. A round robin keeps its order:
everybody meets everybody, and the Berger table gives both seats alike only as it stands.

A match of teams is all that their players play with each other in a round, at neighbouring boards. The teams are a
tournament by themselves (`field_of_teams`): an entrant for each team, and a pairing for each match, with the verdict
that the points at its boards lead to. So teams are paired as players are, and each pairing of teams becomes those of
its boards (`boards_of`), which are pairings like all others. A player without a team is one alone.

    round 2, match 3 on four boards: Reds - Blues    ->    boards 9 to 12, Reds in the first seat at 9 and 11
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

from attrs import evolve

from gameserver.tournaments.history import History
from gameserver.tournaments.knockout import seed_order
from gameserver.tournaments.model import (
    ActRefused,
    Bye,
    Entrant,
    EntrantStatus,
    Pairing,
    PairingStatus,
    Tournament,
    Verdict,
)
from gameserver.tournaments.plan import BRACKET_FORMATS, Plan, Scoring, Stage
from gameserver.tournaments.stages import grouped
from gameserver.tournaments.standings import Ledger, counted_games, in_units, points_of, standings
from gameserver.values import value

_MATCH_POINTS = Scoring(win=2, draw=1, loss=0, bye=2, unit=1)
"""As at chess Olympiads."""
_PASSES_MAX = 8
_MEETINGS_MAX = 250_000
"""Meetings that are looked at in all passes, as the lobby waits meanwhile: 0.1 s for 200 players in teams of 16."""
_PAIRS_MAX = 64
"""Pairs of seeds up to which two changes at once are tried, too. A bracket of 16 has 35 of them."""


def drawn_apart(names: Sequence[str], teams: Mapping[str, str], plan: Plan) -> tuple[str, ...]:
    """The players of a draw by their new numbers, with team mates kept apart where the draw fixes who meets whom."""
    if plan.stages or plan.is_bracket:
        return apart(names, (teams,), plan.stages[0] if plan.stages else Stage(plan.format))
    return tuple(names)


def apart(
    names: Sequence[str], kinds: Sequence[Mapping[str, object]], stage: Stage, tiers: Sequence[object] = ()
) -> tuple[str, ...]:
    """The players of a draw by their new seeds, such that those of one kind meet as late as they can.

    `kinds` have the team of each player who has one, or the group of the stage before. Only players of one tier change
    places; by default tiers are bands of seeds of a bracket, or the places in groups.
    """
    seeds = range(len(names))
    if stage.format in BRACKET_FORMATS:
        order = seed_order(1 << max(len(names) - 1, 1).bit_length())
        places = {seed - 1: place for place, seed in enumerate(order)}
        rounds, usual = len(order).bit_length() - 1, [seed.bit_length() for seed in seeds]
    elif stage.group_size:
        groups = grouped([str(seed) for seed in seeds], stage)
        places = {int(seed): place for place, names_there in enumerate(groups) for seed in names_there}
        rounds, usual = 1, [seed // len(groups) for seed in seeds]
    else:
        return tuple(names)
    return _Places(names, kinds, [places[seed] for seed in seeds], rounds).changed(tiers or usual)


class _Places:
    """The places of players in a draw, who change them two by two while that makes early meetings fewer.

    A place is the line of a bracket, or the number of a group. Two players meet in the round whose number is that of
    the highest bit in which their places differ, and in round 0 in one group. From `rounds` on no meeting is early.
    """

    def __init__(
        self, names: Sequence[str], kinds: Sequence[Mapping[str, object]], places: Sequence[int], rounds: int
    ) -> None:
        self._names = list(names)
        self._place = dict(zip(names, places, strict=True))
        self._mates: dict[str, list[str]] = {name: [] for name in names}
        for kind in kinds:
            for one, other in combinations([name for name in names if name in kind], 2):
                if kind[one] == kind[other]:
                    self._mates[one].append(other)
                    self._mates[other].append(one)
        self._mates_max = max(map(len, self._mates.values()), default=0)
        # One meeting in a round outweighs all those in later ones that two changes can bring.
        costs = [(8 * self._mates_max + 1) ** (rounds - number) for number in range(rounds)]
        bits = (step.bit_length() for step in range(1 << max(places, default=0).bit_length()))
        self._costs = [costs[number] if number < rounds else 0 for number in bits]

    def changed(self, tiers: Sequence[object]) -> tuple[str, ...]:
        """The names by seed, after the changes of places within a tier; in a small field also two at once."""
        by_tier: dict[object, list[int]] = {}
        for seed, tier in enumerate(tiers):
            by_tier.setdefault(tier, []).append(seed)
        pairs = [pair for seeds in by_tier.values() for pair in combinations(seeds, 2)]
        work = len(pairs) * self._mates_max
        for _ in range(max(1, min(_PASSES_MAX, _MEETINGS_MAX // work)) if work else 0):
            if not self._pass(pairs) and not (len(pairs) <= _PAIRS_MAX and self._pass_by_two(pairs)):
                break
        return tuple(self._names)

    def _pass(self, pairs: Sequence[tuple[int, int]]) -> bool:
        """Make every change that is worth it; False if none is."""
        is_better = False
        for pair in pairs:
            if self._gain(*pair) > 0:
                self._change(*pair)
                is_better = True
        return is_better

    def _pass_by_two(self, pairs: Sequence[tuple[int, int]]) -> bool:
        """Make two changes that are worth it only together; False if there are none."""
        for first in pairs:
            gain = self._gain(*first)
            self._change(*first)
            second = next((pair for pair in pairs if gain + self._gain(*pair) > 0), first)
            self._change(*second)
            if second is not first:
                return True
        return False

    def _gain(self, one: int, other: int) -> int:
        """The cost of early meetings that a change of two players' places saves."""
        place, costs, gain = self._place, self._costs, 0
        for name, rival in ((self._names[one], self._names[other]), (self._names[other], self._names[one])):
            here, there = place[name], place[rival]
            for mate in self._mates[name]:
                if mate != rival:
                    gain += costs[here ^ place[mate]] - costs[there ^ place[mate]]
        return gain

    def _change(self, one: int, other: int) -> None:
        first, second = self._names[one], self._names[other]
        self._names[one], self._names[other] = second, first
        self._place[first], self._place[second] = self._place[second], self._place[first]


@value
class TeamRow:
    """A row of the team standings. Equal ranks are a shared place."""

    rank: int
    team: str
    points: str
    """The points of the members that count, as they are shown; in matches of teams those of all boards."""
    match_points: int | None
    """2 for a match of teams that was won, 1 for a drawn one; None where players are paired."""
    players: tuple[str, ...]
    """The members whose points count, the best first; in matches of teams all of them by board."""
    matches: tuple[str, ...] = ()
    """Each match of teams so far: `Blues 2.5-1.5`, or `bye`."""


def team_standings(tournament: Tournament) -> tuple[TeamRow, ...]:
    """The team standings as of now; empty if no player has a team."""
    if not tournament.team_of:
        return ()
    rows = _of_matches(tournament) if tournament.plan.team_boards else _of_members(tournament)
    keys = sorted(rows, key=lambda key: (key[:2], rows[key].team))
    level = [key[:2] for key in keys]
    return tuple(evolve(rows[key], rank=level.index(key[:2]) + 1) for key in keys)


def team_rules(tournament: Tournament) -> str:
    """The rule of the team standings in a sentence; empty if no player has a team."""
    plan = tournament.plan
    if not tournament.team_of:
        return ""
    if plan.team_boards:
        return (
            f"Teams meet on {plan.team_boards} boards: a match won is 2 match points, a drawn one 1, a bye 2; then the"
            " points of all boards count. A board without a player is won by the opponent."
        )
    members = f"the best {plan.team_best} of its members" if plan.team_best else "all its members"
    return f"A team has the sum of the points of {members}."


_Key = tuple[int, int, str]
"""The match points and the points of a team, each less than 0 for a better place, and its name."""


def _of_members(tournament: Tournament) -> dict[_Key, TeamRow]:
    """The team standings where players are paired: the sum of each team's best members."""
    plan, teams = tournament.plan, tournament.team_of
    members: dict[str, list[tuple[int, str]]] = {}
    for row in standings(tournament):
        # A player who was disqualified, or whose results were struck out, is without a rank, as house players are.
        counts = row.rank is not None or tournament.is_house(row.name)
        if row.name in teams:
            members.setdefault(teams[row.name], []).append((row.units if counts else 0, row.name))
    found = {}
    for team, own in members.items():
        best = sorted(own, key=lambda one: -one[0])[: plan.team_best or None]
        units = sum(points for points, _ in best)
        row_of_team = TeamRow(0, team, in_units(units, plan.scoring.unit), None, tuple(name for _, name in best))
        found[0, -units, team] = row_of_team
    return found


def _of_matches(tournament: Tournament) -> dict[_Key, TeamRow]:
    """The team standings of matches: match points, then the points of all boards."""
    field, unit, teams = field_of_teams(tournament), tournament.plan.scoring.unit, _teams(tournament)
    match_points = Ledger.of(field).points if field.entrants else {}
    found = {}
    for team, members in teams.items():
        own = {one.name for one in members}
        units, matches = 0, []
        for number in range(1, tournament.round + 1):
            mine = [one for one in field.pairings if one.round == number and team in one.seats]
            for one in mine:
                seat = one.seats.index(team)
                units += one.points[seat]
                score = "-".join(in_units(one.points[side], unit) for side in (seat, 1 - seat))
                matches.append(f"{one.opponent(team)} {score}")
            byes = sum(bye.round == number and bye.player in own for bye in tournament.byes)
            if byes and not mine:
                units += byes * tournament.plan.scoring.bye * tournament.plan.games
                matches.append("bye")
        names = tuple(one.name for one in members)
        points = match_points.get(team, 0)
        found[-points, -units, team] = TeamRow(0, team, in_units(units, unit), points, names, tuple(matches))
    return found


def _teams(tournament: Tournament) -> dict[str, list[Entrant]]:
    """The members of each team by board; the teams by the number of their best member."""
    found: dict[str, list[Entrant]] = {}
    named = {one.team for one in tournament.entrants}
    for one in sorted(tournament.entrants, key=lambda entrant: entrant.number):
        alone = f"{one.name} alone" if one.name in named else one.name
        found.setdefault(one.team or alone, []).append(one)
    return found


def check_teams(tournament: Tournament) -> None:
    """Raise `ActRefused` if the teams are too few or too small for matches on the plan's boards."""
    boards, teams = tournament.plan.team_boards, _teams(tournament)
    sizes = sorted((len(members) for members in teams.values()), reverse=True)
    if len(teams) < 2:
        raise ActRefused(f"matches of teams need two teams, and all players are in {next(iter(teams))!r}: add another")
    if sizes[1] < boards:
        raise ActRefused(
            f"no two teams have players for {boards} boards: add players, or create the tournament"
            f" with team_boards={sizes[1]}"
        )


def boards_a_round(tournament: Tournament) -> int:
    """The boards in a round of matches of teams, if teams of like size meet."""
    teams = _teams(tournament).values()
    sizes = sorted(min(tournament.plan.team_boards, sum(not one.is_out for one in own)) for own in teams)
    return sum(sizes[-2::-2])


@lru_cache(maxsize=16)
def _plan_of_teams(plan: Plan) -> Plan:
    return evolve(plan, team_boards=0, games=1, scoring=_MATCH_POINTS)


def field_of_teams(tournament: Tournament) -> Tournament:
    """The teams of a tournament as a tournament by themselves, whose pairings are the matches so far."""
    teams = _teams(tournament)
    team_of = {one.name: team for team, members in teams.items() for one in members}
    matches = tuple(_matches(tournament, team_of))
    playing = {(one.round, team) for one in matches for team in one.seats}
    byes = dict.fromkeys(Bye(one.round, team_of[one.player]) for one in tournament.byes)
    return evolve(
        tournament,
        plan=_plan_of_teams(tournament.plan),
        entrants=tuple(
            Entrant(
                team,
                number,
                house=all(one.house for one in members),
                status=EntrantStatus.WITHDRAWN if all(one.is_out for one in members) else EntrantStatus.IN,
            )
            for number, (team, members) in enumerate(teams.items(), start=1)
        ),
        pairings=matches,
        byes=tuple(bye for bye in byes if (bye.round, bye.player) not in playing),
    )


def _matches(tournament: Tournament, team_of: Mapping[str, str]) -> Iterator[Pairing]:
    """The matches of teams so far, each as a pairing of teams with its points."""
    plan, boards = tournament.plan, tournament.plan.team_boards
    games: dict[tuple[int, int], list[Pairing]] = {}
    for pairing in tournament.pairings:
        games.setdefault((pairing.round, (pairing.board - 1) // boards + 1), []).append(pairing)
    counted = {one.pairing.number: one for one in counted_games(tournament) if one.pairing is not None}
    met: dict[frozenset[str], int] = {}
    for number, ((round_number, match), own) in enumerate(sorted(games.items()), start=1):
        # The first one is of game 1. The first seat goes to the other team at each second board.
        first, second = (team_of[name] for name in own[0].seats[:: -1 if (own[0].board - 1) % boards % 2 else 1])
        units = {first: 0, second: 0}
        for bye in tournament.byes:
            if bye.round == round_number and team_of[bye.player] in units:
                units[team_of[bye.player]] += plan.scoring.bye * plan.games
        for one in (counted[pairing.number] for pairing in own if pairing.number in counted):
            for name, halves in zip(one.players, one.halves, strict=True):
                units[team_of[name]] += points_of(plan.scoring, halves)
        at_boards = {pairing.board: 0 for pairing in own}
        for pairing in own:
            at_boards[pairing.board] += pairing.status is PairingStatus.DONE
        is_over = all(done == plan.games for done in at_boards.values())
        lead = units[first] - units[second]
        verdict = Verdict.FIRST if lead > 0 else Verdict.SECOND if lead else Verdict.DRAW
        met[frozenset(units)] = meeting = met.get(frozenset(units), 0) + 1
        yield Pairing(
            number,
            round_number,
            match,
            1,
            meeting,
            (first, second),
            "",
            PairingStatus.DONE if is_over else PairingStatus.PLAYING,
            verdict=verdict if is_over else None,
            points=(units[first], units[second]),
        )


def boards_of(history: History, matches: Sequence[Pairing], byes: Sequence[Bye]) -> tuple[list[Pairing], list[Bye]]:
    """The pairings of players that pairings of teams lead to. A player without an opponent at the board has a bye."""
    tournament, boards = history.tournament, history.tournament.plan.team_boards
    able = {
        team: [one.name for one in members if not one.is_out][:boards] for team, members in _teams(tournament).items()
    }
    found, rests = [], [Bye(bye.round, name) for bye in byes for name in able[bye.player]]
    for match in matches:
        first, second = (able[team] for team in match.seats)
        both = min(len(first), len(second))
        for board, seats in enumerate(zip(first, second, strict=False), start=1):
            place = (match.round, (match.board - 1) * boards + board)
            found.append(history.drawn_up(place, 1, *(seats if board % 2 else seats[::-1])))
        rests += [Bye(match.round, name) for name in (*first[both:], *second[both:])]
    return found, rests
