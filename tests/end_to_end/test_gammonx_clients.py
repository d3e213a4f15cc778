"""Whole matches of GammonX by official clients: the example bots, against the server as it is installed."""

import json
import shutil
import sqlite3
import urllib.request
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.end_to_end.example_bots import ExampleBot, python_command
from tests.end_to_end.support import EXAMPLES, LOCAL, eventually
from tests.support.node import DIRECTORY, node

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0")
MATCH_S = 120.0
ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"


@pytest.fixture
def bot():
    """Starts bots that play one match, and ends them."""
    with ExitStack() as to_end:

        def start(script: list[str], port: int, player: str, **wishes: int) -> ExampleBot:
            wanted = [part for name, number in wishes.items() for part in (f"--{name}", str(number))]
            command = [*script, "--url", f"http://{LOCAL}:{port}", "--player", player, *wanted]
            return ExampleBot.launch(to_end, command, player)

        yield start


@pytest.fixture(scope="session")
def script(tmp_path_factory):
    """The example where it finds the client that the tests have installed, and what runs it."""
    program = node()
    directory = tmp_path_factory.mktemp("gammonx")
    shutil.copy(EXAMPLES / "javascript" / "gammonx_bot.mjs", directory)
    (directory / "node_modules").symlink_to(DIRECTORY / "node_modules")
    return [program, str(directory / "gammonx_bot.mjs")]


def points_of(bot: ExampleBot) -> tuple[int, int]:
    """How the match of a bot ended: its own points and the other's."""
    line = bot.printed.wait_for("match over,", within_s=MATCH_S)
    # Not `finish`: to stderr it may tell that it connects again.
    assert bot.process.wait(20) == 0, bot.printed.text + bot.complained.text
    own, other = line.removeprefix("match over, ").split(" to ")
    return int(own), int(other)


def test_a_client_plays_the_house(server, bot, script):
    points_of(bot(script, server.port_of("http"), ANN, variant=2, modus=2))
    (match,) = eventually(server.matches, "the match is on record")
    assert match.players == ["gx-fdd907c57c45", "house-steady"]


def test_the_bots_of_both_languages_meet(server, bot, script):
    port = server.port_of("http")
    python = python_command("gammonx_bot.py")
    bots = [bot(python, port, ANN, variant=0), bot(script, port, BOB, variant=0)]
    one, two = map(points_of, bots)
    assert one == two[::-1]
    assert not any("ERROR" in each.printed.text + each.complained.text for each in bots)
    (match,) = eventually(server.matches, "the match is on record")
    assert match.game == "Backgammon"
    assert sorted(match.points) == sorted(one)


def test_a_kill_in_the_middle_of_a_match(serve, bot, script):
    server = serve(listen=LISTEN)
    port = server.port_of("http")
    bots = [bot(script, port, player, variant=1) for player in (ANN, BOB)]
    eventually(lambda: rows_in_the_journal(server) > 100, "the match is under way", MATCH_S)
    server.kill()
    server.start_where_it_was()
    for each in bots:
        each.printed.wait_for("connected again")
    one, two = map(points_of, bots)
    assert one == two[::-1]
    (match,) = eventually(server.matches, "the match is on record")
    assert sorted(match.points) == sorted(one)


def rows_in_the_journal(server):
    with closing(sqlite3.connect(f"file:{server.data}?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT count(*) FROM journal").fetchone()[0]


def test_a_client_meets_a_player_of_the_text_protocol(server, bot, script):
    text = server.client("tim")
    assert text.ask("subscribe Tavla") == "OK"
    ann = bot(script, server.port_of("http"), ANN, variant=1)
    assert '"gx-fdd907c57c45"' in text.expect("SVR GAME MATCH ")
    text.ask("forfeit")
    while not text.next().startswith("SVR GAME LOSS "):
        pass
    assert points_of(ann) == (2, 0)


def test_the_server_says_how_to_begin(server):
    with urllib.request.urlopen(f"http://{LOCAL}:{server.port_of('http')}/api/matches", timeout=20) as response:
        assert response.status == 200
    assert json.loads((Path(EXAMPLES) / "javascript" / "package.json").read_text("utf-8"))["private"]
