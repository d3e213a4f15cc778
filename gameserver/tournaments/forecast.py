"""Forecast of a tournament: how many matches it has and when it will end, as an interval.

It is a Monte Carlo over a light model of the schedule. Each course draws the players who come late or never, the pace
of each player, and the length of each match; the schedule follows the format. A tournament that has not begun and one
that is under way are forecast alike, from the state in which they are.

The length of a match is the sum of what its two players usually take of it, times a factor that is drawn from the
matches that were measured. The usual shares are fitted to those matches: one slow opponent makes no slow player.

A rehearsal (`gameserver rehearse`) plays every move with the real lobby, and takes a hundred times as long.
"""

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import exp, inf, log
from statistics import NormalDist, fmean, median, quantiles
from types import MappingProxyType

from gameserver.tournaments import knockout, round_robin
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.history import History
from gameserver.tournaments.knockout import From, NodeNow, Source
from gameserver.tournaments.model import (
    Entrant,
    PairingStatus,
    StartTournament,
    Timing,
    Tournament,
    Verdict,
)
from gameserver.tournaments.plan import Format, Plan
from gameserver.tournaments.progress import progress
from gameserver.tournaments.stages import grouped, parts
from gameserver.values import value

Played = tuple[str, str, int]
"""A match that was measured: its two players, and its length in ms."""

_GAMES_MAX = 20_000
"""Matches drawn in all courses together: 0.4 s of CPU on a slow core."""
_COURSES = (24, 100)
"""The fewest and the most courses that are drawn."""
# Fitted by `python -m tests.benchmarks.forecast`. Late ends lie far apart, and early ones close together: an interval
# that leaves more of the late ones out is the shorter one.
_PARTS, _LOW, _HIGH = 200, 5, 188
"""The interval has the ends of all courses but the first 5 of 200 and the last 12."""
# Judgement: of a class of thirty one or two are late, and one does not come.
_ABSENT_SHARE = 0.05
"""The share of players who are not there when it begins, where nothing is known of them."""
_ABSENT_EVENTS = 10
_NEVER_SHARE = 0.5
"""The share of those who never come; the others come after `_LATE_MS` in the mean."""
_LATE_MS = 180_000
# Fitted by `python -m tests.benchmarks.forecast`.
_PACE_SPREAD = 0.10
"""The spread of a player's pace between earlier matches and those of the tournament, as a standard deviation of log."""
_COMMON_SPREAD = 0.035
"""The same for all players together: a busy machine, a slow network."""
_UNMEASURED_SPREAD = 0.5
_SHRINKING = 1.0
"""The number of matches of the usual length that a player's own are weighed against."""
_OWN_WEIGHT = 4
"""The weight of a match of the tournament itself beside an earlier one."""
_DRAWN_SHARE = 0.1
_TRIES = 4

_DAY_MS = 86_400_000
_TIME_OF_DAY = re.compile(r"([01]?[0-9]|2[0-3])[:.]([0-5][0-9])", re.ASCII)
_END, _HERE, _WAITED = range(3)
_NORMAL = NormalDist()


@value
class Habits:
    """The figures that are known of players before a tournament: the matches that they played, who stayed away."""

    usual_ms: float
    """The length of a match where none is measured."""
    played: tuple[Played, ...] = ()
    absent: Mapping[str, float] = MappingProxyType({})
    """For each player the share of the tournaments for which they did not come in time."""
    longest_ms: int | None = None
    """The longest that a match can take by its clock and game; None if neither bounds it."""
    drawn: int = 0
    """The number of those played that were drawn: in a knockout draws make matches more."""


@value
class Forecast:
    """A forecast of a tournament from now on: the matches that are expected, and the times until its end."""

    matches: int
    low_ms: int
    likely_ms: int
    high_ms: int
    """The end comes between the low and the high one in nine of ten tournaments."""
    worst_ms: int | None
    """The time if every match takes as long as it can; None if nothing bounds it."""


