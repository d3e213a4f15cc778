"""The example bots, each in its own process, against a scripted server."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.examples.fake_strategic_server import (
    YOURTURN,
    Peer,
    fake_server,
    match_line,
    move_line,
    result_line,
)
from tests.support.java import java_command

EXAMPLES = Path(__file__).parents[2] / "examples"
PYTHON_BOT = [sys.executable, "-W", "error", str(EXAMPLES / "python" / "random_bot.py")]
CUTS = ("lines", "together", "torn")
# After these moves every move of player one (cells 0, 9 and 25) leaves player two without one, a pass.
# fmt: off
BEFORE_A_PASS = (
    19, 20, 21, 18, 34, 33, 44, 45, 26, 52, 37, 22, 53, 54, 14, 38, 23, 29, 30, 15, 61, 6, 51, 60,
    43, 62, 7, 17, 42, 31, 39, 47, 5, 41, 50, 58, 46, 55, 59, 13, 4, 48, 49, 63, 57, 56, 40, 16,
    10, 11, 24, 32, 2, 12, 3, 8, 1,
)
# fmt: on

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def java_bot(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command that runs the Java bot, compiled once: launching from source takes a second each time."""
    return java_command(tmp_path_factory, "RandomBot")


@pytest.fixture(params=["python", "java"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs the bot with these arguments to its end."""
    return partial(execute, request.getfixturevalue("java_bot") if request.param == "java" else PYTHON_BOT)


def execute(command: list[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)


def bot(port: int, game: str = "Tic-tac-toe", *more: object) -> list[object]:
    return ["--host", "127.0.0.1", "--port", port, "--name", "ann", "--game", game, "--seed", 1, *more]


def results(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]


def sentence(done: subprocess.CompletedProcess[str], exit_code: int) -> str:
    """The one line on stderr with which the bot gave up."""
    assert done.returncode == exit_code, done
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("game", "matches"), [("Tic-tac-toe", 2), ("Reversi", 3)])
def test_some_matches_to_the_end(run, cut, seat, game, matches):
    said: list[str] = []

    def script(peer: Peer) -> None:
        peer.welcome("ann")
        for seed in range(matches):
            peer.expect(f"subscribe {game}", "OK")
            names = ("ann", "bob") if seat == 0 else ("bob", "ann")
            said.append(peer.play(game, names, bot=seat, seed=seed))
        peer.goodbye()

    with fake_server(script, cut=cut) as server:
        done = run(*bot(server.port, game, "--matches", matches))
    assert results(done) == said


@pytest.mark.parametrize("seat", [0, 1])
def test_columns_of_connect_four_until_all_are_full(run, seat):
    said: list[str] = []

    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Connect-four-3D", "OK")
        said.append(peer.play("Connect-four-3D", ("ann", "bob") if seat == 0 else ("bob", "ann"), bot=seat))
        peer.goodbye()

    with fake_server(script) as server:
        done = run(*bot(server.port, "Connect-four-3D"))
    assert results(done) == said


@pytest.mark.parametrize("seat", [0, 1])
def test_a_pass_in_reversi_is_silent(run, seat):
    names = ("ann", "bob") if seat == 0 else ("bob", "ann")

    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Reversi", "OK")
        peer.play("Reversi", names, bot=seat, opening=BEFORE_A_PASS)
        peer.goodbye()

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi"))
    assert len(results(done)) == 1
    movers = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("move ")]
    assert movers[len(BEFORE_A_PASS) :][:2] == [names[0], names[0]]


@pytest.mark.parametrize("cut", CUTS)
def test_unknown_lines_keys_in_another_order_and_more_of_them(run, cut):
    strange = (
        "",
        "SVR",
        "SVR FOO",
        "OKAN says hello",
        'SVR MESSAGE {PLAYERNAME: "bob", MESSAGE: "OK, MOVE: 4"}',
        'SVR GAME CLOCK {PLAYER: "ann", MOVE: "8"}',
        'SVR GAME CHALLENGE {CHALLENGER: "cyd", CHALLENGENUMBER: "1", GAMETYPE: "Reversi", TURNTIME: "10"}',
        'SVR GAME CHALLENGE CANCELLED {CHALLENGENUMBER: "1"}',
        'SVR GAME MOVE {PLAYER: "ann", MO',
        "ERR this is about nothing that you sent",
    )
    # One cell is free when the bot is asked, so that its move is known.
    game = [(0, "bob"), (8, "ann"), (1, "bob"), (2, "ann"), (4, "bob"), (7, "ann"), (6, "bob"), (3, "ann")]

    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", *strange[:-1], "OK", *strange, YOURTURN)
        match = 'SVR GAME MATCH {OPPONENT: "bob, the GAMETYPE", FOO: "ann", GAMETYPE: "Tic-tac-toe",PLAYERTOMOVE:"ann"}'
        peer.send(match)
        for cell, player in game:
            peer.send(*strange[:-1], f'SVR GAME MOVE {{DETAILS: "", MOVE: "{cell}", TIME: "2", PLAYER: "{player}"}}')
        peer.send(*strange, 'SVR GAME YOURTURN {TIME: "10", TURNMESSAGE: "your turn, MOVE: now"}')
        peer.expect("move 5", move_line("ann", 5), "OK")
        peer.send('SVR GAME DRAW {COMMENT: "", PLAYERTWOSCORE: "-3", PLAYERONESCORE: "3", FOO: "1"}')
        peer.goodbye()

    with fake_server(script, cut=cut) as server:
        done = run(*bot(server.port))
    assert results(done) == ["RESULT draw bob, the GAMETYPE 3:-3"]
    assert "server says: SVR FOO" in done.stdout


def test_moves_that_are_none_do_not_reach_the_board(run):
    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Reversi", "OK", match_line("Reversi", "bob", "bob"))
        for nonsense in ("a1", "", "-1", "64", "0", "28", "9" * 30, "4" * 5000):
            peer.send(move_line("bob", nonsense, "Illegal move"))
        peer.send(result_line("WIN", 2, 2, "Illegal move"))
        peer.goodbye()

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi"))
    assert results(done) == ["RESULT win bob 2:2"]
    assert "end of match: Illegal move" in done.stdout


@pytest.mark.parametrize("cut", CUTS)
def test_lost_in_mid_match_it_comes_back_to_its_seat(run, cut):
    moved = [move_line("bob", 0), move_line("ann", 4), move_line("bob", 8), move_line("ann", 2), move_line("bob", 6)]
    last = [move_line("bob", 1), move_line("ann", 7), move_line("bob", 5)]

    def before(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", "OK", match_line("Tic-tac-toe", "bob", "bob"), moved[0], YOURTURN)
        assert peer.hear().startswith("move ")
        peer.socket.sendall(b'SVR GAME MOVE {PLAYER: "ann", MOVE: "4", DETA')  # half a line is no line

    def still_held(peer: Peer) -> None:
        peer.expect("login ann", "ERR Duplicate name exists")

    def after(peer: Peer) -> None:
        peer.welcome("ann", match_line("Tic-tac-toe", "bob", "bob"), *moved, *last, YOURTURN)
        peer.expect("move 3", "OK", move_line("ann", 3), result_line("WIN", -1, 1))
        peer.expect("subscribe Tic-tac-toe", "OK")
        peer.play("Tic-tac-toe", ("ann", "bob"), bot=0)
        peer.goodbye()

    with fake_server(before, still_held, after, cut=cut) as server:
        done = run(*bot(server.port, "Tic-tac-toe", "--matches", 2))
    assert results(done)[0] == "RESULT win bob 1:-1"
    assert len(results(done)) == 2
    assert done.stdout.count("connection lost") == 1
    assert done.stdout.count("not back yet") == 1, "the server still holds the old connection"
    assert done.stdout.count("logged in as ann") == 2


@pytest.mark.parametrize("shown_before_ok", [False, True])
def test_a_bot_started_again_finds_its_match(run, shown_before_ok):
    seat = [match_line("Reversi", "ann", "bob"), YOURTURN]

    def script(peer: Peer) -> None:
        peer.expect("login ann", *(seat if shown_before_ok else ()), "OK", *(() if shown_before_ok else seat))
        heard = {peer.hear(), peer.hear()}
        assert "get gamelist" in heard
        peer.send(
            "OK", "OK", 'SVR GAMELIST ["Reversi", "Tic-tac-toe"]', result_line("LOSS", 0, 0, "Player forfeited match")
        )
        peer.goodbye()

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi"))
    assert results(done) == ["RESULT loss bob 0:0"]


def test_a_match_that_did_not_wait_is_replaced_by_another(run):
    def before(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", "OK", match_line("Tic-tac-toe", "bob", "bob"))

    def after(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", "OK")
        peer.play("Tic-tac-toe", ("cyd", "ann"), bot=1)
        peer.goodbye()

    with fake_server(before, after) as server:
        done = run(*bot(server.port))
    assert len(results(done)) == 1
    assert " cyd " in results(done)[0]


@pytest.mark.parametrize(
    "refusal",
    ["ERR The server is stopping; matches are saved", "ERR The server is about to stop, no new match begins"],
    ids=["restarted", "drained"],
)
def test_a_server_that_begins_no_match_for_now(run, refusal):
    def before(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", refusal)

    def after(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", "OK")
        peer.play("Tic-tac-toe", ("ann", "bob"), bot=0)
        peer.goodbye()

    with fake_server(before, after) as server:
        done = run(*bot(server.port))
    assert len(results(done)) == 1


def test_lost_for_good(request):
    """In both languages at once. A state is told once, however many attempts there are."""
    commands = [PYTHON_BOT, *([request.getfixturevalue("java_bot")] if shutil.which("javac") else [])]

    def gone(peer: Peer) -> None:
        peer.welcome("ann")
        peer.hear()  # what is not read when a socket is closed resets the connection, and the bot tells that

    def lost(command):
        with fake_server(gone) as server:
            return execute(command, *bot(server.port, "Tic-tac-toe", "--retry-for", 1))

    with ThreadPoolExecutor() as pool:
        for done in pool.map(lost, commands):
            assert "no server at 127.0.0.1, port " in sentence(done, 1)
            states = [line for line in done.stdout.splitlines() if re.match("connection lost|not back yet", line)]
            assert states == [
                "connection lost (the server closed it), trying to come back for 1 s",
                "not back yet (Connection refused)",
            ]


def test_no_server_at_all_is_said_at_once(run):
    with fake_server() as server:
        server.thread.join()
        done = run(*bot(server.port))
    assert f"no server at 127.0.0.1, port {server.port}" in sentence(done, 1)
    assert done.stdout == ""


def test_a_refused_login(run):
    def script(peer: Peer) -> None:
        peer.send("A banner", "of two lines")
        peer.expect("login ann", "ERR Duplicate name exists")

    with fake_server(script) as server:
        done = run(*bot(server.port))
    assert sentence(done, 1).endswith("the server refused 'login ann': ERR Duplicate name exists")


def test_the_secret_goes_behind_the_name_and_is_not_printed(run):
    def script(peer: Peer) -> None:
        peer.send("A banner", "of two lines")
        peer.expect("login ann k7mw-x4tp-9hqe", "ERR That is not the secret of 'ann'")

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi", "--secret", "k7mw-x4tp-9hqe"))
    assert sentence(done, 1).endswith("the server refused 'login ann': ERR That is not the secret of 'ann'")


def test_a_refused_challenge(run):
    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect('challenge "bob" "Reversi"', "ERR Unknown player: 'bob'")

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi", "--challenge", "bob"))
    assert "ERR Unknown player: 'bob'" in sentence(done, 1)


def test_challenging_a_house_player(run):
    def script(peer: Peer) -> None:
        peer.welcome("ann")
        for _ in range(2):
            peer.expect('challenge "house-random" "Reversi"', "OK")
            peer.play("Reversi", ("house-random", "ann"), bot=1)
        peer.goodbye()

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi", "--challenge", "house-random", "--matches", 2))
    assert [line.split()[2] for line in results(done)] == ["house-random"] * 2


def test_a_waiting_bot_says_yes_to_a_challenge_at_its_game(run):
    def challenge(number: int, game: str) -> str:
        fields = f'CHALLENGER: "cyd", CHALLENGENUMBER: "{number}", GAMETYPE: "{game}", TURNTIME: "60"'
        return f"SVR GAME CHALLENGE {{{fields}}}"

    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Reversi", "OK", challenge(3, "Tic-tac-toe"), challenge(4, "Reversi"))
        peer.expect("challenge accept 4", "ERR No challenge 4", challenge(5, "Reversi"))
        peer.expect("challenge accept 5", "OK")
        peer.play("Reversi", ("cyd", "ann"), bot=1)
        peer.goodbye()

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi"))
    assert [line.split()[2] for line in results(done)] == ["cyd"]


def test_late_move_does_not_stop_the_bot(run):
    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", "OK", match_line("Tic-tac-toe", "ann", "bob"), YOURTURN)
        assert peer.hear().startswith("move ")
        peer.send(result_line("LOSS", 0, 0, "Turn timelimit reached"), "ERR Not in any match")
        peer.expect("subscribe Tic-tac-toe", "OK")
        peer.play("Tic-tac-toe", ("ann", "bob"), bot=0)
        peer.goodbye()

    with fake_server(script) as server:
        done = run(*bot(server.port, "Tic-tac-toe", "--matches", 2))
    assert results(done)[0] == "RESULT loss bob 0:0"
    assert len(results(done)) == 2


def test_a_game_it_cannot_play(run):
    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Reversi", "OK", match_line("Battleship", "ann", "bob"))

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi"))
    assert sentence(done, 1).endswith("this bot cannot play Battleship")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--name", "ann"],
        ["--name", "ann", "--game", "Go"],
        ["--name", "ann", "--game", "Reversi", "--port", "x"],
        ["--name", "ann", "--game", "Reversi", "--port", "70000"],
        ["--name", "ann", "--game", "Reversi", "--matches", "0"],
        ["--name", "ann", "--game", "Reversi", "--seed", "x"],
        ["--name", "ann", "--game", "Reversi", "--retry-for", "-1"],
        ["--name", "ann", "--game", "Reversi", "--challenge"],
        ["--name", "ann", "--game", "Reversi", "--colour", "black"],
    ],
    ids=" ".join,
)
def test_a_bad_argument_is_one_line(run, arguments):
    sentence(run(*arguments), 2)


def test_both_bots_print_the_same(java_bot):
    """On one free cell there is no choice, so that the two outputs can be compared line by line."""
    board = [move_line(("ann", "bob")[at % 2], cell) for at, cell in enumerate((0, 8, 1, 2, 4, 7, 6, 3))]

    def first(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", "OK", match_line("Tic-tac-toe", "ann", "bob"), *board)

    def second(peer: Peer) -> None:
        peer.welcome("ann", match_line("Tic-tac-toe", "ann", "bob"), *board, YOURTURN, "SVR FOO")
        peer.expect("move 5", "OK", move_line("ann", 5), result_line("DRAW", 0, 0))
        peer.goodbye()

    outputs = []
    for command in (java_bot, PYTHON_BOT):
        with fake_server(first, second) as server:
            done = execute(command, *bot(server.port))
        assert done.returncode == 0, done
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert "RESULT draw bob 0:0" in outputs[0]
