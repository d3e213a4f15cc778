"""The season: points by place, the best of several events, one row for each student, teams, grades."""

from fractions import Fraction
from itertools import combinations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gameserver.tournaments.csv_text import CsvStyle
from gameserver.tournaments.files import Grading
from gameserver.tournaments.model import EntrantStatus, Tournament
from gameserver.tournaments.plan import Format, Plan
from gameserver.tournaments.podium import Place, places
from gameserver.tournaments.season import (
    POINTS,
    SeasonEvent,
    SeasonSettings,
    SeasonTable,
    Students,
    points_text,
    rules_in_words,
    season_csv,
    season_table,
)
from tests.tournaments.tables import played

NAMES = ("ann", "ann-2", "bob", "cyd", "dan", "eve", "house-random")
STUDENTS = {"ann": ("s1", "Rooks"), "ann-2": ("s1", ""), "bob": ("s2", "Rooks"), "cyd": ("", "Knights")}
LEAGUE = Plan("League", "Reversi", Format.ROUND_ROBIN)


def event(number: int, *names: str, phase: str = "over", name: str = "") -> SeasonEvent:
    """An event with these places from the first down; names with `~` between them share one."""
    found, rank = [], 1
    for shared in names:
        level = shared.split("~")
        found += [Place(one, rank, "") for one in level]
        rank += len(level)
    return SeasonEvent(number, name or f"Week {number}", "Reversi", phase, places=tuple(found))


def table(settings: SeasonSettings, *events: SeasonEvent, students: Students | None = None) -> SeasonTable:
    return season_table("spring", settings, events, students or {})


def lines(found: SeasonTable) -> list[str]:
    """A line for each row: rank, player, points, scores."""
    cells = ((row, ["-" if one is None else one.text for one in row.scores]) for row in found.rows)
    return [f"{row.rank} {row.player} {points_text(row.points)}: {' '.join(scores)}" for row, scores in cells]


def test_the_best_of_a_players_events_count() -> None:
    found = table(
        SeasonSettings(points="formula 1", best=2),
        event(1, "ann", "bob", "cyd"),
        event(2, "bob", "ann"),
        event(3, "cyd", "bob", "ann"),
    )
    assert lines(found) == [
        "1 ann 43: 25 18 (15)",
        "1 bob 43: 18 25 (18)",
        "3 cyd 40: 15 - 25",
    ]
    assert [row.missed for row in found.rows] == [0, 0, 1]
    more = table(SeasonSettings(points="formula 1", best=9), event(1, "ann", "bob"))
    assert lines(more) == ["1 ann 25: 25", "2 bob 18: 18"], "more than there are events"


@pytest.mark.parametrize(
    ("points", "scores"),
    [
        ("linear", ["4", "2.5", "2.5", "1"]),
        ("grand prix", ["170", "125", "125", "90"]),
        ((10, 7.5, 5), ["10", "6.25", "6.25", "0"]),
        ((1,), ["1", "0", "0", "0"]),
        ((0.1, 0.1), ["0.1", "0.05", "0.05", "0"]),
    ],
)
def test_players_who_share_a_place_share_its_points(points: str | tuple[float, ...], scores: list[str]) -> None:
    found = table(SeasonSettings(points=points), event(1, "ann", "bob~cyd", "dan"))
    assert [points_text(row.points) for row in found.rows] == scores


def test_a_student_has_one_row_under_all_names_and_the_better_of_two_bots() -> None:
    events = event(1, "bob", "ann", "ann-2", "dan"), event(2, "ann-2", "dan"), event(3, "dan", "bob")
    found = table(SeasonSettings(), *events, students=STUDENTS)
    # Without the second bot dan has the third place of three in the first event.
    assert lines(found) == ["1 ann-2 4: 2 2 -", "1 bob 4: 3 - 1", "1 dan 4: 1 1 2", "4 cyd 0: - - -"]
    assert [(row.rank, row.player, row.earlier, row.missed) for row in found.rows] == [
        (1, "ann-2", ("ann",), 1),
        (1, "bob", (), 1),
        (1, "dan", (), 0),
        (4, "cyd", (), 3),
    ]
    assert found.points_max == 3 + 2 + 2
    public = found.public
    assert [row.player for row in public.rows] == ["ann-2", "bob", "dan"], "cyd has taken part in nothing"
    assert "s1" not in repr(public)


