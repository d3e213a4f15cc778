"""The faults of `faulty_examples` are found by the scenarios that were made for them."""

import sys
from pathlib import Path

import pytest

from gameserver.check.report import ScenarioOutcome
from tests.check import test_scenarios_with_examples as examples

FAULTS = {
    "MovesOnStarted": ("connect-four", "plays_second"),
    "GivesUpAfterStart": ("connect-four", "opponent_starts_late"),
    "WaitsWhereTheRoomIsFull": ("connect-four", "room_is_full"),
    "PassesOverAnUnaskedLobby": ("connect-four", "lobby_after_180_s"),
    "CountsTheWinningMove": ("connect-four", "opponent_leaves"),
    "PlaysOneColumn": ("connect-four", "plays_first"),
    "ExpectsAnAnswerFirst": ("mastermind", "game_played"),
    "ExpectsToWin": ("mastermind", "last_try_is_wrong"),
    "GuessesAgainAfterASecond": ("mastermind", "late_answer"),
    "ActsInItsOwnTurn": ("gammonx", "double_offered"),
    "LeavesWithItsOpponent": ("gammonx", "opponent_drops"),
    "WaitsForNobody": ("gammonx", "waits_for_an_opponent"),
    "IsReadyIfItHasAsked": ("web", "match_called_by_a_tournament"),
    "DiesOnChat": ("web", "chat_in_a_match"),
    "KnowsTwoResults": ("web", "draw"),
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
