"""Mastermind by its own protocol against the installed server: the example clients, both transports, kill -9."""

import re
import subprocess
import sys
from contextlib import ExitStack

import pytest

from tests.end_to_end.support import DEADLINE_S, EXAMPLES, LOCAL
from tests.support.java import java_command

LISTEN = (f"strategic={LOCAL}:0", f"mastermind={LOCAL}:0", f"http={LOCAL}:0")
PYTHON = [sys.executable, str(EXAMPLES / "python" / "mastermind_breaker.py")]
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
def start():
    """Starts clients; they are gone when the test is over."""
    with ExitStack() as to_end:

        def start(command, port, *arguments):
            words = [*command, "--host", LOCAL, "--port", str(port), *map(str, arguments)]
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            to_end.enter_context(process)
            to_end.callback(process.kill)
            return process

        yield start


def results_of(process, code=0):
    said, complained = process.communicate(timeout=2 * DEADLINE_S)
    assert (process.returncode, complained) == (code, ""), said + complained
    return [RESULT.fullmatch(line) for line in said.splitlines() if line.startswith("RESULT")]


def test_examples_start_a_new_game_after_a_kill(serve, start, java):
    """kill -9 while clients play: they start clean, and what was played is on record, the last as abandoned."""
    server = serve(listen=LISTEN)
    games, processes = {"Python": 12, "Java": 60}, []
    for language, command in (("Python", PYTHON), ("Java", java)):
        processes.append(start(command, server.port_of("mastermind"), "--games", games[language]))
        while not processes[-1].stdout.readline().startswith("RESULT"):
            pass
    server.kill()
    server.start_where_it_was()
    for process in processes:
        said, complained = process.communicate(timeout=3 * DEADLINE_S)
        assert (process.returncode, complained) == (0, ""), said
        assert "connection lost" in said, "it was killed too late to be noticed"
        assert "RESULT lost" not in said
    assert server.stop() == 0
    reasons = [match.reason for match in server.matches()]
    told = sum(games.values())
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
    processes = [start(breaker, port, *arguments) for _, port, arguments in wrong]
    for (code, *_), process in zip(wrong, processes, strict=True):
        _, complained = process.communicate(timeout=2 * DEADLINE_S)
        assert process.returncode == code, complained
        assert "Traceback" not in complained
        assert "Exception" not in complained
        if code == 1:
            assert complained.rstrip().endswith("the server says: MaxTries must be from 1 to 10000, not 10001")
            assert complained.count("\n") == 1
