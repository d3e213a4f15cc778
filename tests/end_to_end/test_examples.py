"""The clients in `examples/`, as a student starts them, against the installed server."""

from contextlib import ExitStack

import pytest

from tests.end_to_end.example_bots import ExampleBot, agree, python_command
from tests.end_to_end.support import EXAMPLES, LOCAL
from tests.end_to_end.transcript import BOT, Follower
from tests.support.java import java_command

PYTHON_BOT = python_command("random_bot.py")
GAMES = ["Tic-tac-toe", "Reversi", "Connect-four-3D"]
MATCHES = 2
THE_READER = "ann"
"""The name with which somebody who types along with the page is logged in."""


@pytest.fixture(scope="session")
def java_bot(tmp_path_factory):
    """The command that runs the Java bot, compiled once."""
    return java_command(tmp_path_factory, "RandomBot")


def test_bots_of_both_languages_play_each_other_and_the_house(server, java_bot):
    """All side by side, a pair of each game and a bot of each language against the house."""
    players = {}
    for game in GAMES:
        for name, command in (("ann", java_bot), ("bob", PYTHON_BOT)):
            players[f"{name}-{game}"] = [*command, "--game", game, "--seed", "7"]
    for name, command in (("Java", java_bot), ("Python", PYTHON_BOT)):
        players[name] = [*command, "--game", "Reversi", "--challenge", "house-random"]
    with ExitStack() as to_end:
        more = ("--matches", MATCHES)
        bots = {name: ExampleBot.start(to_end, command, server.port, name, *more) for name, command in players.items()}
        results = {name: bot.finish().results for name, bot in bots.items()}
    recorded = server.matches()
    assert [match.reason for match in recorded] == ["played"] * MATCHES * 5
    for game in GAMES:
        ann, bob = f"ann-{game}", f"bob-{game}"
        agree(results[ann], results[bob])
        assert [result[2] for result in results[ann]] == [bob] * MATCHES
        theirs = [match for match in recorded if ann in match.players]
        assert [match.results[match.players.index(ann)] for match in theirs] == [result[1] for result in results[ann]]
    for name in ("Java", "Python"):
        assert [result[2] for result in results[name]] == ["house-random"] * MATCHES


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
