"""The example bots where they cannot go on: they say so in one sentence and end."""

import pytest

from tests.examples.bot_processes import bot, sentence
from tests.examples.fake_strategic_server import BANNER, Peer, fake_server, match_line

BOTS = ("random_bot.py", "RandomBot")


def test_no_server_at_all_is_said_at_once(run):
    with fake_server() as server:
        server.thread.join()
        done = run(*bot(server.port))
    assert f"no server at 127.0.0.1, port {server.port}" in sentence(done, 1)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("options", "asked", "answers", "said"),
    [
        ((), "login ann", ["ERR Duplicate name exists"], "refused 'login ann': ERR Duplicate name exists"),
        (
            ("--secret", "k7mw-x4tp-9hqe"),
            "login ann k7mw-x4tp-9hqe",
            ["ERR That is not the secret of 'ann'"],
            "refused 'login ann': ERR That is not the secret of 'ann'",  # without the secret
        ),
        (
            ("--challenge", "bob"),
            'challenge "bob" "Reversi"',
            ["ERR Unknown player: 'bob'"],
            "ERR Unknown player: 'bob'",
        ),
        ((), "subscribe Reversi", ["OK", match_line("Battleship", "ann", "bob")], "this bot cannot play Battleship"),
    ],
)
def test_what_it_cannot_go_on_from_is_said_in_a_sentence(run, options, asked, answers, said):
    def script(peer: Peer) -> None:
        if asked.startswith("login"):
            peer.send(*BANNER)
        else:
            peer.welcome("ann")
        peer.expect(asked, *answers)

    with fake_server(script) as server:
        done = run(*bot(server.port, "Reversi", *options))
    assert sentence(done, 1).endswith(said)


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "--name ann --game Go",
        "--name ann --game Reversi --port x",
        "--name ann --game Reversi --matches 0",
        "--name ann --game Reversi --seed x",
        "--name ann --game Reversi --retry-for -1",
        "--name ann --game Reversi --colour black",
    ],
)
def test_a_bad_argument_is_one_line(run, arguments):
    sentence(run(*arguments.split()), 2)
