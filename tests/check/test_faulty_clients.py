"""Each fault that real clients had is found by the scenario made for it, and by few others.

The faults are in `faulty_clients.txt`. `python -m tests.check.fault_matrix` shows what each does in every scenario.
"""

import sys
from pathlib import Path

import pytest

from gameserver.check.report import ScenarioOutcome
from tests.check import test_scenarios_with_examples as examples
from tests.check.fault_matrix import CLIENTS, not_passed, play
from tests.check.faulty_clients import FAULTS, edited

OF_TEXT = [fault for fault, row in FAULTS.items() if row[2] == "random_bot"]
LEEWAY = 2
"""Scenarios that may find a fault by chance: whoever has lost track of the board is caught by an unlucky move."""
QUICK = ("dies_on_an_unknown_line", "dies_on_chat", "fixed_key_positions", "takes_ok_for_its_move")
"""Those for every run: a fault that leads to a hang takes the ten seconds of a turn to be found."""
QUICK_OF_OTHERS = (*("counts_the_winning_move", "expects_to_win", "leaves_with_its_opponent", "dies_on_what_is_said"),)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_a_small_edit(fault: str) -> None:
    path, source = edited(fault)
    compile(source, path, "exec")
    assert FAULTS[fault][7].count("\n+") <= 12, "a planted fault is a few lines"


@pytest.mark.parametrize("fault", QUICK)
def test_fault_is_found_by_the_scenario_made_for_it(fault: str) -> None:
    scenario, game = FAULTS[fault].group(3, 5)
    assert not_passed(play(fault, game, [scenario])) == [scenario]


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=() if fault in QUICK_OF_OTHERS else pytest.mark.slow)
        for fault in FAULTS
        if fault not in OF_TEXT
    ],
)
def test_fault_of_another_protocol_is_found_by_the_scenario_made_for_it(tmp_path: Path, fault: str) -> None:
    client, scenario = FAULTS[fault].group(2, 3)
    protocol = next(name for name, row in examples.CLIENTS.items() if row[0] == f"{client}.py")
    program = [sys.executable, str(CLIENTS), fault]
    played = examples.result(tmp_path, protocol, examples.GAMES[protocol][0], scenario, program)
    assert played.outcome is ScenarioOutcome.FAILED


@pytest.mark.slow
@pytest.mark.parametrize("fault", OF_TEXT)
def test_fault_is_found_by_its_scenario_and_few_others(fault: str) -> None:
    scenario, others, game = FAULTS[fault].group(3, 4, 5)
    found = not_passed(play(fault, game))
    assert scenario in found
    assert len(found) - 1 <= int(others) + LEEWAY, found
