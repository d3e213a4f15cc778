"""The installed commands where Python lacks what Windows or macOS lack (`tests/support/elsewhere`).

All of these tests can be run like that, or with the reactor of those systems:

    GAMESERVER_TESTS_SYSTEM=windows python -m pytest tests/end_to_end
    GAMESERVER_TESTS_REACTOR=tasks python -m pytest tests/end_to_end
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gameserver.cli.main import COMMANDS
from tests.end_to_end.blocking_client import begin, fields_of, play
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import COMMAND, EXAMPLES, GOODBYE, LOCAL, environment, run
from tests.support.elsewhere import elsewhere

# macOS lacks nothing that Windows has.
EVERYWHERE = pytest.mark.parametrize("system", ["windows", pytest.param("macos", marks=pytest.mark.slow)])
ON_WINDOWS = pytest.mark.parametrize("system", ["windows"])
"""Of what differs there alone, or differs as much on macOS as in the tests above."""

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0", f"admin={LOCAL}:0")
RANDOM_BOT = f"{sys.executable} {EXAMPLES}/python/random_bot.py --host {{host}} --port {{port}} --name {{name}}"
EVERYTHING = r"""
import sys
from importlib import import_module
from gameserver.cli.main import COMMANDS
from gameserver import plugins
for entry in COMMANDS.values():
    import_module(entry.where.partition(":")[0])
assert not plugins.load(installed=False).problems
import gameserver.web.application, gameserver.web.teacher_application
if sys.argv[1] == "windows":
    from gameserver.system import words_of
    assert words_of(r'java -jar "C:\my bots\ann.jar" {port}') == ["java", "-jar", r"C:\my bots\ann.jar", "{port}"]
def asked(what, where="gameserver.somewhere"):
    exec(what, {"__name__": where})
hidden = ["import fcntl", "import termios", "import resource", "import pwd", "from os import killpg, fork, getuid"]
hidden += ["from signal import SIGKILL, SIGHUP", "from socket import AF_UNIX"]
for what in [*(hidden if sys.argv[1] == "windows" else []), "from select import epoll", "import posix"]:
    asked(what, "elsewhere")
    try:
        asked(what)
    except ImportError:
        continue
    raise AssertionError(what)
print("imported")
"""


@pytest.fixture
def there(system: str) -> dict[str, str]:
    """The environment of a process on the other system."""
    return elsewhere(system)


@EVERYWHERE
def test_every_command_can_be_imported(system: str, there: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EVERYTHING, system],
        capture_output=True,
        text=True,
        check=False,
        env=environment() | there,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == ("imported\n", "")
    assert {"serve", "match", "play", "replay", "tournament"} <= COMMANDS.keys()


@EVERYWHERE
def test_server_plays_starts_bots_and_stops(system: str, there: dict[str, str], serve) -> None:
    """Bots are processes of the command's own, which differ on Windows alone; so does the signal of Ctrl-Break."""
    server: Server = serve(listen=LISTEN, env=there)
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 0, 3, 1, 4)
    assert first.ask("move 2") == "OK"
    second.expect("SVR GAME MOVE ", "SVR GAME LOSS ")
    cyd = server.client("cyd")
    assert cyd.ask('challenge "house-master" "Tic-tac-toe" 300') == "OK"
    cyd.expect("SVR GAME MATCH ")
    free = list(range(9))
    while not (line := cyd.next()).startswith(("SVR GAME LOSS ", "SVR GAME DRAW ")):
        if line.startswith("SVR GAME MOVE "):
            free.remove(int(fields_of(line)["MOVE"]))
        elif line.startswith("SVR GAME YOURTURN "):
            cyd.send(f"move {free[0]}")
    data = ("--data", str(server.data))
    refused = run("serve", *data, "--listen", f"strategic={LOCAL}:0", env=there)
    assert (refused.returncode, refused.stderr.count("\n")) == (1, 1)
    assert f"is in use by another server (process {server.process.pid})" in refused.stderr
    if system == "windows":
        bot = f"hal={RANDOM_BOT} --game {{game}} --matches 1000"
        game = ["--game", "Tic-tac-toe", "--games", "4"]
        done = run("match", "hal", "house-novice", *game, "--bot", bot, *data, env=there)
        assert (done.returncode, done.stderr) == (0, "")
        assert "hal against house-novice, 4 games" in done.stdout
        client = [*RANDOM_BOT.split(), "--game", "{game}", "--matches", "1"]
        again = run("replay", "3", "--to-client", "--no-wait", *data, "--", *client, env=there)
        assert again.returncode == 0, again.stderr
        assert "your client plays hal" in again.stdout
    by = signal.SIGTTIN if system == "windows" else signal.SIGINT  # Ctrl-Break, as it is imitated
    assert server.stop(by) == 0
    assert cyd.rest()[-1] == GOODBYE
    assert "died" not in server.log.text
    assert [match.reason for match in server.matches()][:2] == ["played", "played"]
    assert len(server.matches()) == (6 if system == "windows" else 2)


@ON_WINDOWS
def test_client_is_checked(there: dict[str, str]) -> None:
    bot = [*RANDOM_BOT.split(), "--game", "{game}", "--matches", "{games}"]
    scenarios = ["--scenario", "server_restarts"]
    done = run("check", "--game", "Tic-tac-toe", *scenarios, "--", *bot, env=there)
    assert done.returncode == 0, done.stderr
    assert "All is well so far" in done.stdout


@ON_WINDOWS
def test_tournament_starts_and_stops_its_server(there: dict[str, str], tmp_path: Path) -> None:
    data = tmp_path / "data.sqlite3"
    config = tmp_path / "server.toml"
    off = "\n".join(f'{name} = "off"' for name in ("connect-four", "mastermind", "http"))
    config.write_text(f'[listen]\nstrategic = "{LOCAL}:0"\nadmin = "{LOCAL}:0"\n{off}\n', "utf-8")
    arguments = ["--game", "Tic-tac-toe", "--house", "house-random*2", "--wait", "0", "--out", str(tmp_path / "out")]
    done = run("tournament", "run", "Cup", *arguments, "--config", str(config), "--data", str(data), env=there)
    assert (done.returncode, done.stderr) == (0, "")
    assert "stopped the server that this command had started" in done.stdout
    assert "Traceback" not in "".join(log.read_text("utf-8") for log in tmp_path.glob("*.log"))


@ON_WINDOWS
def test_game_at_the_terminal(there: dict[str, str]) -> None:
    done = subprocess.run(
        [COMMAND, "play", "mastermind", "--maker", "computer", "--breaker", "human", "--seed", "1"],
        input="rrgg\nquit\n",
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=60,
        env=environment() | there,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "The secret code was" in done.stdout
