"""The example bots of the text protocol, in both languages. The Connect Four clients have fixtures of their own."""

from functools import partial

import pytest

from tests.examples.bot_processes import execute
from tests.examples.random_bots import PYTHON_BOT, Run
from tests.support.java import java_command


@pytest.fixture(scope="session")
def java_bot(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that runs the Java bot, compiled once: launching from source takes a second each time."""
    return java_command(tmp_path_factory, "RandomBot")


@pytest.fixture(params=["python", "java"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs the bot with these arguments to its end."""
    return partial(execute, request.getfixturevalue("java_bot") if request.param == "java" else PYTHON_BOT)
