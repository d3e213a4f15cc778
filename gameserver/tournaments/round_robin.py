"""Round robins and gauntlets: everybody's opponents are known, the question is only who is free.

With rounds, a round is announced when the one before is over. Continuously, the free meet the free, players with the
most games left first, so that nobody's games pile up at the end. A match with a player who is away is announced only to
an opponent who has nothing else to do; that starts the wait which ends as a no-show.

The schedule is that of the Berger tables, which chess federations print, for any number of players. With N players (an
odd field is filled up with a number that nobody has), i and j below N meet in the round that i + j - 1 leaves over N -
1, and i meets N in the round of i + i - 1. The first seat goes to the lower number where i + j is odd, else to the
higher; against N the lower half has it. So nobody has one seat more than once oftener than the other, and with an odd
field everybody has both alike.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache

import attrs

from gameserver.tournaments.history import History, Pair, Place, pair_of
from gameserver.tournaments.model import Pairing, PairingStatus, Tournament
from gameserver.tournaments.plan import Format, Plan, RoundMode
from gameserver.values import value

Board = tuple[int, int]
"""Two numbers, from 1; the first has the first seat."""


@lru_cache(maxsize=64)
def berger_table(players: int) -> tuple[tuple[Board, ...], ...]:
    """The Berger table of a round robin: its rounds, each with its boards in the printed order.

    Fewer than 2: no rounds.
    """
    if players < 2:
        return ()
    # An odd field is filled up with a number that nobody has; its board is left out below.
    size = players + players % 2
    rounds = (_round(number, size) for number in range(1, size))
    return tuple(tuple(board for board in boards if max(board) <= players) for boards in rounds)


def _round(number: int, size: int) -> tuple[Board, ...]:
    circle = size - 1
    meets_last = next(player for player in range(1, size) if (2 * player - 1 - number) % circle == 0)
    boards = [(meets_last, size) if meets_last <= size // 2 else (size, meets_last)]
    for step in range(1, size // 2):
        one = (meets_last - 1 + step) % circle + 1
        other = (meets_last - 1 - step) % circle + 1
        boards.append(_seated(one, other))
    return tuple(boards)


def _seated(one: int, other: int) -> Board:
    low, high = min(one, other), max(one, other)
    return (low, high) if (low + high) % 2 else (high, low)


@value
class _Fixture:
    """An encounter that is due at some time. Its games are the meetings from `from_meeting` on."""

    place: Place
    first: str
    second: str
    from_meeting: int

    def meetings(self, plan: Plan) -> range:
        """The meetings of these two that are its games."""
        return range(self.from_meeting, self.from_meeting + plan.games)


@value
class _Due:
    """The next game of a fixture."""

    fixture: _Fixture
    meeting: int

    @property
    def players(self) -> tuple[str, str]:
        return self.fixture.first, self.fixture.second


def fixtures(tournament: Tournament) -> tuple[_Fixture, ...]:
    """All fixtures of a round robin or gauntlet in the order of the rounds, players who are out included."""
    plan = tournament.plan
    names = tuple(entrant.name for entrant in sorted(tournament.entrants, key=lambda entrant: entrant.number))
    if plan.format is Format.GAUNTLET:
        return _gauntlet(names, plan.champions or names[:1], plan.cycles, plan.games)
    return _round_robin(names, plan.cycles, plan.games)


@lru_cache(maxsize=16)
def _round_robin(names: tuple[str, ...], cycles: int, games: int) -> tuple[_Fixture, ...]:
    table = berger_table(len(names))
    return tuple(
        _Fixture((cycle * len(table) + number, board), names[first - 1], names[second - 1], cycle * games + 1)
        for cycle in range(cycles)
        for number, boards in enumerate(table, start=1)
        for board, (first, second) in enumerate(boards, start=1)
    )


@lru_cache(maxsize=16)
def _gauntlet(names: tuple[str, ...], champions: tuple[str, ...], cycles: int, games: int) -> tuple[_Fixture, ...]:
    """Each champion works through the challengers, each from another one on; seats change from game to game."""
    challengers = [name for name in names if name not in champions]
    width = max(len(challengers), len(champions))
    found = []
    for cycle in range(cycles):
        for step in range(width):
            board = 0
            for index, champion in enumerate(champions):
                at = (step + index) % width
                if at < len(challengers):
                    board += 1
                    seats = (champion, challengers[at]) if (index + at) % 2 == 0 else (challengers[at], champion)
                    found.append(_Fixture((cycle * width + step + 1, board), *seats, cycle * games + 1))
    return tuple(found)


def games_left(tournament: Tournament) -> Mapping[str, Counter[str]]:
    """The games that each player of a round robin has left with each other one, with those that are open."""
    # Pages ask on the event loop while a whole tournament waits: 2.2 ms with 60 players in a double round robin, and
    # 3.7 ms with a dictionary for each pair.
    history = History.of(tournament)
    left = {entrant.name: Counter[str]() for entrant in tournament.active}
    for fixture in fixtures(tournament):
        first, second = fixture.first, fixture.second
        if first in left and second in left:
            taken = history.meetings_of(first, second)
            games = sum(number not in taken or taken[number].is_open for number in fixture.meetings(tournament.plan))
            if games:
                left[first][second] += games
                left[second][first] += games
    return left


@value
class Schedule:
    """The schedule of a round robin or gauntlet: the game that is due of each fixture."""

    history: History
    due: Mapping[Place, _Due | None]
    """The due game of each fixture's place, by round; None if nothing is due, or it is being played."""
    left: Mapping[str, int]
    """Each player's number of these."""
    fixtures_of: Mapping[Pair, tuple[_Fixture, ...]]

    @classmethod
    def of(cls, history: History) -> "Schedule":
        """Make the schedule of a round robin by looking at every fixture of players who are still in."""
        fixtures_of: dict[Pair, tuple[_Fixture, ...]] = {}
        due: dict[Place, _Due | None] = {}
        left: dict[str, int] = {}
        for fixture in fixtures_left(history.tournament):
            pair = pair_of(fixture.first, fixture.second)
            fixtures_of[pair] = (*fixtures_of.get(pair, ()), fixture)
            due[fixture.place] = one = _next_game(history, fixture)
            for name in (fixture.first, fixture.second):
                left[name] = left.get(name, 0) + (one is not None)
        return cls(history, due, left, fixtures_of)

    def after(self, history: History) -> "Schedule":
        """Update a round robin's schedule to a later history, which came from its own by `after`."""
        before = self.history
        # The entrants decide which fixtures there are, and seldom change.
        if before.tournament.entrants is not history.tournament.entrants:
            return Schedule.of(history)
        due, left = dict(self.due), dict(self.left)
        for pair, of_pair in self.fixtures_of.items():
            if before.meetings.get(pair) is not history.meetings.get(pair):
                for fixture in of_pair:
                    was, due[fixture.place] = due[fixture.place], _next_game(history, fixture)
                    for name in pair:
                        left[name] += (due[fixture.place] is not None) - (was is not None)
        return Schedule(history, due, left, self.fixtures_of)

    @property
    def games(self) -> Iterator[_Due]:
        """All games of a round robin's schedule that are due."""
        return (one for one in self.due.values() if one is not None)


