"""The scenarios of our protocols, played with the clients of `examples/`, which are models and pass all of them."""

import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from gameserver import plugins
from gameserver.check.checker import Terms, play, prepared, wanted
from gameserver.check.report import ScenarioOutcome, ScenarioResult
from gameserver.check.scenario import Scenario, of_package
from tests.support.java import java_command
from tests.support.node import DIRECTORY, node
from tests.support.tables import table

PLUGINS = plugins.load(installed=False)
PLACE = "--host {host} --port {port}"
PYTHON = Path(__file__).parents[2] / "examples" / "python"
CLIENTS = {
    "strategic": ("random_bot.py", "RandomBot", f"{PLACE} --name {{name}} --game {{game}} --matches {{games}}"),
    "connect-four": ("connect_four_bot.py", "ConnectFourBot", f"{PLACE} --name {{name}} --matches {{games}}"),
    "mastermind": ("mastermind_breaker.py", "MastermindBreaker", f"{PLACE} --games {{games}} --seed 1"),
    "gammonx": ("gammonx_bot.py", "", "--url http://{host}:{port} --type 2"),
    "web": ("web_bot.py", "", f"{PLACE} --name {{name}} --game {{game}} --matches {{games}}"),
}
"""The clients of each protocol, in Python and in Java if there is one, and their options.

A breaker of codes has a seed: where the last of two guesses has to be wrong, it was right in one run of a hundred.
"""
GAMES: Mapping[str, Sequence[str]] = {
    "strategic": ("Tic-tac-toe", "Reversi"),
    "connect-four": ("Connect-four-3D",),
    "mastermind": ("Mastermind",),
    "gammonx": ("Backgammon", "Tavli"),
    "web": ("Tic-tac-toe",),
}
OPTIONS = {"Backgammon": ("--variant", "0"), "Tavli": ("--variant", "2")}
"""GammonX chooses the game by a number."""


def of(protocol: str) -> Sequence[Scenario]:
    return of_package(PLUGINS.protocols[protocol].scenarios).scenarios


def result(tmp_path: Path, protocol: str, game: str, name: str, program: Sequence[str]) -> ScenarioResult:
    """The outcome of a scenario with this client."""
    command = (*program, *CLIENTS[protocol][2].split(), *OPTIONS.get(game, ()))
    terms = Terms(command, protocol, game, "client", tmp_path, print, login_time_s=60.0)
    (scenario,) = wanted(of(protocol), game, None, [name])
    return play(terms, prepared(PLUGINS, terms, scenario))


def languages_of(protocol: str) -> list[str]:
    return ["python", *["java"] * bool(CLIENTS[protocol][1]), *["javascript"] * (protocol == "gammonx")]


QUICK = {
    (language, game, name)
    for languages, game, names in table(__file__, "scenarios for every run of the tests")
    for language in languages.split()
    for name in names.split()
}
ALL = [
    pytest.param(
        *(language, protocol, game, scenario.name),
        id=f"{language}-{game}-{scenario.name}",
        marks=() if (language, game, scenario.name) in QUICK else pytest.mark.slow,
    )
    for protocol, games in GAMES.items()
    for language in languages_of(protocol)
    for game in games
    for scenario in of(protocol)
    if scenario.suits(game)
]


@pytest.mark.parametrize(("language", "protocol", "game", "name"), ALL)
def test_example_passes(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, language: str, protocol: str, game: str, name: str
) -> None:
    program = [sys.executable, str(PYTHON / CLIENTS[protocol][0])]
    if language == "java":
        program = java_command(tmp_path_factory, CLIENTS[protocol][1])
    elif language == "javascript":
        (tmp_path / "node_modules").symlink_to(DIRECTORY / "node_modules")
        program = [node(), str(shutil.copy(PYTHON.parent / "javascript" / "gammonx_bot.mjs", tmp_path))]
    played = result(tmp_path, protocol, game, name, program)
    assert (played.outcome, played.findings) == (ScenarioOutcome.PASSED, ())