def test_a_student_who_leaves_the_roster_keeps_a_row() -> None:
    events = event(1, "ann", "bob"), event(2, "ann-2", "bob")
    assert lines(table(SeasonSettings(), *events, students=STUDENTS))[0] == "1 ann-2 4: 2 2"
    later = {name: one for name, one in STUDENTS.items() if name != "ann"}
    found = lines(table(SeasonSettings(), *events, students=later))
    assert found[:3] == ["1 ann 2: 2 -", "1 ann-2 2: - 2", "1 bob 2: 1 1"]


def test_an_event_that_is_not_over_does_not_count_and_says_why() -> None:
    found = table(
        SeasonSettings(events=("Week *", 9, 7, 7)), event(1, "ann", "bob"), event(2, phase="running"), event(3)
    )
    assert [one.state for one in found.events] == ["", "running", "over, without a result"]
    assert lines(found) == ["1 ann 2: 2", "2 bob 1: 1"]
    assert found.missing == ("9", "7")
    assert table(SeasonSettings()).rows == (), "nothing at all"


def test_events_are_named_by_numbers_names_and_patterns() -> None:
    settings = SeasonSettings(events=(3, "Cup [1]", "Week ?"))
    named = [(3, "x"), (4, "Cup [1]"), (5, "Week 1"), (6, "Week 10"), (7, "week 1"), (8, "Cup 1"), (9, "3")]
    assert [number for number, name in named if settings.has(number, name)] == [3, 4, 5]


def with_entrants(tournament: Tournament, **changes: dict[str, object]) -> Tournament:
    entrants = tuple(evolve(one, **changes.get(one.name, {})) for one in tournament.entrants)
    return evolve(tournament, entrants=entrants)


def test_the_house_and_absent_players_take_no_place() -> None:
    of_rounds = played(LEAGUE, ["A-D 1-0, B-C 0-1", "A-C 0-1, D-B +:-", "A-B 1-0, C-D 1-0"])
    assert [(one.name, one.rank) for one in places(of_rounds)] == [("C", 1), ("A", 2), ("D", 3), ("B", 4)]
    house = with_entrants(of_rounds, C={"house": True}, A={"status": EntrantStatus.DISQUALIFIED})
    found = table(SeasonSettings(points="formula 1"), SeasonEvent(1, "Cup", "Reversi", "over", places=places(house)))
    assert lines(found) == ["1 D 25: 25", "2 B 18: 18", "3 A 0: 0"], "disqualified is not missed"
    absent = evolve(
        of_rounds,
        pairings=tuple(
            evolve(one, played=False, absent=("A",)) if "A" in one.seats else one for one in of_rounds.pairings
        ),
    )
    found = table(SeasonSettings(points="formula 1"), SeasonEvent(1, "Cup", "Reversi", "over", places=places(absent)))
    assert lines(found) == ["1 C 25: 25", "2 D 18: 18", "3 B 15: 15"]


def test_a_team_has_the_points_of_its_best_members() -> None:
    students = {name: ("", team) for name, team in zip(NAMES, "XXXYYZ", strict=False)}
    events = event(1, *NAMES[:5]), event(2, "cyd", "ann")
    settings = SeasonSettings(team_best=2)
    assert [
        (one.rank, one.team, one.points, one.players) for one in table(settings, *events, students=students).teams
    ] == [
        (1, "X", 10, ("ann", "ann-2")),
        (2, "Y", 5, ("cyd", "dan")),
        (3, "Z", 0, ("eve",)),
    ]
    found = table(evolve(settings, team_best=0), *events, students=students)
    assert [one.points for one in found.teams] == [13, 5, 0]
    assert [one.team for one in found.public.teams] == ["X", "Y"]


def test_grades_follow_the_rule_that_is_told() -> None:
    scale = Grading(1, 10, 1, lowest_at=10, highest_at=40)
    found = table(SeasonSettings(points="formula 1", grades=scale), event(1, "ann", "bob", *"abcdefgh", "z"))
    assert [found.grade(row) for row in found.rows][:4] == ["5.5", "3.4", "2.5", "1.6"]
    assert found.grade(found.rows[-1]) == "1.0"
    assert rules_in_words(found)[-1] == (
        "The grade is 1 for 10 points, 10 for 40 points, and on a straight line between, rounded to 1 decimal."
    )
    everything = table(
        SeasonSettings(best=1, grades=Grading(5, 1, 0)), event(1, "ann", "bob"), event(2, "bob~cyd", "dan")
    )
    assert [(row.player, everything.grade(row)) for row in everything.rows][:2] == [("bob", "2"), ("cyd", "2")]
    assert "1 for all that could be had (so far 3)" in rules_in_words(everything)[-1]
    assert table(SeasonSettings(), event(1, "ann")).grade(found.rows[0]) == ""


