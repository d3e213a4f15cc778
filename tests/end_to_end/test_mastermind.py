"""Mastermind by its own protocol against the installed server: the example clients, both transports, kill -9."""

import json
import re
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager

import pytest
import websockets.sync.client

from tests.end_to_end.support import DEADLINE_S, EXAMPLES, LOCAL, eventually, run
from tests.support.java import java_command

LISTEN = (f"strategic={LOCAL}:0", f"mastermind={LOCAL}:0", f"http={LOCAL}:0")
PYTHON = [sys.executable, str(EXAMPLES / "python" / "mastermind_breaker.py")]
RESULT = re.compile(r"RESULT (won|lost) (\d+) ((?:\d+,)*\d+)")
NEW_GAME = '0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}'
ACCEPT = '5|{"Accept":true,"Attributes":{"NbrColors":6,"MaxTries":12,"CodeLength":4}}'
GUESS = '1|{"Guess":[0,0,1,1]}'
SMALL = '0|{"NbrColors":2,"MaxTries":9999,"CodeLength":100}'


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


class Line:
    """A client of lines over raw TCP."""

    def __init__(self, port):
        self.socket = socket.create_connection((LOCAL, port), DEADLINE_S)
        self.lines = self.socket.makefile("rb")

    def ask(self, line):
        self.socket.sendall(f"{line}\n".encode())
        return self.lines.readline().decode().removesuffix("\n")

    def close(self):
        self.lines.close()
        self.socket.close()


class Message:
    """A client of messages over WebSocket."""

    def __init__(self, connection):
        self.connection = connection

    def ask(self, line):
        self.connection.send(line)
        return self.connection.recv(DEADLINE_S)


@contextmanager
def connected(server, transport):
    if transport == "TCP":
        client = Line(server.port_of("mastermind"))
        yield client
        client.close()
    else:
        with websockets.sync.client.connect(f"ws://{LOCAL}:{server.port_of('http')}/echo") as connection:
            yield Message(connection)


def dice(code):
    """A code as the draw that is on record: one more for each value."""
    return " ".join(str(int(value) + 1) for value in code)


def test_an_example_breaks_codes_and_they_are_on_record(server, start, breaker):
    results = results_of(start(breaker, server.port_of("mastermind"), "--games", 5, "--seed", 7))
    assert [result[1] for result in results] == ["won"] * 5
    assert all(int(result[2]) <= 10 for result in results)
    recorded = server.matches()
    assert [(match.game, match.reason, match.results) for match in recorded] == [
        ("Mastermind", "played", ["loss", "win"])
    ] * 5
    assert len({match.players[1] for match in recorded}) == 1
    for match, result in zip(recorded, results, strict=True):
        (drawn, *guesses) = match.moves
        assert drawn == ("", dice(result[3].split(",")))
        assert len(guesses) == int(result[2])
        assert guesses[-1][1] == result[3].replace(",", "")


def test_an_example_with_other_sizes(server, start, breaker):
    port = server.port_of("mastermind")
    sizes = ((12, 3, 12), (2, 8, 20), (1, 1, 1), (30, 1, 1))
    players = [start(breaker, port, "--colors", n, "--length", m, "--tries", most) for n, m, most in sizes]
    for (_, length, most), player in zip(sizes, players, strict=True):
        (result,) = results_of(player)
        assert len(result[3].split(",")) == length
        assert 1 <= int(result[2]) <= most


def test_an_example_tells_what_is_wrong(serve, start, breaker):
    server = serve(listen=LISTEN, mastermind={"nbr_colors_max": 5})
    process = start(breaker, server.port_of("mastermind"))
    _, complained = process.communicate(timeout=2 * DEADLINE_S)
    assert process.returncode == 1
    assert complained.rstrip().endswith("the server says: NbrColors must be from 1 to 5, not 6")
    assert complained.count("\n") == 1
    for arguments in (["--games", "0"], ["--port", "70000"], ["--nonsense", "1"], ["--colors", "100"]):
        process = start(breaker, 1, *([] if "--port" in arguments else ["--games", "1"]), *arguments)
        _, complained = process.communicate(timeout=2 * DEADLINE_S)
        assert process.returncode == 2
        assert "Traceback" not in complained
        assert "Exception" not in complained


