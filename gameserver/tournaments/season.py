"""The season: points by place over a series of events, of which a player's best count; teams and grades.

A season is worked out from what is on record, and keeps nothing itself: a corrected result, another table of points and
a student who is added to the roster count at once. An event is a name with places, and need not be a tournament.

Players are told apart by the school's ids of the roster, so that a student stays one player under other names. No id
goes into the table: who may see ids finds them by a row's names.
"""

import re
from bisect import bisect_left
from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

from attrs import evolve, field, validators

from gameserver.tournaments.csv_text import CsvStyle, csv_text
from gameserver.tournaments.files import Grading
from gameserver.tournaments.model import TournamentPhase
from gameserver.tournaments.podium import Place
from gameserver.values import value

LINEAR = "linear"
POINTS: Mapping[str, tuple[int, ...]] = {
    "formula 1": (25, 18, 15, 12, 10, 8, 6, 4, 2, 1),  # since 2010
    "grand prix": (170, 140, 110, 90, 80, 70, 60, 50, 40, 30, 20, 10),  # FIDE Grand Prix, 2012 to 2015
}
"""Points from the first place down, by the name of the table. Further places have none."""
Students = Mapping[str, tuple[str, str]]
"""The school's id and the team of each student on the roster, by name; either may be empty."""
_LADDER = "ladder:"
_ON_A_DAY = re.compile(r"ladder:(\S+) ((20[0-9]{2})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))", re.ASCII)
_Key = tuple[bool, str]
"""A player: True and the school's id, or False and a name."""
_NONE = Fraction(0)


def _ladder_in(event: str | int) -> tuple[str, str] | None:
    """The game and the day of a ladder that is an event, such as 2026-10-31; None for anything else."""
    # By `monthrange`, since nothing here may import what knows the time.
    found = _ON_A_DAY.fullmatch(str(event))
    if found is None or int(found[5]) > monthrange(int(found[3]), int(found[4]))[1]:
        return None
    return found[1], found[2]


def _are_events(_: object, attribute: Any, events: Iterable[str | int]) -> None:
    for one in events:
        if str(one).startswith(_LADDER) and _ladder_in(one) is None:
            example = "'ladder:Reversi 2026-10-31'"
            raise ValueError(
                f"{one!r} should be the ladder of a game at the end of a day, such as {example}", attribute
            )


def _are_points(_: object, attribute: Any, points: str | tuple[float, ...]) -> None:
    if isinstance(points, str) and points not in {LINEAR, *POINTS}:
        known = ", ".join(map(repr, (LINEAR, *POINTS)))
        raise ValueError(f"{points!r} should be {known}, or a list of numbers from the first place down", attribute)
    if not isinstance(points, str) and (not points or min(points) < 0):
        raise ValueError("the list should have a number for each place from the first down, none below 0", attribute)


@value
class SeasonSettings:
    """A season: a named series of events, in which a player's points add up."""

    title: str = ""
    """The season's name on the pages. Empty: NAME."""
    events: tuple[str | int, ...] = field(default=(), validator=_are_events)
    """The tournaments that count: their names, their numbers, or patterns of names with `*` and `?`, such as
    `["Week *", 12]`. `"ladder:Reversi 2026-10-31"` is the ladder of a game as it stands at the end of a day (UTC)."""
    points: str | tuple[float, ...] = field(default=LINEAR, validator=_are_points)
    """The points by place: `"linear"` (the last of an event has 1, and each place above it one more), `"formula 1"`,
    `"grand prix"`, or a list from the first place down, such as `[10, 7.5, 5]`."""
    best: int = field(default=0, validator=validators.ge(0))
    """The number of a player's best events that count. 0: all of them."""
    team_best: int = field(default=0, validator=validators.ge(0))
    """The number of a team's best members whose points count for the team. 0: all of them."""
    grades: Grading | None = None
    """The scale of the grades in the teacher's table. Without it there are none."""

    def has(self, number: int, name: str) -> bool:
        """True if a tournament is an event of the season."""
        return any(_means(one, number, name) for one in self.events)

    @property
    def ladders(self) -> tuple[tuple[str, str], ...]:
        """The ladders among the events of the season: the game, and the day at whose end the ranking counts."""
        return tuple(dict.fromkeys(filter(None, map(_ladder_in, self.events))))

    def points_of(self, places: int) -> Sequence[Fraction]:
        """The points in an event of the season with so many places, from the first place down."""
        if self.points == LINEAR:
            return [Fraction(places - above) for above in range(places)]
        # By the text: 0.1 stands for a tenth, and not for the binary fraction next to it.
        return [Fraction(str(one)) for one in (POINTS[self.points] if isinstance(self.points, str) else self.points)]