def test_the_table_as_csv_keeps_names_texts_and_missed_events_empty() -> None:
    events = event(1, "=1+1", 'say "ann"', name="Cup, the"), event(2, "ann", name="Cup"), event(3, "ann", name="Cup")
    settings = SeasonSettings(points=(2, 0.5), grades=Grading())
    students = {"ann": ("007", "x"), "zoë": ("008", "")}
    found = table(settings, *events, students=students)
    assert season_csv(found, CsvStyle.DUTCH, {"ann": "007", "zoë": "008"}).splitlines() == [
        "id;rank;player;earlier names;team;points;Cup, the;Cup (2);Cup (3);missed;grade",
        "'007;1;ann;;x;4;;2;2;1;7,0",
        ";2;'=1+1;;;2;2;;;2;4,0",
        ';3;"say ""ann""";;;0,5;0,5;;;2;1,8',
        "'008;4;zoë;;;0;;;;3;1,0",
    ]
    assert season_csv(found.public).splitlines()[1] == "1,ann,,x,4,,2,2,1", "neither ids nor grades"


@st.composite
def _events(draw: st.DrawFn) -> list[list[tuple[list[str], str]]]:
    """For each event groups of names from the first place down, and their kind: ranked, house, absent or out."""
    found = []
    for _ in range(draw(st.integers(0, 4))):
        names = draw(st.permutations(NAMES))[: draw(st.integers(0, len(NAMES)))]
        groups: list[tuple[list[str], str]] = []
        for name in names:
            if groups and draw(st.booleans()) and groups[-1][1] == "":
                groups[-1][0].append(name)
            else:
                groups.append(([name], draw(st.sampled_from(["", "", "", "house", "absent", "out"]))))
        found.append(groups)
    return found


def _as_event(number: int, groups: list[tuple[list[str], str]]) -> SeasonEvent:
    found, rank = [], 1
    for names, kind in groups:
        for name in names:
            has_rank = kind in {"", "absent"}
            note = "house" if kind == "house" else ""
            found.append(Place(name, rank if has_rank else None, "", note, absent=kind == "absent"))
        rank += len(names)
    return SeasonEvent(number, f"Week {number}", "Reversi", "over", places=tuple(found))


def _reference(groups: list[tuple[list[str], str]], points: list[Fraction]) -> dict[str, Fraction]:
    """The points of an event by a way of its own: the players are seated one by one, and those level pool theirs."""
    owner = {name: student_id or name for name, (student_id, _) in STUDENTS.items()}
    seated: list[list[str]] = []
    out: list[str] = []
    for names, kind in groups:
        people = list(dict.fromkeys(owner.get(name, name) for name in names))
        if kind == "":
            seated.append([one for one in people if not any(one in level for level in seated)])
        elif kind == "out":
            out += people
    count = sum(map(len, seated))
    purse = iter([Fraction(count - at) for at in range(count)] if not points else [*points, *[Fraction(0)] * count])
    found = dict.fromkeys(out, Fraction(0))
    for level in seated:
        pool = [next(purse) for _ in level]
        found |= {one: sum(pool, Fraction(0)) / len(level) for one in level}
    return found


@given(events=_events(), best=st.integers(0, 5), points=st.sampled_from(["linear", "formula 1", (3, 1.5, 1)]))
def test_it_adds_up_as_counted_by_hand(
    events: list[list[tuple[list[str], str]]], best: int, points: str | tuple[float, ...]
) -> None:
    settings = SeasonSettings(points=points, best=best)
    found = table(settings, *(_as_event(number, one) for number, one in enumerate(events)), students=STUDENTS)
    named = {"linear": (), **POINTS}
    by_place = [Fraction(str(one)) for one in (named[points] if isinstance(points, str) else points)]
    of_events = [_reference(groups, by_place) for groups in events if groups]
    for row in found.rows:
        own = STUDENTS.get(row.player, ("", ""))[0] or row.player
        scores = [one[own] for one in of_events if own in one]
        most = max(sum(chosen, Fraction(0)) for chosen in combinations(scores, min(best or len(scores), len(scores))))
        assert row.points == most
        assert row.rank == 1 + sum(other.points > row.points for other in found.rows)
        assert row.missed == len(of_events) - len(scores)
        assert sum((one.points for one in row.scores if one and one.counts), Fraction(0)) == row.points
    people = {own for one in of_events for own in one} | {one or name for name, (one, _) in STUDENTS.items()}
    assert len(found.rows) == len(people)
