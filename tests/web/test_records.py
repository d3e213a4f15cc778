"""A player's page: the rating's course, scores by seat and by opponent, tournaments with places."""

import re
from xml.etree import ElementTree as ET

import pytest
from attrs import evolve

from gameserver.core.commands import HousePlayer
from gameserver.ratings.rating import INTERVAL_DEVIATIONS
from gameserver.read_model.read_model import LobbyView
from gameserver.records import house_strengths
from gameserver.records.house_strengths import Encounter
from gameserver.records.match_record import RatingRecord, SeatRecord, SeatResult
from gameserver.records.player_stats import Career, MoveTimes, RatingPoint, ResultTally, Score, ScoreAgainst, SeatScore
from gameserver.records.reader import MatchHead, RecordedTournament
from gameserver.tournaments.podium import Place
from gameserver.web.records import OPPONENTS_SHOWN, player_page, rating_graph
from gameserver.web.tournament_list import ListedTournament
from tests.web.played_boards import NAMES
from tests.web.support import check_html

NAME = "W" * 64
AT = "2026-11-23T09:05:00.000+00:00"


def point(number: int, rating: float, deviation: float) -> RatingPoint:
    return RatingPoint("Reversi", number, number, AT, rating, deviation)


COURSE = [point(number, 1500 + 40 * (number % 5), 400 / number) for number in range(1, 40)]


def career() -> Career:
    score = Score(won=1122, drawn=162, lost=434, void=1)
    seats = tuple(SeatScore(game, seat, score) for game in ("Reversi", "Tavli") for seat in (0, 1))
    names = [*NAMES, *(f"player-{at}" for at in range(OPPONENTS_SHOWN))]
    opponents = [ScoreAgainst(game, name, 1, score) for game in ("Reversi", "Tavli") for name in names]
    return Career(
        tallies=(
            ResultTally("Reversi", SeatResult.LOSS, "illegal move", 434),
            ResultTally("Tavli", SeatResult.LOSS, "played", 434),
        ),
        ratings=(RatingRecord("Reversi", NAME, 1560.0, 50.0, 39),),
        moves=5000,
        think=MoveTimes(1200, 45_000, 61_000),
        lag=MoveTimes(1, 2, 3),
        seats=seats,
        opponents=(*opponents, ScoreAgainst("Tavli", None, 12, score)),
        history=tuple(COURSE),
    )


def listed(number: int, name: str, phase: str, *places: Place) -> ListedTournament:
    of_it = {"format": "double-elimination", "phase": phase, "game": "3D Connect Four", "name": name, "number": number}
    counts = {"players": 24, "done": 41, "playing": 12, "left": 88, "round": 1, "rounds": 0, "held": 0, "least_done": 3}
    counts["games"] = 3
    times = {"created_at": AT, "started_at": AT, "ended_at": None, "eta_ms": None}
    return ListedTournament(RecordedTournament(**of_it, **counts, **times, has_rounds=False, stages_text=""), places)


TOURNAMENTS = [
    listed(3, "Reversi cup 2026", "running"),
    listed(2, "M" * 64, "over", Place(NAMES[1], 1, "9"), Place(NAME, 2, "8½"), Place(NAMES[2], 2, "8½")),
    listed(1, NAMES[2], "over", *(Place(name, 1, "2") for name in (*NAMES, NAME))),
]


def page() -> str:
    seats = (
        SeatRecord(0, NAME, "strategic", 0, SeatResult.LOSS),
        SeatRecord(1, NAMES[1], "strategic", 3, SeatResult.WIN),
    )
    head = MatchHead(7, "3D Connect Four", AT, AT, "illegal move", "", "the cell is taken", seats, is_ladder=False)
    return player_page(NAME, LobbyView(0, 0), career(), (head,) * 3, (), TOURNAMENTS, has_log=True)


def test_the_page_has_the_figures_of_each_game() -> None:
    text = page()
    check_html(text)
    assert text.count('<svg class="rating-graph"') == 1, "only one game has a rating"
    assert "rating 1560&nbsp;±&nbsp;98" in text
    assert text.count("<summary>All other opponents</summary>") == 2
    assert "12 more" in text
    assert '<b class="place podium">shared 2nd</b> of 3, 8½ points' in text
    assert "running, 41 of 141 games played" in text


