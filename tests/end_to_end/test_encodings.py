"""Names in other scripts, where standard output has the encoding of a country or of no language at all."""

import json

import pytest

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.support import LOCAL, run

LISTEN = (f"strategic={LOCAL}:0", f"admin={LOCAL}:0")
NAMES = ("王芳", "Ünal")
OLD_OUTPUTS = [
    pytest.param({"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}, "cp1252", id="a pipe on Windows"),
    pytest.param({"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}, "ascii", id="locale C"),
]


def test_no_command_dies_on_a_name(serve) -> None:
    server = serve(listen=LISTEN)
    clients = [server.client(name) for name in NAMES]
    first, second = begin(*clients)
    play(first, second, 0, 3, 1, 4)
    assert first.ask("move 2") == "OK"
    second.expect("SVR GAME MOVE ", "SVR GAME LOSS ")
    data = ("--data", str(server.data))
    for parameters in OLD_OUTPUTS:
        env, encoding = parameters.values
        shown = run("status", *data, env=env, encoding=encoding)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "??" in shown.stdout
        replayed = run("replay", "1", "--all", *data, env=env, encoding="utf-8", errors="replace")
        assert (replayed.returncode, replayed.stderr) == (0, "")
        assert "X" in replayed.stdout
        kept = run("export", "matches", *data, env=env)
        assert kept.returncode == 0
        assert "王芳" in kept.stdout, "a program gets UTF-8"
        players = json.loads(run("status", "--json", *data, env=env).stdout)["players"]
        assert set(NAMES) <= {player["name"] for player in players}
        guide = run("help", "strategic", env=env, encoding=encoding, errors="replace")
        assert (guide.returncode, guide.stderr) == (0, "")
    env, encoding = OLD_OUTPUTS[0].values
    refused = run("kick", "Жанна", "--why", "late", *data, env=env, encoding=encoding)
    assert refused.returncode == 1
    assert refused.stderr.startswith("gameserver: ")
    assert "Traceback" not in refused.stderr
