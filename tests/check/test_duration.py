"""The time that a check takes, as it is said beforehand."""

import pytest

from gameserver import plugins
from gameserver.check.checker import wanted
from gameserver.check.duration import expected_s
from gameserver.check.report import Level
from gameserver.check.scenario import of_package, read

PLUGINS = plugins.load(installed=False)
HEAD = "title: x\nlevel: required\nsource: x\ndocument: x\nchange: x\n"
REQUIRED_S = 60.0


@pytest.mark.parametrize("protocol", ["strategic", "connect-four", "mastermind", "gammonx", "web"])
def test_required_scenarios_take_a_minute_at_most(protocol: str) -> None:
    found = of_package(PLUGINS.protocols[protocol].scenarios).scenarios
    for game in PLUGINS.games.values():
        chosen = wanted(found, game.name, Level.REQUIRED, ())
        assert sum(expected_s(one, is_called=True) for one in chosen) <= REQUIRED_S, game.name


@pytest.mark.parametrize(
    ("head", "steps", "if_it_asks", "if_it_is_called"),
    [
        ("", "CLIENT comes in\n", 0.3, 0.3),
        ("", "CLIENT comes in\nOPPONENT comes in\nOPPONENT thinks 6 s\n", 6.3, 6.3),
        ("", "CLIENT comes in\nOPPONENT comes in\nrepeat 10 times:\n    CLIENT meets OPPONENT\n", 4.3, 10.6),
        ("wire: delay 500ms\n", "CLIENT comes in\n3 moves are played\n", 3.8, 3.8),
    ],
)
def test_time_is_that_of_the_steps(head: str, steps: str, if_it_asks: float, if_it_is_called: float) -> None:
    scenario = read(f"{HEAD}{head}\n{steps}", "f", "f")
    told = [expected_s(scenario, is_called=is_called) for is_called in (False, True)]
    assert told == pytest.approx([if_it_asks, if_it_is_called])
