"""The pairing of a ladder, as a function of who waits, what was played lately, and the time.

Of two who wait, the costs of pairing them are the difference of their ratings, and more for each time that they met
oftener than others. A player who has just come accepts small costs only, one who has waited long any: so near-equal
players who have met least are paired, and nobody is left out. Between two matches of the same pair lie minutes,
whatever they cost, and their seats alternate. A player for whom there is nobody then meets a house player of a fixed
rating, an anchor, now and then. Whoever has waited longest chooses first.
"""

from collections import deque
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import islice, takewhile

from attrs import Factory, define

from gameserver.core.identity import HOUSE_PREFIX
from gameserver.values import value

# Judgement, all of them: a ladder of 200 programs that play 30 matches a day was simulated for a week with these.
DAY_MS = 86_400_000
WINDOW_MS = 7 * DAY_MS
"""The time for which results count for the pairing, and players are listed."""
BETWEEN_MS = 10 * 60_000
"""The least time from the end of a match to the next one of the same pair."""
ANCHOR_AFTER_MS = 5 * 60_000
"""The time after which a player with no opponent meets an anchor, if the share of those matches permits it."""
ANCHOR_SHARE = 5
"""One match in so many may be with an anchor."""
ALONE_AFTER_MS = 30 * 60_000
"""The time after which a player with no opponent meets an anchor, whatever their share."""
_COSTS_AT_ONCE = 100
_COSTS_PER_S = 2.5
_COSTS_OF_MEETING = 25
_MEETINGS_MAX = 4

Pair = tuple[str, str]


@value
class LadderResult:
    """A finished match of a ladder: its players and their results (`SeatResult`), in the order of the seats."""

    match: int
    ended_ms: int
    """The time of day, in milliseconds since 1970, as all times here."""
    players: Pair
    results: Pair


@define(eq=False)
class LadderHistory:
    """The results of a ladder in the last days, by pair and by player. It forgets those that are older."""

    _results: dict[int, LadderResult] = Factory(dict)
    _by_pair: dict[Pair, list[LadderResult]] = Factory(dict)
    _by_player: dict[str, deque[LadderResult]] = Factory(dict)
    _firsts: dict[str, int] = Factory(dict)
    """Each player's matches in the first seat, less those in the second."""
    as_of_ms: int = 0
    """The time of day at which it was brought up to date."""
    ratings: dict[str, tuple[float, float]] = Factory(dict)
    """The rating of everybody who has one in the game, and its standard deviation, as of the last results."""

    def add(self, results: Iterable[LadderResult], now_ms: int) -> None:
        """Take results in, in the order in which they ended; those that are known change nothing."""
        self.as_of_ms = now_ms
        for one in results:
            if one.match not in self._results:
                self._results[one.match] = one
                self._by_pair.setdefault(_pair(*one.players), []).append(one)
                self._count(one, 1)
                for player in one.players:
                    self._by_player.setdefault(player, deque()).append(one)
        while self._results and (oldest := next(iter(self._results.values()))).ended_ms <= now_ms - WINDOW_MS:
            del self._results[oldest.match]
            self._count(oldest, -1)
            self._forget(oldest)

    def _forget(self, oldest: LadderResult) -> None:
        pair = _pair(*oldest.players)
        self._by_pair[pair] = self._by_pair[pair][1:]
        if not self._by_pair[pair]:
            del self._by_pair[pair]
        for player in oldest.players:
            self._by_player[player].popleft()
            if not self._by_player[player]:
                del self._by_player[player]

    def _count(self, one: LadderResult, by: int) -> None:
        for player, change in zip(one.players, (by, -by), strict=True):
            self._firsts[player] = self._firsts.get(player, 0) + change
            if not self._firsts[player]:
                del self._firsts[player]

    @property
    def players(self) -> list[str]:
        """The players on the ladder, without anchors."""
        return [player for player in self._by_player if not player.startswith(HOUSE_PREFIX)]

    @property
    def latest_ms(self) -> int:
        """The time at which the last match ended; 0 without any."""
        return next(reversed(self._results.values())).ended_ms if self._results else 0

    @property
    def ranking(self) -> list[tuple[str, float, float, int]]:
        """The rated players: name, rating, standard deviation, and matches on the ladder; the best first."""
        names = (name for name in self.players if name in self.ratings)
        rated = [(name, *self.ratings[name], len(self.results_of(name))) for name in names]
        return sorted(rated, key=lambda line: (-line[1], line[0]))

    @property
    def matches_a_day(self) -> int:
        """The number of matches that ended within the last day."""
        since_ms = self.as_of_ms - DAY_MS
        return sum(1 for _ in takewhile(lambda one: one.ended_ms > since_ms, reversed(self._results.values())))

    def results_of(self, player: str) -> Sequence[LadderResult]:
        """A player's results on the ladder, the latest last."""
        return self._by_player.get(player, ())

    def meetings(self, one: str, other: str) -> int:
        """The number of matches of a pair."""
        return len(self._by_pair.get(_pair(one, other), ()))

    def free_ms(self, one: str, other: str) -> int:
        """The time from which a pair may meet again."""
        found = self._by_pair.get(_pair(one, other))
        return found[-1].ended_ms + BETWEEN_MS if found else 0

    def anchor_after_ms(self, player: str) -> int:
        """The time that a player has to wait before they may meet an anchor."""
        latest = islice(reversed(self.results_of(player)), ANCHOR_SHARE - 1)
        return ALONE_AFTER_MS if any(map(_is_with_anchor, latest)) else ANCHOR_AFTER_MS

    def seated(self, one: str, other: str) -> Pair:
        """A pair in the order of the seats of its next match."""
        found = self._by_pair.get(_pair(one, other))
        if found:
            return (found[-1].players[1], found[-1].players[0])
        return (one, other) if self._firsts.get(one, 0) <= self._firsts.get(other, 0) else (other, one)


