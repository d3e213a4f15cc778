"""The table of commands: every command is where it says."""

import click
import pytest
from click.testing import CliRunner

from gameserver.cli.main import COMMANDS, main


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_where_the_table_says(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert command.get_short_help_str(limit=200) == COMMANDS[name].summary
    assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0


def test_help_lists_every_command() -> None:
    told = CliRunner().invoke(main, ["--help"])
    assert told.exit_code == 0
    listed = [line.split()[0] for line in told.output.partition("Commands:\n")[2].splitlines() if line[2] != " "]
    assert listed == list(COMMANDS)


def test_a_command_that_is_not_there() -> None:
    told = CliRunner().invoke(main, ["telepathy"])
    assert told.exit_code == 2
    assert "No such command 'telepathy'" in told.output
