"""Plans and presets: what they hold, how they refuse what cannot be, and what the page about tournaments says."""

import tomllib
from pathlib import Path

import pytest

from gameserver.journal.codec import CONVERTER
from gameserver.policies import IllegalPolicy, LatePolicy
from gameserver.records.tournament_record import CONVERTER as RECORDS
from gameserver.time_control import TimeControl
from gameserver.tournaments.plan import Draw, Effect, Format, Plan, Scoring, TieBreak
from gameserver.tournaments.presets import PRESETS, fields_set, preset, read_setting, summary_of_fields
from tests.support.tables import table

PAGE = (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(encoding="utf-8")


def test_one_name_is_a_list_of_one_and_points_may_come_as_a_table():
    plan = preset("hanze", "a", "Reversi", champions="ann", tie_breaks="lot", scoring={"win": 3, "unit": 1})
    assert (plan.champions, plan.tie_breaks) == (("ann",), (TieBreak.LOT,))
    assert plan.scoring == Scoring(win=3, unit=1)


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_gives_each_game_its_own_dice_and_its_players_a_rest(name):
    plan = preset(name, "course", "Tavla")
    assert (plan.same_chance, plan.pause_ms) == (False, 2_000)
    asked_for = preset(name, "course", "Tavla", same_chance=True, pause_ms=0)
    assert (asked_for.same_chance, asked_for.pause_ms) == (True, 0)


def test_old_journaled_plan_keeps_its_meaning():
    plan = CONVERTER.structure({"name": "Cup", "game": "Tavla", "format": "round-robin"}, Plan)
    assert (plan.same_chance, plan.pause_ms) == (True, 0)


@pytest.mark.parametrize("converter", [CONVERTER, RECORDS])
@pytest.mark.parametrize(("late", "policy"), [("protocol", None), ("match", LatePolicy.MATCH)])
@pytest.mark.parametrize(("illegal", "cost"), [("protocol", None), ("refusal", IllegalPolicy.REFUSAL)])
def test_costs_are_words_in_journals_and_records(converter, late, policy, illegal, cost):
    """As they were when the plan had enums of its own for them."""
    plan = preset("swiss", "a", "Reversi", late=late, illegal=illegal)
    assert (plan.late, plan.illegal) == (policy, cost)
    assert plan == preset("swiss", "a", "Reversi", late=policy, illegal=cost)
    raw = converter.unstructure(plan)
    assert (raw["late"], raw["illegal"]) == (late, illegal)
    assert converter.structure(raw, Plan) == plan


def test_hanze_is_a_single_round_robin_with_ten_seconds_a_turn():
    plan = preset("hanze", "course", "Reversi")
    assert (plan.format, plan.cycles * plan.games, plan.clock) == (Format.ROUND_ROBIN, 1, TimeControl(10_000))


@pytest.mark.parametrize("name", PRESETS)
def test_the_fields_that_a_preset_sets_are_all_that_it_sets(name):
    """Each as `--set` takes it: typed upon the bare format, they give the preset's plan."""
    settings = [read_setting(f"{key}={text}") for key, text in fields_set(name).items()]
    assert Plan("a", "Reversi", **dict(settings)) == preset(name, "a", "Reversi")
    assert len(settings) == len(fields_set(name))
    assert not {"rounds", "late", "stand_in"} & fields_set(name).keys(), "these have their defaults"


def test_a_presets_fields_in_a_line():
    assert "clock=turn 10s" in summary_of_fields("hanze")
    assert "clock" not in summary_of_fields("league")
    assert summary_of_fields("arena") == (
        "format=arena, duration_ms=3600000, draw=rating, tie_breaks, same_chance=false, pause_ms=2000"
    )


@pytest.mark.parametrize(
    ("which", "changes", "words"), table(__file__, "presets, changes of them, and why there is no such plan")
)
def test_invalid_plans_are_refused_with_a_sentence(which, changes, words):
    with pytest.raises(ValueError, match=words):
        preset(which, **{"name": "a", "game": "Reversi"} | tomllib.loads(changes))


def test_settings_may_come_as_text():
    plan = preset("swiss", "a", "Reversi", draw="entry", tie_breaks=["wins", "lot"], disqualification="reverse")
    assert plan.draw is Draw.ENTRY
    assert plan.tie_breaks == (TieBreak.WINS, TieBreak.LOT)
    assert plan.disqualification is Effect.REVERSE


def test_page_has_the_fields_of_every_preset() -> None:
    for which in PRESETS:
        fields = ", ".join(f"`{name}={text}`" for name, text in fields_set(which).items())
        assert f"| `{which}` | {fields} |" in PAGE
