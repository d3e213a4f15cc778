"""An arena's clock, and its streaks."""

import pytest
from attrs import evolve

from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import (
    Begin,
    Cancel,
    EndByTime,
    Finish,
    NoShow,
    Pair,
    Pairing,
    Report,
    Timing,
    Tournament,
    Verdict,
)
from gameserver.tournaments.plan import Scoring
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import ArenaView, StreakView, arena_view, as_json, tournament_view
from tests.tournaments.playing import entered, started

MINUTE_MS = 60_000
ANN, BOB, CYD = "p01", "p02", "p03"


def arena(**changes: object) -> Tournament:
    return started(preset("arena", "Friday", "Reversi", duration_ms=10 * MINUTE_MS, **changes), 3)


def seen(tournament: Tournament, now_ms: int = 0) -> ArenaView:
    view = arena_view(tournament, now_ms)
    assert view is not None
    return view


def after(tournament: Tournament, first: str, second: str, verdict: Verdict | None) -> Tournament:
    """The tournament after one more game; without a verdict the second player did not come."""
    number = len(tournament.pairings) + 1
    tournament = apply(tournament, Pair((Pairing(number, 1, number, 1, number, (first, second), f"c{number}"),)))
    if verdict is None:
        return apply(tournament, NoShow(number, (second,)))
    return apply(apply(tournament, Begin(number, number)), Report(number, number, verdict))


def test_no_time_is_left_at_the_end_and_some_where_it_was_stopped() -> None:
    playing = apply(arena(), Pair((Pairing(1, 1, 1, 1, 1, (ANN, BOB), "c1"),)))
    playing = apply(playing, Begin(1, 1))
    assert seen(apply(playing, EndByTime(10 * MINUTE_MS)), 10 * MINUTE_MS).left_ms == 0
    assert seen(apply(playing, Finish(4 * MINUTE_MS, "Ms Reed")), 4 * MINUTE_MS).left_ms == 6 * MINUTE_MS
    assert seen(apply(playing, Cancel("Ms Reed", "x", 4 * MINUTE_MS)), 5 * MINUTE_MS).left_ms == 6 * MINUTE_MS


def test_a_streak_is_worth_the_points_of_its_wins() -> None:
    tournament = arena()
    tournament = after(tournament, ANN, BOB, Verdict.FIRST)
    assert seen(tournament).streaks == (), "one win is no streak"
    tournament = after(tournament, CYD, ANN, Verdict.SECOND)
    assert seen(tournament).streaks == (StreakView(ANN, 2, "2"),)
    for _ in range(3):
        tournament = after(tournament, BOB, CYD, Verdict.FIRST)
    assert seen(tournament).streaks == (StreakView(BOB, 3, "3"), StreakView(ANN, 2, "2")), "the longest first"
    generous = evolve(tournament, plan=tournament.plan.changed(scoring=Scoring(win=3, draw=1, bye=3, unit=2)))
    assert seen(generous).streaks[0] == StreakView(BOB, 3, "4.5")
    assert seen(generous).worth == ("1.5", "0.5", "0")


@pytest.mark.parametrize("verdict", [Verdict.DRAW, Verdict.SECOND, Verdict.BOTH_LOSE])
def test_any_other_result_ends_a_streak(verdict: Verdict) -> None:
    tournament = arena()
    for _ in range(3):
        tournament = after(tournament, ANN, BOB, Verdict.FIRST)
    tournament = after(tournament, ANN, CYD, verdict)
    assert ANN not in {one.player for one in seen(tournament).streaks}


def test_a_win_without_a_game_neither_counts_nor_ends_a_streak() -> None:
    tournament = arena(no_shows_max=5)
    for verdict in (Verdict.FIRST, None, Verdict.FIRST):
        tournament = after(tournament, ANN, BOB, verdict)
    assert seen(tournament).streaks == (StreakView(ANN, 2, "2"),)


def test_it_is_part_of_the_view_in_json() -> None:
    shown = as_json(tournament_view(arena(), timing=Timing(now_ms=MINUTE_MS)))["arena"]
    assert shown == {"ends_ms": 10 * MINUTE_MS, "left_ms": 9 * MINUTE_MS, "worth": ("1", "0.5", "0"), "streaks": ()}


def test_the_clock_counts_down_to_the_end() -> None:
    before = seen(entered(arena().plan, 3))
    assert (before.ends_ms, before.left_ms) == (None, 10 * MINUTE_MS)
    running = seen(arena(), 4 * MINUTE_MS)
    assert (running.ends_ms, running.left_ms) == (10 * MINUTE_MS, 6 * MINUTE_MS)
    late = seen(arena(), 11 * MINUTE_MS)
    assert late.left_ms == 0
