"""The example bots of the text protocol, each in its own process, where a script has to play the server.

The scenarios tell the rest, as a server of ours does it: `tests/check/test_scenarios_with_examples.txt`.
"""

import pytest

from tests.examples.bot_processes import against, are_lost_for_good, results, sentence
from tests.examples.fake_strategic_server import BANNER, YOURTURN, Peer, fake_server, match_line, result_line

BOTS = ("random_bot.py", "RandomBot")


def test_late_move_does_not_stop_the_bot(run):
    def script(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", "OK", match_line("Tic-tac-toe", "ann", "bob"), YOURTURN)
        assert peer.hear().startswith("move ")
        peer.send(result_line("LOSS", 0, 0, "Turn timelimit reached"), "ERR Not in any match")
        peer.expect("subscribe Tic-tac-toe", "OK", match_line("Tic-tac-toe", "cyd", "cyd"), result_line("WIN", 0, 0))
        peer.goodbye()

    done = against(run, "--game Tic-tac-toe --matches 2", script)
    assert results(done) == ["RESULT loss bob 0:0", "RESULT win cyd 0:0"]


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

    done = against(run, "--game Reversi", script)
    assert results(done) == ["RESULT loss bob 0:0"]


@pytest.mark.parametrize(
    "answers",
    [
        ("OK", match_line("Tic-tac-toe", "bob", "bob")),
        ("ERR The server is stopping; matches are saved",),
        ("ERR The server is about to stop, no new match begins",),
    ],
    ids=["its match did not wait", "restarted", "drained"],
)
def test_another_match_is_looked_for(run, answers):
    def before(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", *answers)

    def after(peer: Peer) -> None:
        peer.welcome("ann")
        peer.expect("subscribe Tic-tac-toe", "OK", match_line("Tic-tac-toe", "cyd", "cyd"), result_line("WIN", 0, 0))
        peer.goodbye()

    done = against(run, "--game Tic-tac-toe", before, after)
    assert results(done) == ["RESULT win cyd 0:0"]


def test_lost_for_good(bots):
    are_lost_for_good(bots, "--game Tic-tac-toe", lambda peer: peer.welcome("ann"))


def test_no_server_at_all_is_said_at_once(run):
    with fake_server() as server:
        server.thread.join()
        done = run("--host", "127.0.0.1", "--port", server.port, "--name", "ann", "--game", "Reversi")
    assert f"no server at 127.0.0.1, port {server.port}" in sentence(done, 1)
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("options", "asked", "answers", "said"),
    [
        ("", "login ann", ["ERR Duplicate name exists"], "refused 'login ann': ERR Duplicate name exists"),
        (
            "--secret k7mw-x4tp-9hqe",
            "login ann k7mw-x4tp-9hqe",
            ["ERR That is not the secret of 'ann'"],
            "refused 'login ann': ERR That is not the secret of 'ann'",  # without the secret
        ),
        (
            "--challenge bob",
            'challenge "bob" "Reversi"',
            ["ERR Unknown player: 'bob'"],
            "ERR Unknown player: 'bob'",
        ),
        ("", "subscribe Reversi", ["OK", match_line("Battleship", "ann", "bob")], "this bot cannot play Battleship"),
    ],
)
def test_what_it_cannot_go_on_from_is_said_in_a_sentence(run, options, asked, answers, said):
    def script(peer: Peer) -> None:
        if asked.startswith("login"):
            peer.send(*BANNER)
        else:
            peer.welcome("ann")
        peer.expect(asked, *answers)

    assert sentence(against(run, f"--game Reversi {options}", script), 1).endswith(said)


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
