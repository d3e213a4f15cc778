"""Whole matches of GammonX by official clients: the example bots, against the server as it is installed."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.end_to_end.example_bots import python_command
from tests.end_to_end.server_process import Program
from tests.end_to_end.support import EXAMPLES, LOCAL, eventually
from tests.support.node import DIRECTORY, node

LISTEN = (f"strategic={LOCAL}:0", f"http={LOCAL}:0")
MATCH_S = 120.0
ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
CYD = "fdd907ca-794a-43f4-83e6-cadfabc57c46"


@pytest.fixture
def bot(to_end):
    """Starts bots that play one match."""

    def start(script: list[str], port: int, player: str, **wishes: int) -> Program:
        wanted = [part for name, number in wishes.items() for part in (f"--{name}", str(number))]
        command = [*script, "--url", f"http://{LOCAL}:{port}", "--player", player, *wanted]
        return Program.launch(to_end, command)

    return start


@pytest.fixture(scope="session")
def script(tmp_path_factory):
    """The example where it finds the client that the tests have installed, and what runs it."""
    program = node()
    directory = tmp_path_factory.mktemp("gammonx")
    shutil.copy(EXAMPLES / "javascript" / "gammonx_bot.mjs", directory)
    (directory / "node_modules").symlink_to(DIRECTORY / "node_modules")
    return [program, str(directory / "gammonx_bot.mjs")]


def points_of(bot: Program) -> tuple[int, int]:
    """Waits for the end of a bot's match, and returns its own points and the other's."""
    line = bot.printed.wait_for("match over,", within_s=MATCH_S)
    # Not `finish`: to stderr it may tell that it connects again.
    assert bot.process.wait(20) == 0, bot.printed.text + bot.complained.text
    own, other = line.removeprefix("match over, ").split(" to ")
    return int(own), int(other)


def rows_in_the_journal(server):
    with closing(sqlite3.connect(f"file:{server.data}?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT count(*) FROM journal").fetchone()[0]


def test_bots_of_both_languages_meet_and_outlive_a_kill(serve, bot, script):
    server = serve(listen=LISTEN)
    port = server.port_of("http")
    bots = [
        bot(python_command("gammonx_bot.py"), port, ANN, variant=0),
        bot(script, port, BOB, variant=0),
        bot(script, port, CYD, variant=2, modus=2),
    ]
    eventually(lambda: rows_in_the_journal(server) > 100, "the matches are under way", MATCH_S)
    server.kill()
    server.start_where_it_was()
    for each in bots[1:]:
        each.printed.wait_for("connected again")
    one, two, _ = map(points_of, bots)
    assert one == two[::-1]
    assert not any("ERROR" in each.printed.text + each.complained.text for each in bots)
    met, house = sorted(
        eventually(lambda: len(server.matches()) == 2 and server.matches(), "both are on record"),
        key=lambda match: match.game,
    )
    assert met.game == "Backgammon"
    assert sorted(met.points) == sorted(one)
    assert house.players == ["gx-fdd907c57c46", "house-steady"]
