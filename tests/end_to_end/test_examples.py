"""The clients in `examples/`, as a student starts them, against the installed server."""

import subprocess
from contextlib import ExitStack

import pytest

from tests.end_to_end.example_bots import RESULT, ExampleBot, agree, python_command
from tests.end_to_end.support import DEADLINE_S, EXAMPLES, LOCAL
from tests.end_to_end.transcript import BOT, Follower
from tests.support.java import java_command

PYTHON_BOT = python_command("random_bot.py")
GAMES = ["Tic-tac-toe", "Reversi", "Connect-four-3D"]
MATCHES = 2
THE_READER = "ann"
"""How somebody who types along with the page is logged in."""


@pytest.fixture(scope="session")
def java_bot(tmp_path_factory):
    """The command that runs the Java bot, compiled once."""
    return java_command(tmp_path_factory, "RandomBot")


@pytest.fixture
def play():
    """Runs bots side by side, each a process; the result lines of each by its name."""
    with ExitStack() as to_end:

        def run_all(port, commands, *arguments):
            running = {
                name: subprocess.Popen(
                    [*command, "--host", LOCAL, "--port", str(port), "--name", name, *map(str, arguments)],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                for name, command in commands.items()
            }
            for process in running.values():
                to_end.callback(process.kill)
            results = {}
            for name, process in running.items():
                said, complained = process.communicate(timeout=2 * DEADLINE_S)
                assert (process.returncode, complained) == (0, ""), said + complained
                results[name] = [RESULT.fullmatch(line) for line in said.splitlines() if line.startswith("RESULT")]
                assert None not in results[name], said
            return results

        yield run_all


@pytest.fixture(params=["Java", "Python"])
def bot(request):
    """The command of a bot, once of each language."""
    return PYTHON_BOT if request.param == "Python" else request.getfixturevalue("java_bot")


@pytest.mark.parametrize(
    ("languages", "game"),
    [
        ("Java against Java", "Connect-four-3D"),
        *(pytest.param("Java against Java", game, marks=pytest.mark.slow) for game in ("Tic-tac-toe", "Reversi")),
        *(("Java against Python", game) for game in GAMES),
    ],
)
def test_bots_play_each_other(server, play, java_bot, game, languages):
    other = java_bot if languages == "Java against Java" else PYTHON_BOT
    results = play(server.port, {"ann": java_bot, "bob": other}, "--game", game, "--matches", MATCHES, "--seed", 7)
    agree(results["ann"], results["bob"])
    assert [result[2] for result in results["ann"]] == ["bob"] * MATCHES
    recorded = server.matches()
    assert [match.reason for match in recorded] == ["played"] * MATCHES
    told = [result[1] for result in results["ann"]]
    assert [match.results[match.players.index("ann")] for match in recorded] == told


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_plays_the_house(server, play, bot, game):
    results = play(server.port, {"ann": bot}, "--game", game, "--matches", MATCHES, "--challenge", "house-random")
    assert [result[2] for result in results["ann"]] == ["house-random"] * MATCHES
    assert [match.reason for match in server.matches()] == ["played"] * MATCHES


def test_bots_outlive_a_restart(serve, play, java_bot):
    """As the page of the examples promises: while they play, stop the server and start it again."""
    server = serve(match={"first_move_pause_ms": 0})
    arguments = ["--host", LOCAL, "--port", str(server.port), "--game", "Reversi", "--matches", "40"]
    with ExitStack() as to_end:
        bots = []
        for name, command in (("ann", java_bot), ("bob", PYTHON_BOT)):
            pipe = subprocess.PIPE
            bots.append(subprocess.Popen([*command, *arguments, "--name", name], stdout=pipe, stderr=pipe, text=True))
            to_end.enter_context(bots[-1])
            to_end.callback(bots[-1].kill)
        for process in bots:
            while not process.stdout.readline().startswith("RESULT"):
                pass
        assert server.stop() == 0
        server.start_where_it_was()
        said = [process.communicate(timeout=2 * DEADLINE_S)[0] for process in bots]
    assert [process.returncode for process in bots] == [0, 0]
    assert all("connection lost" in text for text in said)
    assert server.stop() == 0
    assert [match.reason for match in server.matches()] == ["played"] * 40


def test_the_telnet_transcript_can_be_followed(serve):
    page = EXAMPLES / "telnet.md"
    server = serve(listen=(f"strategic={LOCAL}:0", f"connect-four={LOCAL}:0"))
    with ExitStack() as to_end:
        command = python_command("connect_four_bot.py")
        bot = ExampleBot.start(to_end, command, server.port_of("connect-four"), BOT, "--matches", 2)
        bot.printed.wait_for("in room 0, waiting")
        followed = Follower(lambda: server.client(banner=False)).follow(page.read_text(encoding="utf-8"))
        bot.printed.wait_for(f"RESULT win {THE_READER}")
    assert followed > 60
