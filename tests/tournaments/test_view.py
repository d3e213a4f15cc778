"""A tournament as everybody may see it: what is left, an arena's clock and streaks, games that share dice."""

from typing import Any

import attrs
import orjson
import pytest
from attrs import evolve

from gameserver.core.lobby import TournamentRow
from gameserver.exports.tournament_report import EXPORTS, view_of
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.files import FileOptions
from gameserver.tournaments.model import (
    Begin,
    Cancel,
    Disqualify,
    EndByTime,
    Finish,
    NoShow,
    Pair,
    Pairing,
    Pause,
    RegisterEntrant,
    Report,
    StartTournament,
    Timing,
    Tournament,
    TournamentPhase,
    Verdict,
    VoidPairing,
    WithdrawEntrant,
)
from gameserver.tournaments.plan import Format, Plan, Scoring
from gameserver.tournaments.planner import Planner
from gameserver.tournaments.presets import PRESETS, preset
from gameserver.tournaments.progress import left_ms, progress
from gameserver.tournaments.stages import parts
from gameserver.tournaments.view import WARNING, ArenaView, StreakView, arena_view, as_json, tournament_view
from tests.tournaments.playing import SEED, SHORT, World, announced, decided, entered, finished, started

MINUTE_MS = 60_000
ANN, BOB, CYD = "p01", "p02", "p03"


def plan_of(which: str):
    """A preset's plan; an arena of a few moments."""
    return preset(which, "Cup", "Reversi", **SHORT.get(which, {}))


def half_way(which: str, players: int = 6):
    """A tournament of which some games are done and some are being played."""
    world = World(started(plan_of(which), players), 3)
    for _ in range(2):
        world.tick()
    pairs = Planner().next_pairings(world.tournament, world.free, world.now_ms)
    if pairs is not None:
        world.do(pairs)
    announced = [one for one in world.tournament.pairings if one.is_open and one.match is None]
    for pairing in announced[:1]:
        world.do(Begin(pairing.number, 77))
    return world.tournament


@pytest.mark.parametrize("which", PRESETS)
def test_the_view_has_everything_in_terms_of_json(which: str) -> None:
    for tournament in (entered(plan_of(which), 5), half_way(which), finished(plan_of(which), 6)):
        view = tournament_view(tournament, number=3)
        back = orjson.loads(orjson.dumps(as_json(view)))
        assert back["number"] == 3
        table = {"swiss": "round_table", "swiss-cut": "round_table", "teams": "round_table", "arena": "opponents"}.get(
            which, "crosstable"
        )
        assert len(back["standings"]) == back["players"]
        groups = [group for stage in back["stages"][:1] for group in stage["groups"]] or [back]
        for group in groups:
            assert len(group["standings"]) == len(group[table])
            assert [name for name in ("crosstable", "round_table", "opponents") if group[name]] == [table]
        assert sum(len(group["standings"]) for group in groups) == back["players"]
        assert len(back["pairings"]) == len(tournament.pairings)
        assert bool(back["bracket"]) == (
            parts(tournament)[0].state.plan.is_bracket and tournament.phase is not TournamentPhase.GATHERING
        )
        assert tournament.seed not in orjson.dumps(back).decode()
        assert "both|" not in orjson.dumps(back).decode(), "nobody can foretell the dice"


def test_a_live_pairing_names_its_match() -> None:
    tournament = half_way("hanze")
    view = tournament_view(tournament)
    assert 77 in [pairing.match for pairing in view.live]
    (live,) = [pairing for pairing in view.live if pairing.match == 77]
    rows = {row.name: row for row in view.standings}
    assert rows[live.first].playing == rows[live.second].playing == live.number


@pytest.mark.parametrize(
    ("which", "changes", "is_shown"),
    [
        ("hanze", {}, True),
        ("swiss", {}, True),
        ("hanze", {"format": Format.GAUNTLET}, True),
        ("cup", {}, False),
        ("arena", {}, False),
    ],
)
def test_intervals_of_strength_are_shown_where_they_are_not_misread(
    which: str, changes: dict[str, Any], is_shown: bool
) -> None:
    world = World(started(preset(which, "Cup", "Reversi", **changes), 8), 3)
    for _ in range(3):
        world.tick()
    shown = view_of(TournamentRow(1, world.tournament)).standings
    assert [row.best is not None and row.worst is not None for row in shown] == [is_shown] * 8
    over = attrs.evolve(world.tournament, phase=TournamentPhase.OVER)
    assert {(row.best, row.worst, row.group) for row in view_of(TournamentRow(1, over)).standings} == {(None, None, 0)}


def test_unranked_player_has_no_interval() -> None:
    world = World(started(preset("hanze", "Cup", "Reversi"), 4), 3)
    world.tick()
    tournament = apply(world.tournament, Disqualify("p01", "teacher", "cheats"))
    (out,) = [row for row in view_of(TournamentRow(1, tournament)).standings if row.name == "p01"]
    assert (out.rank, out.best, out.worst, out.group, out.note) == (None, None, None, 0, "disqualified")