def until_ms(text: str, now: Sequence[int]) -> int:
    """Reads the time of day by which a forecast is to end, such as 15:45, as the time from now on.

    `now` is the time of day in hours, minutes and seconds. Raises ValueError with one sentence.
    """
    found = _TIME_OF_DAY.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text[:20]!r} is no time of day: write for example 15:45")
    left_ms = 1000 * ((int(found[1]) - now[0]) * 3600 + (int(found[2]) - now[1]) * 60 - now[2]) % _DAY_MS
    # After midnight is meant in the evening; what is longer ahead has passed.
    if not 0 < left_ms <= _DAY_MS // 2:
        raise ValueError(f"{text.strip()} has passed: write a time of day within the next twelve hours")
    return left_ms


def absent_shares(events: Mapping[str, tuple[int, int]]) -> Mapping[str, float]:
    """The share of events for which each player did not come in time, for a forecast.

    `events` has for each how many they entered, and how many of them they missed a match of. Few say little: they are
    weighed against `_ABSENT_EVENTS` of the usual share.
    """
    return {
        name: (_ABSENT_SHARE * _ABSENT_EVENTS + missed) / (_ABSENT_EVENTS + entered)
        for name, (entered, missed) in events.items()
    }


def begun(
    plan: Plan, names: Sequence[str], house: Iterable[str] = (), teams: Mapping[str, str] = MappingProxyType({})
) -> Tournament:
    """The tournament of a plan at the moment of its start, for a forecast. Raises `ActRefused` if it cannot begin."""
    of_house = frozenset(house)
    entrants = tuple(Entrant(name, house=name in of_house) for name in names)
    return apply(Tournament(plan, "0" * 64, entrants=entrants), StartTournament(teams=teams))


