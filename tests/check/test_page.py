"""docs/check.md says what the code does."""

import json
import re
from pathlib import Path

import pytest

from gameserver.check.report import Level, ScenarioOutcome
from gameserver.check.reports import json_report
from gameserver.check.scenario import KEYS, MANY, read
from gameserver.check.steps import UNITS_S, Aim, Event
from tests.check.reports import samples

PAGE = (Path(__file__).parents[2] / "docs" / "check.md").read_text("utf-8")


@pytest.mark.parametrize("word", [*KEYS, *MANY, *map(str, Level), *map(str, ScenarioOutcome)])
def test_every_key_level_and_outcome_is_explained(word: str) -> None:
    assert re.search(rf"\b{word}\b", PAGE)


@pytest.mark.parametrize("word", [each.value for kind in (Aim, Event) for each in kind])
def test_every_aim_and_event_is_named(word: str) -> None:
    assert f"`{word}`" in PAGE.replace("\n", " ")


@pytest.mark.parametrize("unit", UNITS_S)
def test_every_unit_of_time_is_shown(unit: str) -> None:
    assert re.search(rf"`\d+ {unit}`", PAGE)


def test_every_field_of_the_json_report_is_described() -> None:
    told = json.loads(json_report(samples.report_of(samples.FAILED)))
    (scenario,) = told["scenarios"]
    names = [*told, *scenario, *scenario["findings"][0], *scenario["wire"][0]]
    assert [name for name in names if f"`{name}`" not in PAGE] == []


def test_scenario_of_the_page_is_one() -> None:
    (text,) = re.findall(r"```\n(title: .*?)```", PAGE, re.DOTALL)
    scenario = read(text, "page", "page")
    assert len(scenario.steps) == 6
    assert scenario.level is Level.REQUIRED