@pytest.mark.parametrize("plan_format", [one for one in Format if one is not Format.ARENA])
def test_done_and_left_add_up_to_the_total(plan_format: Format) -> None:
    changes = {"format": plan_format, "games": 1, "withdrawal": "keep", "disqualification": "keep"}
    plan = preset("hanze", "Cup", "Reversi", **changes)
    world = World(started(plan, 8), 5)
    before = progress(world.tournament)
    assert (before.done, before.playing) == (0, 0)
    whole = before.left
    for _ in range(30):
        if world.tournament.phase is TournamentPhase.OVER:
            break
        world.tick()
        now = progress(world.tournament)
        assert now.left is not None
        if plan_format in (Format.ROUND_ROBIN, Format.GAUNTLET, Format.SWISS):
            assert now.done + now.playing + now.left == whole
    world.run()
    assert progress(world.tournament).left == 0
    assert progress(world.tournament).share == 1.0


def test_the_end_is_told_by_the_pace_so_far() -> None:
    tournament = apply(entered(preset("hanze", "Cup", "Reversi", pause_ms=0), 4), StartTournament(0))
    assert left_ms(tournament, Timing(5_000, 5_000)) is None, "nobody knows before the first result"
    tournament = announced(tournament)
    for pairing in tournament.pairings:
        tournament = decided(tournament, pairing.number)
    took_ms = {1: 60_000, 2: 30_000}
    assert left_ms(tournament, Timing(60_000, 60_000, took_ms)) == 120_000, "two of six took a minute"
    assert left_ms(apply(tournament, Pause(60_000)), Timing(60_000, 60_000)) is None


def test_an_arena_ends_by_the_clock() -> None:
    tournament = started(preset("arena", "Arena", "Reversi", duration_ms=60_000), 4)
    assert left_ms(tournament, Timing(0, 10_000)) == 50_000
    assert progress(tournament).left is None


@pytest.mark.parametrize("kind", EXPORTS)
@pytest.mark.parametrize("which", PRESETS)
def test_every_file_can_be_made_at_any_time(kind: str, which: str) -> None:
    plan = plan_of(which)
    for tournament in (entered(plan, 3), half_way(which), finished(plan, 5)):
        assert EXPORTS[kind].make(TournamentRow(1, tournament), 0, FileOptions())


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
    return decided(tournament, number, verdict)


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
    generous = evolve(tournament, plan=evolve(tournament.plan, scoring=Scoring(win=3, draw=1, bye=3, unit=2)))
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


def of_house(plan: Plan, *people: str) -> Tournament:
    tournament = Tournament(plan, SEED)
    for name in ("house-random", "house-greedy"):
        tournament = apply(tournament, RegisterEntrant(name, house=True))
    for name in people:
        tournament = apply(tournament, RegisterEntrant(name))
    return tournament


def warnings(tournament: Tournament) -> tuple[str, ...]:
    return tournament_view(tournament).warnings


@pytest.mark.parametrize("which", ["league", "swiss"])
def test_the_view_tells_which_games_had_the_same_dice(which):
    shared = finished(preset(which, "Cup", "Tavla", same_chance=True), 4)
    assert {(one.same_dice, one.side_by_side) for one in tournament_view(shared).pairings} == {(True, False)}
    assert warnings(shared) == (WARNING,)
    own = finished(preset(which, "Cup", "Tavla"), 4)
    assert {one.same_dice for one in tournament_view(own).pairings} == {False}
    assert warnings(own) == ()


def test_a_replay_began_after_its_counterpart():
    tournament = apply(of_house(preset("league", "Cup", "Tavla", same_chance=True)), StartTournament(0))
    tournament = announced(tournament)
    for number in (1, 2):
        tournament = apply(tournament, Begin(number, number, side_by_side=True))
    assert [one.side_by_side for one in tournament_view(tournament).pairings] == [True, True]
    tournament = apply(tournament, VoidPairing(2, why="a fault of ours"))
    tournament = apply(tournament, Report(1, 1, Verdict.FIRST))
    tournament = announced(tournament)
    tournament = apply(tournament, Begin(3, 3))
    shown = [(one.status, one.same_dice, one.side_by_side) for one in tournament_view(tournament).pairings]
    assert shown == [("done", True, False), ("void", False, False), ("playing", True, False)]


def test_nobody_is_warned_where_only_house_players_take_part():
    plan = preset("league", "Cup", "Tavla", same_chance=True)
    assert warnings(of_house(plan)) == (WARNING,), "until it has begun others may come"
    assert warnings(apply(of_house(plan), StartTournament(0))) == ()
    assert warnings(apply(of_house(plan, "ann"), StartTournament(0))) == (WARNING,)
    rounds = preset("swiss", "Cup", "Tavla", same_chance=True)
    assert warnings(apply(of_house(rounds), StartTournament(0))) == (WARNING,), (
        "a Swiss plays its games one after the other"
    )


def test_walkover_names_the_player_who_was_out_and_not_the_one_who_left_later():
    world = World(started(Plan("cup", "Reversi", Format.KNOCKOUT, draw="entry"), 4))
    world.do(Planner().next_pairings(world.tournament, world.free, 0))
    for name in ("p04", "p01"):
        world.do(WithdrawEntrant(name))
    (walkover,) = (one for one in tournament_view(world.tournament).pairings if one.first == "p01")
    assert walkover.reason == "p04 withdrawn"
