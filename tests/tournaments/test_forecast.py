"""A forecast follows the schedule of each format, the pace of its players, and those who do not come."""

import random
import re
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.forecast import Forecast, Habits, begun, forecast, until_ms
from gameserver.tournaments.model import Begin, Pair, Timing, Tournament, WithdrawEntrant
from gameserver.tournaments.planner import Planner
from gameserver.tournaments.presets import PRESETS, preset

NAMES = [f"player {number}" for number in range(1, 9)]
MATCH_MS = 10_000
PLAYED = tuple((one, other, MATCH_MS) for one in NAMES for other in NAMES if one < other) * 20
STEADY = Habits(MATCH_MS, PLAYED, dict.fromkeys(NAMES, 0.0), 60_000)


def foretold(which: str = "hanze", habits: Habits = STEADY, names: list[str] = NAMES, **changes: Any) -> Forecast:
    plan = preset(which, "Cup", "Reversi", **{"pause_ms": 0} | changes)
    return forecast(begun(plan, names), Timing(), habits, random.Random(1).random)


@pytest.mark.parametrize(
    ("which", "changes", "matches", "in_a_row"),
    [
        ("hanze", {}, 28, 7),
        ("hanze", {"pacing": "rounds"}, 28, 7),
        ("hanze", {"matches_at_once_max": 1}, 28, 28),
        ("hanze", {"pause_ms": MATCH_MS}, 28, 13),
        ("league", {}, 56, 14),
        ("swiss", {}, 32, 8),
        ("cup", {"games": 1, "extra_games_max": 0}, 8, 3),
        ("groups", {"games": 1, "extra_games_max": 0, "stages": "groups of 4, best 2 -> knockout, 1 game"}, 16, 5),
    ],
)
def test_matches_of_one_length_end_with_the_schedule(which: str, changes: Any, matches: int, in_a_row: int) -> None:
    found = foretold(which, **changes)
    assert found.matches == matches
    assert found.likely_ms == pytest.approx(in_a_row * MATCH_MS, rel=0.15)
    assert found.low_ms < found.likely_ms < found.high_ms < found.low_ms * 1.8


@pytest.mark.parametrize(("drawn", "matches"), [(0, 8 * 2.5), (len(PLAYED), 8 * 7)])
def test_a_knockout_has_more_matches_at_a_game_that_is_often_drawn(drawn: int, matches: float) -> None:
    found = foretold("cup", evolve(STEADY, drawn=drawn))
    assert found.matches == pytest.approx(matches, rel=0.2)


def test_one_slow_player_makes_the_event_long() -> None:
    played = tuple((one, other, MATCH_MS * (5 if other == NAMES[-1] else 1)) for one, other, _ in PLAYED)
    slow = foretold(habits=evolve(STEADY, played=played))
    assert slow.likely_ms == pytest.approx(7 * 5 * MATCH_MS, rel=0.15)


def test_players_who_may_not_come_cost_their_waits() -> None:
    absent = foretold(habits=evolve(STEADY, absent={**STEADY.absent, NAMES[0]: 1.0}))
    assert absent.high_ms > foretold().high_ms + 60_000
    assert absent.worst_ms == foretold().worst_ms, "the worst is that everybody comes, and takes the clock's time"


def test_without_measured_times_the_interval_is_wide_and_without_a_limit_there_is_no_worst() -> None:
    found = foretold(habits=Habits(MATCH_MS))
    assert found.high_ms > 2 * found.low_ms
    assert found.worst_ms is None


def running(names: list[str]) -> Tournament:
    """A round robin whose first matches are being played."""
    state = begun(preset("hanze", "Cup", "Reversi", pause_ms=0), names)
    act = Planner().next_pairings(state, names, 0)
    assert isinstance(act, Pair)
    state = apply(state, act)
    for pairing in act.pairings:
        state = apply(state, Begin(pairing.number, pairing.number))
    return state


def test_a_tournament_that_runs_is_forecast_from_where_it_is() -> None:
    state, draw = running([*NAMES, "ida"]), random.Random(1).random
    left = apply(state, WithdrawEntrant(state.pairings[0].seats[0]))
    assert forecast(left, Timing(), STEADY, draw).matches == 8 * 7 // 2 + 1, "the match of one who left is played"
    half = Timing(MATCH_MS // 2, MATCH_MS // 2, open_ms=dict.fromkeys(range(1, 5), MATCH_MS // 2))
    assert forecast(running(NAMES), half, STEADY, draw).likely_ms == pytest.approx(6.5 * MATCH_MS, rel=0.15)
    (idle,) = {one.name for one in state.active} - {name for one in state.pairings for name in one.seats}
    long_gone = evolve(half, ran_ms=9_000_000, missing=frozenset({idle}))
    # The others play their matches, wait for the missing player two times, and then that one is out.
    likely_ms = forecast(state, long_gone, STEADY, draw).likely_ms
    assert likely_ms == pytest.approx(6.5 * MATCH_MS + 120_000, rel=0.1)


def test_a_match_that_lasts_longer_than_any_goes_on_for_a_while() -> None:
    found = forecast(running(NAMES[:2]), Timing(open_ms={1: 3 * MATCH_MS}), STEADY, random.Random(1).random)
    assert 0 < found.low_ms < found.high_ms < 3 * MATCH_MS


@given(
    st.sampled_from(sorted(PRESETS)), st.integers(2, 13), st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0]), st.data()
)
@settings(max_examples=40, deadline=None)
def test_every_course_comes_to_its_end(which: str, people: int, house: int, absent: float, data: st.DataObject) -> None:
    names = [*(f"p{number}" for number in range(people)), *(f"house-{number}" for number in range(house))]
    limit = {"matches_at_once_max": data.draw(st.integers(0, 2)), "games": data.draw(st.integers(1, 3))}
    limit |= {"team_boards": 1} if which == "teams" else {}
    plan = preset(which, "Cup", "Reversi", **limit)
    habits = Habits(MATCH_MS, absent=dict.fromkeys(names, absent), longest_ms=60_000)
    teams = {name: name[-1] for name in names} if plan.team_boards else {}
    found = forecast(begun(plan, names, names[people:], teams), Timing(), habits, random.Random(1).random)
    assert found.worst_ms is not None
    assert 0 <= found.low_ms <= found.likely_ms <= found.high_ms <= found.worst_ms
    assert found.matches > 0


@pytest.mark.parametrize(
    ("text", "now", "left_s"),
    [("15:45", (15, 44, 30), 30), (" 9.05 ", (8, 5, 0), 3_600), ("00:15", (23, 45, 0), 1_800)],
)
def test_a_time_of_day_is_read_as_the_time_from_now(text: str, now: tuple[int, int, int], left_s: int) -> None:
    assert until_ms(text, now) == left_s * 1000


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "no time of day"), ("25:00", "15:45"), ("quarter to", "15:45"), ("٣:٤٥", "15:45"), ("15:45", "has passed")],
)
def test_other_times_are_refused_in_a_sentence(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        until_ms(text, (15, 45, 0))
