"""The faults of `faulty_examples` are found by the scenarios that were made for them."""

import sys
from pathlib import Path

import pytest

from gameserver.check.report import ScenarioOutcome
from tests.check import test_scenarios_with_examples as examples
from tests.support.tables import table

FAULTS = {
    fault: (protocol, scenario)
    for fault, protocol, scenario in table(__file__, "faults, and the scenarios made for them")
}
QUICK = ("CountsTheWinningMove", "ExpectsToWin", "LeavesWithItsOpponent", "DiesOnChat")


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if fault in QUICK else pytest.mark.slow) for fault in FAULTS]
)
def test_fault_is_found_by_the_scenario_made_for_it(tmp_path: Path, fault: str) -> None:
    protocol, scenario = FAULTS[fault]
    program = [sys.executable, str(Path(__file__).with_name("faulty_examples.py")), fault]
    played = examples.result(tmp_path, protocol, examples.GAMES[protocol][0], scenario, program)
    assert played.outcome is ScenarioOutcome.FAILED
