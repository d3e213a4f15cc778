"""Names in other scripts, where standard output has the encoding of a country or of no language at all."""

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.support import run

NAMES = ("王芳", "Ünal")
A_PIPE_ON_WINDOWS = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252"}, "cp1252"
LOCALE_C = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}, "ascii"


def test_no_command_dies_on_a_name(server) -> None:
    first, second = begin(*(server.client(name) for name in NAMES))
    play(first, second, 0, 3, 1, 4)
    assert first.ask("move 2") == "OK"
    second.expect("SVR GAME MOVE ", "SVR GAME LOSS ")
    data, match = ("--data", str(server.data)), str(server.matches()[0].match)
    env, encoding = LOCALE_C
    shown = run("status", *data, env=env, encoding=encoding)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "??" in shown.stdout
    kept = run("export", "matches", *data, env=env)
    assert kept.returncode == 0
    assert "王芳" in kept.stdout, "a program gets UTF-8"
    env, encoding = A_PIPE_ON_WINDOWS
    replayed = run("replay", match, "--all", *data, env=env, encoding="utf-8", errors="replace")
    assert (replayed.returncode, replayed.stderr) == (0, "")
    assert "X" in replayed.stdout
    refused = run("kick", "Жанна", "--why", "late", *data, env=env, encoding=encoding)
    assert refused.returncode == 1
    assert refused.stderr.startswith("gameserver: ")
    assert "Traceback" not in refused.stderr
