"""The example bots where they cannot go on: they say so in one sentence and end."""

import pytest

from tests.examples.bot_processes import sentence
from tests.examples.fake_strategic_server import Peer, fake_server, match_line
from tests.examples.random_bots import bot


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
