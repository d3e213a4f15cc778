"""The table of commands: every command is where it says, and nothing is imported before it is asked for."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from gameserver.cli.main import COMMANDS, main

SERVER = ("gameserver.core", "gameserver.server", "gameserver.plugins", "gameserver.http", "trio", "structlog")
"""What makes a start slow."""


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


@pytest.mark.parametrize("words", [["--help"], ["status", "--data", "is-not-there"], ["kick", "--help"]])
def test_commands_that_only_ask_the_server_do_not_import_it(words: list[str]) -> None:
    program = f"""
import sys
from gameserver.cli.main import main
try:
    main({words!r})
except SystemExit:
    print("imported:", [name for name in {SERVER!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "imported: []"