def test_example_starts_a_new_game_after_a_kill(serve, start, breaker):
    """kill -9 while a client plays: it starts clean, and what was played is on record, the last as abandoned."""
    server = serve(listen=LISTEN)
    games = 30 if breaker is PYTHON else 300
    process = start(breaker, server.port_of("mastermind"), "--games", games)
    while not process.stdout.readline().startswith("RESULT"):
        pass
    server.kill()
    server.start_where_it_was()
    said, complained = process.communicate(timeout=3 * DEADLINE_S)
    assert (process.returncode, complained) == (0, ""), said
    assert "connection lost" in said, "it was killed too late to be noticed"
    assert "RESULT lost" not in said
    assert server.stop() == 0
    reasons = [match.reason for match in server.matches()]
    assert reasons.count("played") in {games, games + 1}, "one may have ended whose end nobody was told"
    assert len(reasons) - reasons.count("played") <= 1


@pytest.mark.parametrize("transport", ["TCP", "WebSocket"])
def test_a_kill_in_mid_game_leaves_the_record(serve, transport):
    server = serve(listen=LISTEN)
    with connected(server, transport) as client:
        assert client.ask(NEW_GAME) == ACCEPT
        assert client.ask('1|{"Guess":[0,0,1]}').startswith("6|")
        while client.ask(GUESS).startswith("3|"):
            assert client.ask(NEW_GAME) == ACCEPT
        server.kill()
    server.start_where_it_was()
    with connected(server, transport) as client:
        assert client.ask(GUESS) == '6|{"Message":"No active Game","ErrorType":2}'
        assert client.ask(NEW_GAME) == ACCEPT
        assert client.ask("4|{}").startswith('3|{"Won":false,"Tries":0,"Code":[')
    assert server.stop() == 0
    *_, left, retreated = server.matches()
    assert (left.reason, left.results, left.moves[-1][1]) == ("abandoned", ["void", "void"], "0011")
    assert (retreated.reason, retreated.results) == ("resigned", ["win", "loss"])
    assert left.players[1].startswith("mm-1-")
    assert retreated.players[1].startswith("mm-2-")


@pytest.mark.parametrize("transport", ["TCP", "WebSocket"])
def test_a_lost_connection_abandons_the_game_and_nobody_was_listed(server, transport):
    ann = server.client("ann")
    with connected(server, transport) as client:
        assert client.ask(NEW_GAME) == ACCEPT
        assert ann.ask("get playerlist") == "OK"
        assert "mm-" not in ann.line()
    (match,) = eventually(server.matches, "the match is on record")
    assert (match.reason, match.results) == ("abandoned", ["void", "void"])


def test_neither_the_log_nor_an_answer_has_the_secret(serve):
    """A code of a hundred places turns up nowhere by chance, nor does half of it."""
    server = serve(listen=LISTEN, log={"level": "debug"})
    with connected(server, "TCP") as client:
        heard = [client.ask(line) for line in (SMALL, GUESS, '1|{"Guess":[' + ",".join("0" * 100) + "]}")]
        code = json.loads(client.ask("4|{}")[2:])["Code"]
    assert server.stop() == 0
    everything = "\n".join([*heard, server.log.text, server.printed.text])
    assert len(code) == 100
    for values in (code, [value + 1 for value in code]):
        for gap in ("", ",", " ", ", ", "-"):
            assert gap.join(map(str, values[:50])) not in everything


def test_it_listens_where_the_page_says():
    assert 'mastermind = "*:8081"' in run("config").stdout
    page = run("help", "mastermind").stdout
    assert "Port 8081" in page
    assert "/echo" in page