def test_a_house_players_page_has_its_strength_with_error_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = (
        Encounter("Reversi", "master", "club", 170, 10, 20, "2026-11-01"),
        Encounter("Tic-tac-toe", "club", "master", 0, 30, 10, "2026-11-02"),
        Encounter("Reversi", "club", "novice", 200, 0, 0, "2026-11-02"),
        Encounter("Backgammon", "master", "gnubg 0-ply", 90, 0, 110, "2026-11-02", is_outside=True),
        Encounter("Chess", "master", "club", 30, 0, 0, "2026-11-02"),
    )
    monkeypatch.setattr(house_strengths, "read_encounters", lambda: measured)
    house_strengths.encounters_of.cache_clear()
    view = LobbyView(0, 0, house=(HousePlayer("house-master", ("Backgammon", "Reversi", "Tic-tac-toe")),))
    try:
        text = player_page("house-master", view, Career((), (), 0), ())
        assert "Strength" not in player_page("master", view, Career((), (), 0), ()), "a person of that name is no level"
    finally:
        house_strengths.encounters_of.cache_clear()
    check_html(text)
    rows = [re.sub(r"<[^>]*>|&nbsp;", " ", row).split() for row in re.findall(r"<tr><th.*?</tr>", text, re.DOTALL)][1:]
    assert "/players?name=house-gnubg" not in text, "programs from outside have no page"
    assert [" ".join(row) for row in rows] == [
        "Backgammon gnubg 0-ply 45.0 % of 200 \N{MINUS SIGN}35 ± 48",
        "Reversi house-club 87.5 % of 200 +335 ± 68",
        "Tic-tac-toe house-club 62.5 % of 40 (few) +86 ± 52",
    ]


def test_events_stand_in_the_graph_where_they_began() -> None:
    course = [evolve(one, ended_at=f"2026-11-{(one.number + 1) // 2:02}T09:05") for one in COURSE]
    began = ["2026-11-01T09:00", "2026-11-10T09:00", "2026-11-10T12:00", "2026-11-30T09:00"]
    drawing = ET.fromstring(str(rating_graph(course, began)))
    places = [float(one.attrib["x1"]) for one in drawing.findall("line[@class='event']")]
    ends = {float(place.split(",")[0]) for place in drawing.findall("svg/polyline")[0].attrib["points"].split()}
    assert places == sorted(places)
    assert set(places) <= ends
    assert places[1] > places[0] == min(ends)
    assert places[3] == max(ends)
    labels = drawing.findall("text[@class='middle']")
    assert [one.text for one in labels] == [
        "1",
        "2\N{EN DASH}3",
        "4",
        "rated matches",
    ]


def test_only_events_of_the_game_during_the_course_are_named() -> None:
    history = tuple(evolve(one, ended_at=f"2026-11-{(one.number + 9) // 2:02}T09:05") for one in COURSE)
    days = {"late": "2026-11-30T09:05", "second": "2026-11-20", "first": "2026-11-02", "before": "2026-11-01"}
    events = [listed(number, name, "over") for number, name in enumerate(days, 1)]
    ended = {"first": "2026-11-09", "before": "2026-11-02"}
    found = [
        evolve(one, tournament=evolve(one.tournament, game="Reversi", started_at=day, ended_at=ended.get(name)))
        for one, (name, day) in zip(events, days.items(), strict=True)
    ]
    text = player_page(NAME, LobbyView(0, 0), evolve(career(), history=history), (), (), [*found, *TOURNAMENTS])
    check_html(text)
    caption = text.partition("Dashed lines")[2].partition("</figcaption>")[0]
    assert re.findall(r">([^<]+)</a>", caption) == ["first", "second"]


def test_the_graph_has_a_line_within_its_range() -> None:
    drawing = ET.fromstring(str(rating_graph(COURSE)))
    inner = drawing.find("svg")
    assert inner is not None
    around, line = (
        [tuple(map(float, place.split(","))) for place in inner[at].attrib["points"].split()] for at in (0, 1)
    )
    assert len(line) == len(COURSE) == len(around) / 2
    upper, lower = around[: len(COURSE)], around[: len(COURSE) - 1 : -1]
    assert all(high[1] < on[1] < low[1] for high, on, low in zip(upper, line, lower, strict=True))
    assert [at for at, _ in line] == sorted({at for at, _ in line}), "from the left to the right"
    per_point = (line[0][1] - line[1][1]) / (COURSE[1].rating - COURSE[0].rating)
    widths = [low[1] - high[1] for high, low in zip(upper, lower, strict=True)]
    wanted = [2 * INTERVAL_DEVIATIONS * one.deviation * per_point for one in COURSE]
    assert widths == pytest.approx(wanted, abs=0.3)
    top = float(inner.attrib["y"])
    assert all(top <= y <= top + float(inner.attrib["height"]) for _, y in line), "every rating has room"
    assert drawing.attrib["aria-label"].endswith(f"1660 ± {round(INTERVAL_DEVIATIONS * 400 / 39)} after 39 at last")


@pytest.mark.parametrize("ratings", [[1500.0, 1500.0], [1500.0, 1500.1], [900.0, 2900.0], [-40.0, 12_000.0]])
def test_any_course_can_be_drawn(ratings: list[float]) -> None:
    points = [point(number, rating, 0.01) for number, rating in enumerate(ratings, start=1)]
    levels = re.findall(r'class="level"', rating_graph(points))
    assert 2 <= len(levels) <= 6
    assert rating_graph(points[:1]) == rating_graph([]) == ""
