"""Each fault that real clients had is found by the scenario made for it, and by few others.

`faulty_clients` differ from `correct_client` in a single fault each.
`python -m tests.check.fault_matrix` shows what each of them does in every scenario.
"""

import ast

import pytest

from gameserver.values import value
from tests.check.fault_matrix import CLIENTS, not_passed, play
from tests.support.tables import table

CORRECT = "correct_client"
TIC_TAC_TOE, REVERSI = "Tic-tac-toe", "Reversi"


@value
class Mistake:
    scenario: str
    """The scenario that was made for it."""
    others: int
    """The number of other scenarios that found it, too, of about fifty, when this table was made."""
    game: str


FAULTS = {
    fault: Mistake(scenario, int(others), game)
    for fault, scenario, others, game in table(
        __file__, "each fault, its scenario, how many others found it, and the game"
    )
}
LEEWAY = 2
"""Scenarios that may find a fault by chance: whoever has lost track of the board is caught by an unlucky move."""
QUICK = ("dies_on_an_unknown_line", "dies_on_chat", "fixed_key_positions", "takes_ok_for_its_move")
"""Those for every run: a fault that leads to a hang takes the ten seconds of a turn to be found."""


def test_every_fault_is_the_only_difference_and_a_small_one() -> None:
    """A subclass of the correct client, which says what it does wrong."""
    classes = [node for node in ast.parse(CLIENTS.read_text("utf-8")).body if isinstance(node, ast.ClassDef)]
    assert [client.name for client in classes] == [fault.title().replace("_", "") for fault in FAULTS]
    for client in classes:
        assert [ast.unparse(base) for base in client.bases] == ["CorrectClient"]
        assert ast.get_docstring(client)
        lines = sum(len(ast.unparse(node).splitlines()) for node in client.body)
        assert lines <= 23, f"{client.name}: a planted fault is a few lines"


@pytest.mark.parametrize("fault", QUICK)
def test_fault_is_found_by_the_scenario_made_for_it(fault: str) -> None:
    row = FAULTS[fault]
    assert not_passed(play(fault, row.game, [row.scenario])) == [row.scenario]


def test_correct_client_passes_what_finds_these_faults() -> None:
    assert not_passed(play(CORRECT, TIC_TAC_TOE, [FAULTS[fault].scenario for fault in QUICK])) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", [TIC_TAC_TOE, REVERSI])
def test_correct_client_passes_every_scenario(game: str) -> None:
    assert not_passed(play(CORRECT, game)) == []


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found_by_its_scenario_and_few_others(fault: str) -> None:
    row = FAULTS[fault]
    found = not_passed(play(fault, row.game))
    assert row.scenario in found
    assert len(found) - 1 <= row.others + LEEWAY, found
