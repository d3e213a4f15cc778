"""Tournaments at a terminal: what the teacher is told to type can be typed."""

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from gameserver.cli.main import main
from gameserver.cli.tournament_text import to_decide

HELD = {"number": 7, "first": "ann", "second": "bob", "status": "held", "reason": "a bug in the server"}
USAGE_ERROR = 2


def test_commands_for_a_held_game_are_complete(tmp_path: Path) -> None:
    (line,) = to_decide({"pairings": [HELD, HELD | {"status": "playing"}]})
    commands = re.findall(r"`gameserver (.+?)`", line)
    assert len(commands) == 2
    for command in commands:
        words = shlex.split(command.replace("RESULT", "second"))
        told = CliRunner().invoke(main, [*words, "--data", str(tmp_path / "none.sqlite3")])
        assert told.exit_code not in {0, USAGE_ERROR}, told.output
