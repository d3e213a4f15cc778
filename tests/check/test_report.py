"""The values of a report: who is ready, and who is not."""

import pytest

from gameserver.check.report import Level, ScenarioOutcome, ScenarioResult
from tests.check.reports.samples import report_of as report


def result(name: str, level: Level, outcome: ScenarioOutcome) -> ScenarioResult:
    return ScenarioResult(name=name, title=name, level=level, outcome=outcome, took_ms=10)


PASSED = result("split", Level.REQUIRED, ScenarioOutcome.PASSED)


@pytest.mark.parametrize("outcome", [ScenarioOutcome.FAILED, ScenarioOutcome.NOT_REACHED, ScenarioOutcome.NOT_PLAYABLE])
@pytest.mark.parametrize("level", list(Level))
def test_only_required_scenarios_keep_a_client_from_being_ready(level: Level, outcome: ScenarioOutcome) -> None:
    """And none of those that its own play can prevent."""
    other = result("other", level, outcome)
    checked = report(PASSED, other)
    blocks = level is Level.REQUIRED and outcome is not ScenarioOutcome.NOT_PLAYABLE
    assert checked.is_ready is not blocks
    assert checked.blocking == ((other,) if blocks else ())


def test_check_without_scenarios_shows_nothing() -> None:
    assert report(PASSED).is_ready
    assert not report().is_ready


def test_results_are_sorted_by_outcome_and_level() -> None:
    failed = result("fails", Level.ADVISED, ScenarioOutcome.FAILED)
    missed = result("never", Level.CURIOUS, ScenarioOutcome.NOT_REACHED)
    checked = report(PASSED, failed, missed)
    counted = (ScenarioOutcome.PASSED, ScenarioOutcome.FAILED, ScenarioOutcome.NOT_REACHED)
    assert tuple(map(checked.with_outcome, counted)) == ((PASSED,), (failed,), (missed,))
    assert [checked.of_level(level) for level in Level] == [(PASSED,), (failed,), (missed,)]
    assert checked.took_ms == 30
