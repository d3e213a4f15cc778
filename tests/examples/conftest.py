"""The example bots, each in both languages. A module of tests names its own in `BOTS`."""

import pytest

from tests.examples.bot_processes import Bots, Run


@pytest.fixture(scope="module")
def bots(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bots:
    return Bots(tmp_path_factory, *request.module.BOTS)


@pytest.fixture(params=["python", "java"])
def run(request: pytest.FixtureRequest, bots: Bots) -> Run:
    """Runs the bot with these arguments to its end."""
    return bots.run(request.param)
