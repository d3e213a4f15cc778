"""Clients that do on the wire what those of the originals do: nothing that was right there is held against them here.

`original_clients` has them. BarryClient leaves no room after a game, with the original neither, so it plays one alone.
"""

import sys
from pathlib import Path

import pytest

from gameserver import plugins
from gameserver.check.checker import Terms, play, prepared, wanted
from gameserver.check.report import Failure, Level, ScenarioOutcome, ScenarioResult
from gameserver.check.scenario import of_package
from gameserver.values import value
from tests.check.fault_matrix import OPTIONS

PLUGINS = plugins.load(installed=False)
CLIENTS = Path(__file__).parent / "original_clients"


@value
class Original:
    """A client, what it speaks and plays, and the required scenarios that find what is really wrong with it."""

    protocol: str
    game: str
    command: str
    faults: frozenset[str] = frozenset()


BARRYS_FAULTS = {
    "five_games_in_a_row",
    "opponent_drops",
    "opponent_leaves",
    "other_leaves_after_the_game",
    "restart_by_the_other",
    "lobby_after_180_s",  # sends `start` for ever, though it is in the lobby
    "room_is_full",  # waits for another message for ever
}
ORIGINALS = {
    "barry": Original(
        "connect-four", "Connect-four-3D", "barry_client.py {host} {port} {name}", frozenset(BARRYS_FAULTS)
    ),
    "simple, restarts": Original("connect-four", "Connect-four-3D", "simple_client.py {host} {port} {name} restart"),
    "simple, exits": Original("connect-four", "Connect-four-3D", "simple_client.py {host} {port} {name} exit_game"),
    "text, Tic-tac-toe": Original("strategic", "Tic-tac-toe", f"text_client.py {OPTIONS}"),
    "text, Reversi": Original("strategic", "Reversi", f"text_client.py {OPTIONS}"),
    "gammonx": Original("gammonx", "Backgammon", "gammonx_client.py http://{host}:{port}"),
}


def required(original: Original) -> list[str]:
    scenarios = of_package(PLUGINS.protocols[original.protocol].scenarios).scenarios
    found = [scenario.name for scenario in wanted(scenarios, original.game, Level.REQUIRED, ())]
    return [name for name in found if name not in original.faults]


@pytest.mark.parametrize(
    ("client", "scenario"),
    [
        ("barry", "opponent_starts_late"),  # pauses before `start`
        ("simple, exits", "restart_by_the_other"),  # leaves the room in which it is waited for
        ("text, Tic-tac-toe", "waits_for_its_turn"),  # is refused a `get` meanwhile
        ("gammonx", "waits_for_an_opponent"),  # polls meanwhile, and leaves the hub at the end
        *(
            pytest.param(client, scenario, marks=pytest.mark.slow)
            for client, original in ORIGINALS.items()
            for scenario in required(original)
        ),
    ],
)
def test_client_passes_what_is_required(tmp_path: Path, client: str, scenario: str) -> None:
    result = played(tmp_path, client, scenario)
    assert result.outcome in {ScenarioOutcome.PASSED, ScenarioOutcome.NOT_PLAYABLE}, result.findings


def test_client_that_stays_in_its_room_after_a_game_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameserver.check.match_acts._BEGIN_S", 1.0)
    result = played(tmp_path, "barry", "restart_by_the_other")
    assert (result.outcome, result.failure) == (ScenarioOutcome.FAILED, Failure.IDLE)
    assert result.findings[0].what == (
        "After the game opponent asked for another one in the same room. Within 1 s the client neither asked for one, "
        "too, nor left the room."
    )


def played(tmp_path: Path, client: str, scenario: str) -> ScenarioResult:
    original = ORIGINALS[client]
    program, *arguments = original.command.split()
    protocol = PLUGINS.protocols[original.protocol]
    command = (sys.executable, str(CLIENTS / program), *arguments)
    terms = Terms(command, original.protocol, original.game, "client", tmp_path, print, login_time_s=60.0)
    (ready,) = wanted(of_package(protocol.scenarios).scenarios, original.game, None, [scenario])
    return play(terms, prepared(PLUGINS, terms, ready))
