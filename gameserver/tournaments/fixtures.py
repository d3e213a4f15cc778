"""Round robins and gauntlets: everybody's opponents are known, the question is only who is free.

With rounds, a round is announced when the one before is over. Continuously, whoever is free meets
whoever is free, those with the most games left first, so that nobody's games pile up at the end; a
player who is away is announced only to somebody who has nothing else to do, which starts the wait
that ends as a no-show.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

from attrs import frozen

from gameserver.tournaments.berger import berger_table
from gameserver.tournaments.history import History, Place, pair_of
from gameserver.tournaments.model import Pairing, Status, Tournament
from gameserver.tournaments.plan import Format, Pacing


@frozen
class Fixture:
    """An encounter that is due at some time. Its games are the meetings from `from_meeting` on."""

    place: Place
    first: str
    second: str
    from_meeting: int


@frozen
class Due:
    """The next game of a fixture."""

    fixture: Fixture
    meeting: int

    @property
    def players(self) -> tuple[str, str]:
        """Both names."""
        return self.fixture.first, self.fixture.second


def fixtures(tournament: Tournament) -> tuple[Fixture, ...]:
    """The whole schedule, those who are out included, in the order of the rounds."""
    plan = tournament.plan
    names = tuple(entrant.name for entrant in sorted(tournament.entrants, key=lambda entrant: entrant.number))
    if plan.format is Format.GAUNTLET:
        return _gauntlet(names, plan.champions or names[:1], plan.cycles, plan.games)
    return _round_robin(names, plan.cycles, plan.games)


@lru_cache(maxsize=16)
def _round_robin(names: tuple[str, ...], cycles: int, games: int) -> tuple[Fixture, ...]:
    table = berger_table(len(names))
    return tuple(
        Fixture((cycle * len(table) + number, board), names[first - 1], names[second - 1], cycle * games + 1)
        for cycle in range(cycles)
        for number, boards in enumerate(table, start=1)
        for board, (first, second) in enumerate(boards, start=1)
    )


@lru_cache(maxsize=16)
def _gauntlet(names: tuple[str, ...], champions: tuple[str, ...], cycles: int, games: int) -> tuple[Fixture, ...]:
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
                    found.append(Fixture((cycle * width + step + 1, board), *seats, cycle * games + 1))
    return tuple(found)


def due_games(history: History) -> Iterator[Due]:
    """The next game of every fixture that is not finished, of those who are still in."""
    tournament = history.tournament
    games = tournament.plan.games
    out = {entrant.name for entrant in tournament.entrants if entrant.is_out}
    for fixture in fixtures(tournament):
        if fixture.first in out or fixture.second in out:
            continue
        taken = history.meetings.get(pair_of(fixture.first, fixture.second))
        if not taken:
            yield Due(fixture, fixture.from_meeting)
            continue
        meetings = range(fixture.from_meeting, fixture.from_meeting + games)
        meeting = next((number for number in meetings if number not in taken or taken[number].is_open), None)
        if meeting is not None and meeting not in taken:
            yield Due(fixture, meeting)


def next_fixtures(history: History, free: Collection[str]) -> list[Pairing]:
    """The pairings to announce now."""
    due = list(due_games(history))
    if history.tournament.plan.pacing is Pacing.ROUNDS:
        chosen = _of_this_round(history, due)
    else:
        chosen = _of_the_free(history, due, free)
    taken = set(history.encounters)
    found = []
    for one in chosen:
        place = _place(history, one, taken)
        taken.add(place)
        game = one.meeting - one.fixture.from_meeting + 1
        found.append(history.drawn_up(place, game, *_seats(one), meeting=one.meeting))
    return found


def _place(history: History, due: Due, taken: Collection[Place]) -> Place:
    """Where the encounter began, or else the fixture's own place; a late entry may have moved that onto another."""
    begun = history.meetings_of(*due.players)
    from_meeting = due.fixture.from_meeting
    for meeting in range(from_meeting, from_meeting + history.tournament.plan.games):
        if meeting in begun:
            return begun[meeting].round, begun[meeting].board
    number, board = due.fixture.place
    while (number, board) in taken:
        board += 1
    return number, board


def _seats(due: Due) -> tuple[str, str]:
    """The fixture's seats, turned round for each second meeting."""
    first, second = due.players
    return (first, second) if due.meeting % 2 else (second, first)


def _of_this_round(history: History, due: list[Due]) -> list[Due]:
    rounds = [one.fixture.place[0] for one in due] + [pairing.round for pairing in history.busy.values()]
    this = min(rounds, default=0)
    return list(_without_clashes(history, (one for one in due if one.fixture.place[0] == this)))


def _without_clashes(history: History, due: Iterator[Due] | list[Due]) -> Iterator[Due]:
    """Everybody at most once, and nobody who is busy; house players as often as they are wanted."""
    taken = set(history.busy)
    house = history.tournament.house_names
    open_pairs = {pairing.pair for pairing in history.tournament.open}
    for one in due:
        people = [name for name in one.players if name not in house]
        if pair_of(*one.players) not in open_pairs and not any(name in taken for name in people):
            open_pairs.add(pair_of(*one.players))
            taken.update(people)
            yield one


def _of_the_free(history: History, due: list[Due], free: Collection[str]) -> list[Due]:
    tournament = history.tournament
    house = tournament.house_names
    here = {entrant.name for entrant in tournament.active if entrant.house or entrant.name in free}
    present = here | set(history.busy)
    left = _games_left(due)
    ranked = sorted(due, key=lambda one: (-sum(left[name] for name in one.players), one.fixture.place))
    able = [one for one in ranked if all(name in here for name in one.players)]
    chosen = list(_without_clashes(history, able))[: _room(history, free)]
    idle = {name for one in due for name in one.players if name in here and name not in house}
    idle -= {name for one in due if all(player in present for player in one.players) for name in one.players}
    all_here = all(entrant.name in present for entrant in tournament.active)
    for_the_absent = [] if all_here else [one for one in ranked if _waits_for_one(one, idle, present, house)]
    chosen += [one for one in _without_clashes(history, chosen + for_the_absent) if one not in chosen]
    if not chosen and not history.busy and not tournament.open:
        chosen = list(_without_clashes(history, ranked))
    return chosen


def _waits_for_one(one: Due, idle: set[str], present: set[str], house: Collection[str]) -> bool:
    """Whether one of the two has nothing else to do (or is of the house), and the other is away."""
    away = [name for name in one.players if name not in present]
    ready = [name for name in one.players if name in idle or name in house]
    return len(away) == 1 and len(ready) == 1


def _games_left(due: list[Due]) -> Mapping[str, int]:
    left: dict[str, int] = {}
    for one in due:
        for name in one.players:
            left[name] = left.get(name, 0) + 1
    return left


def _room(history: History, free: Collection[str]) -> int | None:
    """How many more matches may be announced to those who are there; None: any number."""
    tournament = history.tournament
    if tournament.plan.matches_at_once_max == 0:
        return None
    running = sum(
        pairing.status is Status.PLAYING or all(tournament.is_house(name) or name in free for name in pairing.seats)
        for pairing in tournament.open
    )
    return max(0, tournament.plan.matches_at_once_max - running)