def _means(one: str | int, number: int, name: str) -> bool:
    # A bracket is a letter like any other: the names of tournaments have them.
    return one == number if isinstance(one, int) else fnmatchcase(name, one.replace("[", "[[]"))


@value
class SeasonEvent:
    """An event of a season: a tournament, or a ladder at the end of a day. It counts if it has places."""

    number: int | None
    """The tournament's; None for a ladder."""
    name: str
    game: str
    phase: str
    began_at: str | None = None
    """The time of day in ISO 8601; for a ladder, the midnight of its ranking."""
    places: tuple[Place, ...] = ()

    @property
    def night(self) -> str:
        """The night of a ladder's ranking that is an event of the season; empty for a tournament."""
        return "" if self.number is not None or self.began_at is None else self.began_at[:10]

    @property
    def state(self) -> str:
        """The reason for which an event does not count in the season; empty if it does."""
        is_over, is_ladder = self.phase == TournamentPhase.OVER, self.number is None
        without_result = "no ranking on record" if is_ladder else "over, without a result"
        reason = without_result if is_over else "not over yet" if is_ladder else self.phase
        return "" if self.places else reason

    @property
    def taken(self) -> tuple[Place, ...]:
        """The places of those who took part in an event of the season, without the house."""
        return tuple(place for place in self.places if not (place.is_house or place.absent))


def ladder_event(
    game: str, day: str, night: str, ranking: Sequence[tuple[str, float]], *, is_over: bool
) -> SeasonEvent:
    """A ladder at the end of a day as an event of a season.

    It is worked out from the ranking of the night after that day, with names and ratings, the best first.
    """
    ratings = [-rating for _, rating in ranking]
    places = tuple(Place(name, bisect_left(ratings, -rating) + 1, "") for name, rating in ranking)
    phase = TournamentPhase.OVER if is_over else TournamentPhase.RUNNING
    return SeasonEvent(None, f"Ladder of {game}, {day}", game, phase, f"{night}T00:00:00.000+00:00", places)


@value
class _Score:
    """A player's points in one event."""

    player: str
    """The name under which it was played."""
    place: int | None
    """Among the players of the season; None for one who was disqualified or struck out."""
    points: Fraction
    counts: bool = True
    """False for one that is not among the player's best."""

    @property
    def text(self) -> str:
        """The points as a cell of the table: in parentheses where they do not count."""
        return points_text(self.points) if self.counts else f"({points_text(self.points)})"


@value
class _SeasonRow:
    """A player's row in the table of a season. Equal points share a rank."""

    rank: int
    player: str
    """The latest name under which the player took part; for one who never did, the name on the roster."""
    earlier: tuple[str, ...]
    """The player's other names in events of the season, the latest first."""
    team: str
    points: Fraction
    scores: tuple[_Score | None, ...]
    """For each event that counts; None where the player did not take part."""

    @property
    def took_part(self) -> bool:
        """True if the player took part in any event of the season."""
        return any(self.scores)

    @property
    def missed(self) -> int:
        """The number of the season's events in which the player did not take part."""
        return self.scores.count(None)


@value
class _TeamRow:
    """A team's row: the sum of its best members, who are named from the best down."""

    rank: int
    team: str
    points: Fraction
    players: tuple[str, ...]