def forecast(tournament: Tournament, timing: Timing, habits: Habits, draw: Callable[[], float]) -> Forecast:
    """Forecast a tournament that runs, or as `begun` makes it. `draw` gives random numbers from 0 to 1."""
    course = partial(_Course, tournament, timing, habits, _Pace(tournament, timing, habits), draw)
    first = course()
    ends, (fewest, most) = [first.end_ms()], _COURSES
    more = max(fewest, min(most, _GAMES_MAX // max(1, first.games)))
    ends += [course().end_ms() for _ in range(more - 1)]
    # Everybody comes in this one.
    longest = course(habits.longest_ms or 1)
    last_ms = longest.end_ms() + tournament.plan.no_shows_max * tournament.plan.no_show_ms
    worst_ms = None if habits.longest_ms is None else round(max(*ends, last_ms))
    games = (first if tournament.plan.format is Format.ARENA else longest).games
    parts_ms = quantiles(ends, n=_PARTS)
    low_ms, high_ms = max(min(ends), parts_ms[_LOW - 1]), parts_ms[_HIGH - 1]
    return Forecast(progress(tournament).done + games, round(low_ms), round(median(ends)), round(high_ms), worst_ms)


class _Pace:
    """The share of a match that each player takes, fitted to the matches that were measured."""

    def __init__(self, tournament: Tournament, timing: Timing, habits: Habits) -> None:
        own = [(*one.seats, timing.took_ms[one.number]) for one in tournament.pairings if one.number in timing.took_ms]
        weighed = [(one, 1) for one in habits.played] + [(one, _OWN_WEIGHT) for one in own]
        usual_ms = median(one[2] for one, _ in weighed) if weighed else habits.usual_ms
        games: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
        for (first, second, took_ms), weight in weighed:
            games[first].append((second, took_ms, weight))
            games[second].append((first, took_ms, weight))
        half_ms = usual_ms / 2
        self.own_ms: dict[str, float] = dict.fromkeys(games, half_ms)
        for _ in range(8):
            for name, of_name in games.items():
                rests = sum(weight * (took_ms - self.own_ms[other]) for other, took_ms, weight in of_name)
                weights = sum(weight for _, _, weight in of_name)
                self.own_ms[name] = max(half_ms / 50, (rests + _SHRINKING * half_ms) / (weights + _SHRINKING))
        expected = [(one, self.own_ms[one[0]] + self.own_ms[one[1]]) for one, _ in weighed]
        self.factors = [max(0.01, one[2] / ms) for one, ms in expected] or [1.0]
        if expected:  # the factors of short matches are the larger ones
            bias = fmean(self.factors) * fmean(ms for _, ms in expected) / fmean(one[2] for one, _ in expected)
            self.factors = [factor / bias for factor in self.factors]
        spread = fmean(abs(factor - 1) for factor in self.factors) * 1.25
        in_own = Counter(name for first, second, _ in own for name in (first, second))
        self.spread = {
            name: (_PACE_SPREAD**2 / (1 + in_own[name]) + spread**2 / sum(w for *_, w in of_name)) ** 0.5
            for name, of_name in games.items()
        }
        self.common = (_COMMON_SPREAD if weighed else _UNMEASURED_SPREAD) / (1 + len(own)) ** 0.25
        self._known = list(self.own_ms.values()) or [half_ms]

    def drawn(self, names: Iterable[str], draw: Callable[[], float]) -> dict[str, float]:
        """The share of each player in one course, in ms."""
        common = self.common * _normal(draw)
        found = {}
        for name in names:
            own_ms = self.own_ms.get(name) or self._known[int(draw() * len(self._known))]
            found[name] = own_ms * exp(common + self.spread.get(name, 0.1) * _normal(draw))
        return found


def _normal(draw: Callable[[], float]) -> float:
    return _NORMAL.inv_cdf(min(max(draw(), 1e-9), 1 - 1e-9))


class _Course:
    """One course that a tournament may take from now on. Times count from now."""

    def __init__(
        self,
        tournament: Tournament,
        timing: Timing,
        habits: Habits,
        pace: _Pace,
        draw: Callable[[], float],
        fixed_ms: int | None = None,
    ) -> None:
        self.games = 0
        self._tournament, self._timing, self._draw = tournament, timing, draw
        self._house, self._no_shows_max = tournament.house_names, tournament.plan.no_shows_max
        self._fixed_ms, self._longest_ms, self._factors = fixed_ms, habits.longest_ms or inf, pace.factors
        names = [*(one.name for one in tournament.active), *self._house]
        # A match of a player who has left since is played to its end.
        self._own_ms = pace.drawn(dict.fromkeys((*(one.name for one in tournament.entrants), *self._house)), draw)
        self._comes_ms = dict[str, float]()
        """The time at which each player comes who is not there."""
        # The longer a player is missing, the less likely it is that they come at all.
        late_share = (1 - _NEVER_SHARE) * exp(-timing.ran_ms / _LATE_MS)
        late_share /= _NEVER_SHARE + late_share
        for name in names if fixed_ms is None else ():
            is_absent = draw() < habits.absent.get(name, _ABSENT_SHARE)
            if name not in self._house and (name in timing.missing if tournament.pairings else is_absent):
                is_late = draw() < late_share
                self._comes_ms[name] = -_LATE_MS * log(max(draw(), 1e-9)) if is_late else inf
        self._missed = Counter({name: tournament.missed_in_a_row(name) for name in self._comes_ms})
        self._out = set[str]()
        drawn = habits.drawn + sum(one.verdict is Verdict.DRAW for one in tournament.pairings)
        self._drawn_share = (1 + drawn) / (1 / _DRAWN_SHARE + len(habits.played) + len(timing.took_ms))
        self._events: list[tuple[float, int, str, str]] = []
        self._left = defaultdict[str, Counter[str]](Counter)
        """The games that each player has left with each other one, as far as they are known."""
        self._idle, self._awaited, self._playing = set[str](), set[str](), 0

    def end_ms(self) -> float:
        """The time of the end."""
        tournament, plan, draw = self._tournament, self._tournament.plan, self._draw
        if plan.format is Format.ARENA:
            ends_ms = tournament.ends_ms
            left_ms = max(0, plan.duration_ms if ends_ms is None else ends_ms - self._timing.now_ms)
            last_ms = [self._length_ms(*pair) for pair in _twos([one.name for one in tournament.active])]
            self.games = sum(round(left_ms / (length_ms + plan.pause_ms)) for length_ms in last_ms)
            return left_ms + max((length_ms * draw() for length_ms in last_ms), default=0.0)
        groups = [part.state for part in parts(tournament)]
        end_ms = self._stage_ms(groups, 0.0)
        sizes = [[one.name for one in group.active if one.name not in self._out] for group in groups]
        for number in range(tournament.stage + 1, len(plan.stages)):
            best, alone = plan.stages[number - 1].best, plan.of_stage(number)
            go_on = [name for group in sizes for name in self._shuffled(group)[:best]]
            sizes = [list(group) for group in grouped(go_on, plan.stages[number])]
            end_ms = self._stage_ms([begun(alone, group) for group in sizes if len(group) > 1], end_ms)
        return end_ms

    def _stage_ms(self, groups: Sequence[Tournament], from_ms: float) -> float:
        """The end of a stage, whose groups are played side by side."""
        if not groups:
            return from_ms
        plan = groups[0].plan
        self._left.clear()
        more = self._encounters_of(groups)
        self._add(more(), from_ms)
        self._open(plan, groups, from_ms)
        end_ms = now_ms = from_ms
        while True:
            self._begin(plan, now_ms)
            if not self._events and not self._await_anybody(plan, now_ms):
                return end_ms
            now_ms = self._events[0][0]
            while self._events and self._events[0][0] <= now_ms:
                _, event, first, second = heapq.heappop(self._events)
                if event == _HERE:
                    self._idle.add(first)
                    continue
                self._over(plan, event, now_ms, first, second)
                end_ms = now_ms
                self._add(more(), now_ms)

    def _over(self, plan: Plan, event: int, now_ms: float, first: str, second: str) -> None:
        """End a match, or the wait for the second player."""
        if event == _END:
            self._playing -= 1
            self._take(first, second, 1)
            for name in {first, second} - self._house.keys():
                heapq.heappush(self._events, (now_ms + plan.pause_ms, _HERE, name, ""))
            return
        self._awaited.discard(second)
        away = [name for name in (first, second) if self._comes_ms.get(name, 0.0) > now_ms]
        if first not in away:
            self._idle.add(first)
        if away:
            self._take(first, second, self._left[first][second] if plan.is_bracket else plan.games)
        for name in away:
            self._missed[name] += 1
            if self._missed[name] >= self._no_shows_max:
                self._out.add(name)
                for other in list(self._left[name]):
                    self._take(name, other, self._left[name][other])

    def _add(self, encounters: Iterable[tuple[str, str, int]], now_ms: float) -> None:
        for first, second, games in encounters:
            self._left[first][second] += games
            self._left[second][first] += games
            if first in self._house and second in self._house:
                for _ in range(games):  # side by side
                    self._play(first, second, now_ms + self._length_ms(first, second))

    def _take(self, first: str, second: str, games: int) -> None:
        for one, other in ((first, second), (second, first)):
            self._left[one][other] -= games
            if self._left[one][other] <= 0:
                del self._left[one][other]

    def _open(self, plan: Plan, groups: Sequence[Tournament], from_ms: float) -> None:
        """Take up what is being played or waited for, and the players who are free."""
        busy = set[str]()
        for now in (one for group in groups for one in group.keeping):
            so_far_ms = self._timing.open_ms.get(now.number, 0)
            absent = [name for name in now.seats if name in self._comes_ms]
            if now.status is PairingStatus.PLAYING:
                lengths_ms = (self._length_ms(*now.seats) - so_far_ms for _ in range(_TRIES))
                rest_ms = next((length_ms for length_ms in lengths_ms if length_ms > 0), so_far_ms * self._draw())
                self._play(*now.seats, min(rest_ms, self._timing.rest_max_ms.get(now.number, inf)))
            elif absent:
                self._await(now.opponent(absent[0]), absent[0], from_ms + max(0, plan.no_show_ms - so_far_ms))
            else:
                continue
            busy.update(name for name in now.seats if name not in self._comes_ms)
        for name in {one.name for group in groups for one in group.active} - self._house.keys() - busy - self._idle:
            here_ms = max(from_ms, self._comes_ms.get(name, 0.0))
            if here_ms < inf:
                heapq.heappush(self._events, (here_ms, _HERE, name, ""))

    def _begin(self, plan: Plan, now_ms: float) -> None:
        """Begin the matches that can begin now, players with the most games left first; or wait for the absent."""
        left, idle, house = self._left, self._idle, self._house
        total = {name: left[name].total() for name in (*idle, *house) if left[name]}
        for name in sorted(total.keys() - house.keys(), key=lambda one: -total[one]):
            if self._playing >= (plan.matches_at_once_max or inf):
                return
            others = [one for one in left[name] if one in idle or one in house] if name in idle else ()
            if others:
                other = max(others, key=lambda one: total[one])
                self._play(name, other, now_ms + self._length_ms(name, other))
        for name in [one for one in total if one in idle] if self._comes_ms else ():
            away = {other for other in left[name] if self._comes_ms.get(other, 0.0) > now_ms}
            absent = next((other for other in left[name] if other not in self._awaited), None)
            if len(away) == len(left[name]) and absent is not None:
                self._await(name, absent, now_ms + plan.no_show_ms)

    def _await_anybody(self, plan: Plan, now_ms: float) -> bool:
        """Begin the wait for two who are both away, where nothing else is left to do; False if nothing is."""
        away = [name for name in self._left if self._comes_ms.get(name, 0.0) > now_ms]
        pair = next(((one, other) for one in away for other in self._left[one] if other in away), None)
        if pair is not None:
            self._await(*pair, now_ms + plan.no_show_ms)
        return pair is not None

    def _play(self, first: str, second: str, end_ms: float) -> None:
        self.games, self._playing = self.games + 1, self._playing + 1
        self._idle.difference_update((first, second))
        heapq.heappush(self._events, (end_ms, _END, first, second))

    def _await(self, first: str, second: str, until_ms: float) -> None:
        self._idle.discard(first)
        self._awaited.add(second)
        heapq.heappush(self._events, (min(until_ms, self._comes_ms[second]), _WAITED, first, second))

    def _length_ms(self, first: str, second: str) -> float:
        if self._fixed_ms is not None:
            return self._fixed_ms
        factor = self._factors[int(self._draw() * len(self._factors))]
        return min(self._longest_ms, (self._own_ms[first] + self._own_ms[second]) * factor)

    def _shuffled(self, names: Sequence[str]) -> list[str]:
        return sorted(names, key=lambda _: self._draw())

    def _encounters_of(self, groups: Sequence[Tournament]) -> Callable[[], Iterable[tuple[str, str, int]]]:
        """Gives, each time that it is called, the encounters that can be played by then, with their games."""
        plan = groups[0].plan
        if plan.is_bracket:
            return self._bracket(groups[0])
        if plan.format is Format.SWISS or plan.team_boards:
            rounds = self._swiss(groups[0])
        elif plan.has_rounds:
            rounds = self._fixed_rounds(groups)
        else:
            left = (round_robin.games_left(group) for group in groups)
            pairs = [
                (one, other, games) for of in left for one in of for other, games in of[one].items() if one < other
            ]
            rounds = iter([pairs])
        coming = filter(None, map(list, rounds))
        return lambda: next(coming, ()) if not self._playing and not any(self._left.values()) else ()

    def _open_round(self, tournament: Tournament) -> Iterator[tuple[str, str, int]]:
        """The encounters that are left of the round that is being played."""
        over: Counter[tuple[str, str]] = Counter()
        for one in tournament.pairings:
            if one.round == tournament.round and one.status is not PairingStatus.VOID:
                over[one.pair] += tournament.plan.games if one.absent else not one.is_open
        for (first, second), games in over.items():
            if games < tournament.plan.games and not any(map(tournament.is_out, (first, second))):
                yield first, second, tournament.plan.games - games

    def _swiss(self, tournament: Tournament) -> Iterator[Iterable[tuple[str, str, int]]]:
        yield self._open_round(tournament)
        for _ in range(tournament.round, tournament.rounds):
            names = [one.name for one in tournament.active if one.name not in self._out]
            yield [(*pair, tournament.plan.games) for pair in _twos(self._shuffled(names))]

    def _fixed_rounds(self, groups: Sequence[Tournament]) -> Iterator[Iterable[tuple[str, str, int]]]:
        yield [one for group in groups for one in self._open_round(group)]
        rounds = defaultdict[int, list[tuple[str, str, int]]](list)
        for group in groups:
            for one in round_robin.fixtures_left(group):
                if one.place[0] > group.round:
                    rounds[one.place[0]].append((one.first, one.second, group.plan.games))
        for pairs in rounds.values():
            yield [one for one in pairs if self._out.isdisjoint(one[:2])]

    def _bracket(self, tournament: Tournament) -> Callable[[], Iterable[tuple[str, str, int]]]:
        nodes, left = knockout.nodes_now(History.of(tournament)), self._left
        results = [None if one.winner is None else (one.winner, one.loser or knockout.NOBODY) for one in nodes]
        being_played: dict[int, tuple[str, str]] = {}

        def player(source: Source, name: str | None) -> str | None:
            if source.kind is From.SEED:
                return name
            result = results[source.number - 1]
            return None if result is None else result[source.kind is From.LOSER]

        def more() -> Iterator[tuple[str, str, int]]:
            for index, now in enumerate(nodes):
                if results[index] is not None:
                    continue
                if index in being_played:
                    first, second = being_played[index]
                    if second not in left[first]:
                        # Whoever did not come has lost.
                        results[index] = (second, first) if self._missed[first] else (first, second)
                    continue
                one, other = player(now.node.first, now.players[0]), player(now.node.second, now.players[1])
                if one is None or other is None:
                    continue
                is_idle = not one or not other or (now.node.decider and self._draw() < 0.5)
                if is_idle or not self._out.isdisjoint((one, other)):
                    results[index] = (other, one) if not one or one in self._out else (one, other)
                    continue
                games, is_first = self._decided(tournament.plan, now, one)
                being_played[index] = (one, other) if is_first else (other, one)
                yield one, other, games

        return more

    def _decided(self, plan: Plan, now: NodeNow, first: str) -> tuple[int, bool]:
        """The number of games that an encounter still takes, and True if the first player wins it."""
        over = [one for one in now.games if not one.is_open and one.verdict is not None]
        lead, played, target = 0, len(over), plan.games
        for one in over:
            if one.verdict is not Verdict.DRAW:
                lead += 1 if one.seats[one.verdict is Verdict.SECOND] == first else -1
        while abs(lead) <= target - played and played < plan.games + plan.extra_games_max:
            played += 1
            lead += 0 if self._draw() < self._drawn_share else 1 if self._draw() < 0.5 else -1
            target += 2 if played == target and lead == 0 else 0
        return max(1, played - len(over)), lead > 0 or (lead == 0 and self._draw() < 0.5)


def _twos(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each player with the next one; the last of an odd number has nobody."""
    return zip(names[::2], names[1::2], strict=False)