def _pair(one: str, other: str) -> Pair:
    return (one, other) if one < other else (other, one)


def _is_with_anchor(one: LadderResult) -> bool:
    return any(player.startswith(HOUSE_PREFIX) for player in one.players)


def next_pairings(
    history: LadderHistory,
    waiting: Mapping[str, int],
    ratings: Mapping[str, float],
    anchors: Mapping[str, float],
    now_ms: int,
) -> Generator[None, None, tuple[list[Pair], int | None]]:
    """Works out in steps the pairs that a ladder begins now, and the time to look again if nothing happens.

    Both are the generator's result; the pairs are in the order of their seats. `waiting` has the time since which each
    player waits, `ratings` everybody's rating, `anchors` those of the house. With two hundred who wait all of it takes
    some 40 ms, and a step less than 1. The history must not change meanwhile.
    """
    names = sorted(waiting, key=lambda name: (waiting[name], name))
    everybody = dict.fromkeys((*history.players, *names))
    least: dict[str, int] = {}
    for one in names:
        least[one] = _least(history.meetings(one, other) for other in everybody if other != one)
        yield
    pairs: list[Pair] = []
    later: list[int] = []
    while names:
        one = names.pop(0)
        found = []
        for other in names:
            costs = abs(ratings[one] - ratings[other]) + _meeting_costs(history.meetings(one, other), least, one, other)
            since_ms = min(waiting[one], waiting[other])
            from_ms = max(history.free_ms(one, other), since_ms + _patience_ms(costs))
            if from_ms <= now_ms:
                found.append((costs, waiting[other], other))
            else:
                later.append(from_ms)
        if found:
            _, _, other = min(found)
            names.remove(other)
            pairs.append(history.seated(one, other))
        elif anchors:
            anchor = min(anchors, key=lambda name: (abs(anchors[name] - ratings[one]), name))
            from_ms = max(history.free_ms(one, anchor), waiting[one] + history.anchor_after_ms(one))
            if from_ms <= now_ms:
                pairs.append(history.seated(one, anchor))
            else:
                later.append(from_ms)
        yield
    return pairs, min(later, default=None)


def _patience_ms(costs: float) -> int:
    """The time that a player waits before they accept these costs."""
    return max(0, round((costs - _COSTS_AT_ONCE) / _COSTS_PER_S * 1000))


def _least(counts: Iterable[int]) -> int:
    """The least of some counts, 0 if there are none. On a large ladder nearly everybody has an opponent never met."""
    least = None
    for count in counts:
        if not count:
            return 0
        least = count if least is None else min(least, count)
    return least or 0


def _meeting_costs(meetings: int, least: Mapping[str, int], one: str, other: str) -> int:
    """The costs of having met oftener than others. Bounded, or everybody would wait for each newcomer."""
    return _COSTS_OF_MEETING * min(_MEETINGS_MAX, 2 * meetings - least[one] - least[other])