@value
class SeasonTable:
    """The table of a season as of now. It has no ids; grades are given where they are asked for."""

    name: str
    settings: SeasonSettings
    events: tuple[SeasonEvent, ...]
    """All on record, in the order in which they began."""
    rows: tuple[_SeasonRow, ...]

    @property
    def title(self) -> str:
        """The name of a season for people."""
        return self.settings.title or self.name

    @property
    def counted(self) -> tuple[SeasonEvent, ...]:
        """The events that count in a season's table, one for each score of a row."""
        return tuple(event for event in self.events if event.places)

    @property
    def missing(self) -> tuple[str, ...]:
        """The names and numbers in a season's settings of which no tournament is on record."""
        named = [one for one in dict.fromkeys(self.settings.events) if not str(one).startswith(_LADDER)]
        here = [(one.number, one.name) for one in self.events if one.number is not None]
        return tuple(str(one) for one in named if not any(_means(one, *tournament) for tournament in here))

    @property
    def public(self) -> "SeasonTable":
        """The table of a season for everybody: without students who have taken part in nothing."""
        return evolve(self, rows=tuple(row for row in self.rows if row.took_part))

    @property
    def teams(self) -> tuple[_TeamRow, ...]:
        """The teams of a season, by the sum of their best members."""
        members: dict[str, list[_SeasonRow]] = {}
        for row in self.rows:
            if row.team:
                members.setdefault(row.team, []).append(row)
        best = {team: own[: self.settings.team_best or None] for team, own in members.items()}
        sums = {team: sum((row.points for row in own), _NONE) for team, own in best.items()}
        ordered = sorted(sums, key=lambda team: (-sums[team], team.casefold(), team))
        ranks = _ranks([sums[team] for team in ordered])
        return tuple(
            _TeamRow(rank, team, sums[team], tuple(row.player for row in best[team]))
            for rank, team in zip(ranks, ordered, strict=True)
        )

    @property
    def points_max(self) -> Fraction:
        """All the points that a player of the season could have: a first place in as many events as count."""
        events = zip(*(row.scores for row in self.rows), strict=True)
        ranked = (sum(one is not None and one.place is not None for one in scores) for scores in events)
        firsts = (next(iter(self.settings.points_of(places)), _NONE) for places in ranked)
        return sum(sorted(firsts, reverse=True)[: self.settings.best or None], _NONE)

    def grade(self, row: _SeasonRow) -> str:
        """The grade of a season's row; empty if the season has none."""
        return "" if self.settings.grades is None else self.settings.grades.grade(row.points, self.points_max)


def season_table(name: str, settings: SeasonSettings, events: Iterable[SeasonEvent], students: Students) -> SeasonTable:
    """Works out the table of a season, with a row for every player and for every student on the roster."""
    in_order = sorted(events, key=lambda event: (event.began_at is None, event.began_at or "", event.number or 0))
    table = SeasonTable(name, settings, tuple(in_order), ())
    results = [_scores(settings, event, students) for event in table.counted]
    names: dict[_Key, list[str]] = {}
    for event in reversed(table.counted):
        for place in event.taken:
            names.setdefault(_key(place.name, students), []).append(place.name)
    for student in students:
        names.setdefault(_key(student, students), [student])
    teams = {_key(student, students): team for student, (_, team) in reversed([*students.items()]) if team}
    rows = [
        _row(own, [one.get(key) for one in results], settings.best, teams.get(key, "")) for key, own in names.items()
    ]
    rows.sort(key=lambda row: (-row.points, not row.took_part, row.player.casefold(), row.player))
    ranks = _ranks([row.points for row in rows])
    return evolve(table, rows=tuple(evolve(row, rank=rank) for rank, row in zip(ranks, rows, strict=True)))


def _key(name: str, students: Students) -> _Key:
    student_id, _ = students.get(name, ("", ""))
    return (True, student_id) if student_id else (False, name)


def _ranks(points: Sequence[Fraction]) -> list[int]:
    """The ranks of these points, which begin with the most; equal points share one."""
    below = [-one for one in points]
    return [bisect_left(below, one) + 1 for one in below]


def _scores(settings: SeasonSettings, event: SeasonEvent, students: Students) -> Mapping[_Key, _Score]:
    """The points of an event: of two bots of a player the better has a place, and those below move up."""
    best: dict[_Key, Place] = {}
    # The sort is stable: places without a rank come last, in their order.
    for place in sorted(event.taken, key=lambda place: (place.rank is None, place.rank)):
        best.setdefault(_key(place.name, students), place)
    ranks = [place.rank for place in best.values() if place.rank is not None]
    table = settings.points_of(len(ranks))
    scores = {}
    for key, place in best.items():
        above = len(ranks) if place.rank is None else bisect_left(ranks, place.rank)
        shared_by = ranks.count(place.rank or 0)
        points = sum(table[above : above + shared_by], _NONE) / max(1, shared_by)
        scores[key] = _Score(place.name, above + 1 if shared_by else None, points)
    return scores


