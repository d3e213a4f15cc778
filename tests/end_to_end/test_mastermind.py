"""Mastermind by its own protocol against the installed server: the example clients, both transports, kill -9."""

import re

import pytest

from tests.end_to_end.example_bots import python_command
from tests.end_to_end.server_process import Program
from tests.end_to_end.support import LOCAL
from tests.support.java import java_command

LISTEN = (f"strategic={LOCAL}:0", f"mastermind={LOCAL}:0", f"http={LOCAL}:0")
PYTHON = python_command("mastermind_breaker.py")
RESULT = re.compile(r"RESULT (won|lost) (\d+) ((?:\d+,)*\d+)")


@pytest.fixture(scope="session")
def java(tmp_path_factory):
    """The command that runs the Java client, compiled once."""
    return java_command(tmp_path_factory, "MastermindBreaker")


@pytest.fixture(params=["Java", "Python"])
def breaker(request):
    """The command of a client, once of each language."""
    return PYTHON if request.param == "Python" else request.getfixturevalue("java")


@pytest.fixture
def start(to_end):
    """Starts clients."""

    def start(command, port, *arguments):
        words = [*command, "--host", LOCAL, "--port", str(port), *map(str, arguments)]
        return Program.launch(to_end, words)

    return start


def results_of(bot):
    said, complained = bot.end()
    assert complained == "", said
    return [RESULT.fullmatch(line) for line in said.splitlines() if line.startswith("RESULT")]


def test_examples_start_a_new_game_after_a_kill(serve, start, java):
    """kill -9 while clients play: they start clean, and what was played is on record, the last as abandoned."""
    server = serve(listen=LISTEN)
    games = ((PYTHON, 12), (java, 60))
    bots = [start(command, server.port_of("mastermind"), "--games", count) for command, count in games]
    for bot in bots:
        bot.printed.wait_for("RESULT")
    server.kill()
    server.start_where_it_was()
    for bot in bots:
        assert all(result[1] == "won" for result in results_of(bot))
        assert "connection lost" in bot.printed.text, "it was killed too late to be noticed"
    assert server.stop() == 0
    reasons = [match.reason for match in server.matches()]
    told = sum(count for _, count in games)
    assert told <= reasons.count("played") <= told + len(games), "some may have ended whose end nobody was told"
    assert len(reasons) - reasons.count("played") <= len(games)


def test_an_example_breaks_codes_of_all_sizes_and_they_are_on_record(server, start, breaker):
    port = server.port_of("mastermind")
    sizes = ((6, 4, 12), (12, 3, 12), (2, 8, 20), (1, 1, 1), (30, 1, 1))
    players = [start(breaker, port, "--colors", n, "--length", m, "--tries", most) for n, m, most in sizes]
    for (_, length, most), player in zip(sizes, players, strict=True):
        (result,) = results_of(player)
        assert len(result[3].split(",")) == length
        assert 1 <= int(result[2]) <= most
    results = results_of(start(breaker, port, "--games", 3, "--seed", 7))
    assert [result[1] for result in results] == ["won"] * 3
    recorded = server.matches()[len(sizes) :]
    assert len({match.players[1] for match in recorded}) == 1
    for match, result in zip(recorded, results, strict=True):
        assert (match.game, match.reason, match.results) == ("Mastermind", "played", ["loss", "win"])
        (drawn, *guesses) = match.moves
        assert drawn == ("", " ".join(str(int(value) + 1) for value in result[3].split(",")))
        assert len(guesses) == int(result[2]) <= 10
        assert guesses[-1][1] == result[3].replace(",", "")


def test_an_example_tells_what_is_wrong(server, start, breaker):
    wrong = [
        (1, server.port_of("mastermind"), ["--tries", 10_001]),
        (2, 1, ["--games", 0]),
        (2, 70_000, ["--games", 1]),
        (2, 1, ["--nonsense", 1]),
        (2, 1, ["--colors", 100]),
    ]
    bots = [start(breaker, port, *arguments) for _, port, arguments in wrong]
    for (code, *_), bot in zip(wrong, bots, strict=True):
        _, complained = bot.end(code)
        assert "Traceback" not in complained
        assert "Exception" not in complained
        if code == 1:
            assert complained.endswith("the server says: MaxTries must be from 1 to 10000, not 10001")
            assert "\n" not in complained
