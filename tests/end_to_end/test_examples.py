"""The clients in `examples/`, as a student starts them, against the installed server."""

import pytest

from tests.end_to_end.example_bots import ExampleBot, check_told, python_command
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


def test_bots_of_both_languages_play_each_other_and_the_house(server, java_bot, to_end):
    """All side by side, a pair of each game and a bot of each language against the house."""
    bots = []
    for name, command in (("ann", java_bot), ("bob", PYTHON_BOT)):
        more = [*command, "--seed", "7", "--matches", str(MATCHES), "--game"]
        house = [*more, "Reversi", "--challenge", "house-random"]
        started = {game: [*more, game] for game in GAMES} | {"alone": house}
        bots += [ExampleBot.start(to_end, each, server.port, f"{name}-{what}") for what, each in started.items()]
    stories = {bot.name: bot.finish() for bot in bots}
    recorded = server.matches()
    assert [match.reason for match in recorded] == ["played"] * MATCHES * 5
    for name, story in stories.items():
        assert len(story.results) == MATCHES
        check_told(name, story, recorded)
    for name in ("ann-alone", "bob-alone"):
        assert [result[2] for result in stories[name].results] == ["house-random"] * MATCHES


def test_an_agent_that_learned_for_seconds_beats_the_novice(serve, to_end):
    """It wins 88 of 100 matches and loses one; with random moves it would win 44 and lose 54."""
    server = serve(match={"first_move_pause_ms": 0})
    command = [*python_command("../train_and_connect/train_and_connect.py"), "--episodes", "3000"]
    bot = ExampleBot.start(to_end, command, server.port, "learner", "--challenge", "house-novice", "--matches", 20)
    results = [result[1] for result in bot.finish().results]
    recorded = server.matches()
    assert [match.results[match.players.index("learner")] for match in recorded] == results
    assert [match.reason for match in recorded] == ["played"] * 20
    assert results.count("win") >= 12
    assert results.count("loss") <= 2


def test_the_telnet_transcript_can_be_followed(serve, to_end):
    page = EXAMPLES / "telnet.md"
    server = serve(listen=(f"strategic={LOCAL}:0", f"connect-four={LOCAL}:0"))
    command = python_command("connect_four_bot.py")
    bot = ExampleBot.start(to_end, command, server.port_of("connect-four"), BOT, "--matches", 2)
    bot.printed.wait_for("in room 0, waiting")
    followed = Follower(lambda: server.client(banner=False)).follow(page.read_text(encoding="utf-8"))
    bot.printed.wait_for(f"RESULT win {THE_READER}")
    assert followed > 60
