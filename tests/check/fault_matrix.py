"""A table of the faulty clients in every scenario: `python -m tests.check.fault_matrix GAME CLIENT...`.

It prints the scenarios that each client does not pass, and why. The numbers in `faulty_clients.txt`
come from that.
"""

import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import structlog

from gameserver.check import checker
from gameserver.check.report import Level, ScenarioOutcome, ScenarioResult, outcome_reason
from gameserver.check.scenario import of_package
from gameserver.cli.effective_config import find_plugins

CLIENTS = Path(__file__).with_name("faulty_clients.py")
OPTIONS = "--host {host} --port {port} --name {name} --game {game} --matches {games} --seed 1"
AT_ONCE = 3
"""Scenarios that are played at the same time: in most of them everybody waits for most of the time."""


def play(client: str, game: str, names: Sequence[str] = ()) -> dict[str, ScenarioResult]:
    """The outcome of a client in these scenarios of the text protocol, or in all of them that suit the game."""
    found = find_plugins(installed=False)
    protocol = found.protocols["strategic"]
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(AT_ONCE) as pool:
        terms = checker.Terms(
            command=(sys.executable, str(CLIENTS), client, *OPTIONS.split()),
            protocol=protocol.name,
            game=game,
            name="client",
            directory=Path(directory),
            tell=print,
        )
        chosen = checker.wanted(of_package(protocol.scenarios).scenarios, game, Level.CURIOUS, names)
        assert {scenario.name for scenario in chosen} >= set(names), f"not all of them suit {game}"
        prepared = [checker.prepared(found, terms, scenario) for scenario in chosen]
        return {result.name: result for result in pool.map(partial(checker.play, terms), prepared)}


def not_passed(results: dict[str, ScenarioResult]) -> list[str]:
    """The names of the scenarios that a client does not pass."""
    return sorted(name for name, result in results.items() if result.outcome is not ScenarioOutcome.PASSED)


def main(game: str, *clients: str) -> None:
    """Print what these clients do."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    for client in clients:
        results = play(client, game)
        failing = not_passed(results)
        print(f"{client}: {len(failing)} of {len(results)}", flush=True)
        for name in failing:
            print(f"    {name}: {outcome_reason(results[name])}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