def _row(names: Sequence[str], scores: Sequence[_Score | None], best: int, team: str) -> _SeasonRow:
    """The row of a player, without its rank."""
    points = {at: score.points for at, score in enumerate(scores) if score is not None}
    counting = sorted(points, key=lambda at: (-points[at], at))[: best or None]
    latest = next((score.player for score in reversed(scores) if score is not None), names[0])
    return _SeasonRow(
        rank=0,
        player=latest,
        earlier=tuple(name for name in dict.fromkeys(names) if name != latest),
        team=team,
        points=sum((points[at] for at in counting), _NONE),
        scores=tuple(score and evolve(score, counts=at in counting) for at, score in enumerate(scores)),
    )


def points_text(points: Fraction) -> str:
    """The points of a season as they are written, to two decimals, halves rounded up: `7`, `6.5`, `6.33`."""
    hundredths = (200 * points + 1) // 2
    return f"{hundredths // 100}.{hundredths % 100:02}".rstrip("0").rstrip(".")


def rules_in_words(table: SeasonTable) -> tuple[str, ...]:
    """The rules of a season in sentences: points, events that count, teams, grades."""
    settings = table.settings
    points = "The last of an event has 1 point, and each place above it one more"
    if settings.points != LINEAR:
        points = f"The places of an event have {', '.join(map(points_text, settings.points_of(0)))} points, others none"
    rules = [
        f"{points}. Players who share a place have the mean of the points for the places that they fill.",
        "House players and players who never came take no place: those below them move up.",
        "If a player has two bots in an event, the better one counts, and the other takes no place.",
        _count_in_words(settings.best),
    ]
    if settings.ladders:
        rules.append(
            "A ladder's places are those of its ranking at the end of the day (midnight UTC): by rating, of everybody"
            " who played on it in the seven days before."
        )
    if table.teams:
        best = "its best member" if settings.team_best == 1 else f"the best {settings.team_best} of its members"
        members = best if settings.team_best else "all its members"
        rules.append(f"A team has the sum of the points of {members}.")
    if (grades := settings.grades) is not None:
        all_of_them = f"all that could be had (so far {points_text(table.points_max)})"
        most = f"{grades.highest_at:g} points" if grades.highest_at else all_of_them
        decimals = f"{grades.decimals} decimal{'s' * (grades.decimals > 1)}" if grades.decimals else "a whole number"
        rules.append(
            f"The grade is {grades.lowest} for {grades.lowest_at:g} points, {grades.highest} for {most}, and on a"
            f" straight line between, rounded to {decimals}."
        )
    return tuple(rules)


def _count_in_words(best: int) -> str:
    if best == 1:
        return "A player's best event counts."
    return f"The best {best} of a player's events count." if best else "All events count."


def season_csv(
    table: SeasonTable, style: CsvStyle = CsvStyle.ENGLISH, student_ids: Mapping[str, str] | None = None
) -> str:
    """The table of a season as CSV, a row for each player. The cell of an event that the player missed is empty.

    With students' ids by name it is for the teacher, and has a column for them, and one for grades if there are any.
    """
    names = [event.name for event in table.counted]
    titles = [one.name if names.count(one.name) == 1 else f"{one.name} ({one.number})" for one in table.counted]
    is_graded = student_ids is not None and table.settings.grades is not None
    head = ["rank", "player", "earlier names", "team", "points", *titles, "missed", *["grade"] * is_graded]
    lines: list[list[object]] = [["id", *head] if student_ids is not None else [*head]]
    for row in table.rows:
        scores = [None if score is None else _figure(score.points) for score in row.scores]
        cells: list[object] = [row.rank, row.player, ", ".join(row.earlier), row.team, _figure(row.points), *scores]
        cells += [row.missed, *[Decimal(table.grade(row) or 0)] * is_graded]
        lines.append([student_id_of(row, student_ids), *cells] if student_ids is not None else cells)
    return csv_text(lines, style)


def student_id_of(row: _SeasonRow, student_ids: Mapping[str, str]) -> str:
    """The school's id of the student in a row of a season, out of those of the roster by name; empty if it has none."""
    return next((student_ids[name] for name in (row.player, *row.earlier) if name in student_ids), "")


def _figure(points: Fraction) -> Decimal:
    return Decimal(points_text(points))