def due_games(history: History) -> Iterator[_Due]:
    """The next game of every fixture of a round robin that is not finished, among players who are still in."""
    games = (_next_game(history, fixture) for fixture in fixtures_left(history.tournament))
    return (one for one in games if one is not None)


def fixtures_left(tournament: Tournament) -> Iterator[_Fixture]:
    """The fixtures of a round robin or gauntlet without those of players who are out."""
    out = {entrant.name for entrant in tournament.entrants if entrant.is_out}
    return (one for one in fixtures(tournament) if one.first not in out and one.second not in out)


def _next_game(history: History, fixture: _Fixture) -> _Due | None:
    taken = history.meetings.get(pair_of(fixture.first, fixture.second))
    if not taken:
        return _Due(fixture, fixture.from_meeting)
    meetings = fixture.meetings(history.tournament.plan)
    meeting = next((number for number in meetings if number not in taken or taken[number].is_open), None)
    return _Due(fixture, meeting) if meeting is not None and meeting not in taken else None


def next_fixtures(schedule: Schedule, free: Collection[str]) -> list[Pairing]:
    """The pairings of a round robin or gauntlet to announce now."""
    history = schedule.history
    if history.tournament.plan.pacing is RoundMode.ROUNDS:
        chosen = _of_this_round(schedule)
    else:
        chosen = _of_the_free(schedule, free)
    found: list[Pairing] = []
    taken = set(history.encounters) if chosen else set()
    for one in chosen:
        place = _place(history, one, taken)
        taken.add(place)
        found.append(_drawn_up(history, place, one))
        other = _counterpart(schedule, one)
        if other is not None:
            if other.fixture is not one.fixture:
                place = _place(history, other, taken)
                taken.add(place)
            found.append(attrs.evolve(_drawn_up(history, place, other), seats=found[-1].seats[::-1]))
    return found


def _drawn_up(history: History, place: Place, due: _Due) -> Pairing:
    return history.drawn_up(place, due.meeting - due.fixture.from_meeting + 1, *_seats(due), meeting=due.meeting)


def _counterpart(schedule: Schedule, one: _Due) -> _Due | None:
    """The game with the same dice, where both can begin together because only house players are in them."""
    tournament, plan, meeting = schedule.history.tournament, schedule.history.tournament.plan, one.meeting + 1
    if not plan.same_chance or one.meeting % 2 == 0 or not all(map(tournament.is_house, one.players)):
        return None
    if meeting in schedule.history.meetings_of(*one.players):
        return None
    for fixture in schedule.fixtures_of[pair_of(*one.players)]:
        if meeting in fixture.meetings(plan):
            may_begin = plan.pacing is RoundMode.CONTINUOUS or fixture is one.fixture
            return _Due(fixture, meeting) if may_begin else None
    return None


def _place(history: History, due: _Due, taken: Collection[Place]) -> Place:
    """The place where the encounter began, or else the fixture's own, which a late entry may have moved."""
    begun = history.meetings_of(*due.players)
    for meeting in due.fixture.meetings(history.tournament.plan):
        if meeting in begun:
            return begun[meeting].round, begun[meeting].board
    number, board = due.fixture.place
    while (number, board) in taken:
        board += 1
    return number, board


def _seats(due: _Due) -> tuple[str, str]:
    """The fixture's seats, turned round for each second meeting."""
    first, second = due.players
    return (first, second) if due.meeting % 2 else (second, first)


def _of_this_round(schedule: Schedule) -> list[_Due]:
    history, due = schedule.history, list(schedule.games)
    rounds = [one.fixture.place[0] for one in due] + [pairing.round for pairing in history.busy.values()]
    this = min(rounds, default=0)
    return list(_without_clashes(history, (one for one in due if one.fixture.place[0] == this)))


def _without_clashes(history: History, due: Iterable[_Due]) -> Iterator[_Due]:
    """Everybody at most once, and nobody who is busy; house players as often as they are wanted."""
    taken = set(history.busy)
    house = history.tournament.house_names
    open_pairs = {pairing.pair for pairing in history.open.values()}
    for one in due:
        people = [name for name in one.players if name not in house]
        if pair_of(*one.players) not in open_pairs and not any(name in taken for name in people):
            open_pairs.add(pair_of(*one.players))
            taken.update(people)
            yield one


def _of_the_free(schedule: Schedule, free: Collection[str]) -> list[_Due]:
    history, left = schedule.history, schedule.left
    tournament = history.tournament
    here = {entrant.name for entrant in tournament.active if entrant.house or entrant.name in free}
    present = here | set(history.busy)

    # Those with the most games left first, so that nobody's games pile up at the end.
    def ranked(due: Iterable[_Due]) -> list[_Due]:
        return sorted(due, key=lambda one: (-left[one.fixture.first] - left[one.fixture.second], one.fixture.place))

    able = ranked(one for one in schedule.games if one.fixture.first in here and one.fixture.second in here)
    chosen = list(_without_clashes(history, able))[: _room(history, free)]
    if not all(entrant.name in present for entrant in tournament.active):
        chosen += _for_the_absent(schedule, chosen, here, present, ranked)
    # Nobody can play: the waits for absent players begin, or the tournament would stand still.
    if not chosen and not history.open:
        chosen = list(_without_clashes(history, ranked(schedule.games)))
    return chosen


def _for_the_absent(
    schedule: Schedule,
    chosen: list[_Due],
    here: Collection[str],
    present: Collection[str],
    ranked: Callable[[Iterable[_Due]], list[_Due]],
) -> list[_Due]:
    """Games of those who are away with those who have nothing else to do, beside the games that were chosen."""
    history, due = schedule.history, list(schedule.games)
    house = history.tournament.house_names
    idle = {name for one in due for name in one.players if name in here and name not in house}
    idle -= {name for one in due if all(player in present for player in one.players) for name in one.players}
    waiting = ranked(one for one in due if _waits_for_one(one, idle, present, house))
    return [one for one in _without_clashes(history, chosen + waiting) if one not in chosen]


def _waits_for_one(one: _Due, idle: Collection[str], present: Collection[str], house: Collection[str]) -> bool:
    """True if one of the two has nothing else to do (or is a house player), and the other is away."""
    away = [name for name in one.players if name not in present]
    ready = [name for name in one.players if name in idle or name in house]
    return len(away) == 1 and len(ready) == 1


def _room(history: History, free: Collection[str]) -> int | None:
    """The number of matches that may still be announced to the players who are there; None: any."""
    tournament = history.tournament
    if tournament.plan.matches_at_once_max == 0:
        return None
    running = sum(
        pairing.status is PairingStatus.PLAYING
        or all(tournament.is_house(name) or name in free for name in pairing.seats)
        for pairing in history.open.values()
    )
    return max(0, tournament.plan.matches_at_once_max - running)
