"""The example bots after a lost connection or a restart: they find their match, or another one."""

import pytest

from tests.examples.bot_processes import CUTS, are_lost_for_good, bot, results
from tests.examples.fake_strategic_server import YOURTURN, Peer, fake_server, match_line, move_line, result_line

BOTS = ("random_bot.py", "RandomBot")


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
        peer.expect("subscribe Tic-tac-toe", "OK")
        peer.play("Tic-tac-toe", ("cyd", "ann"), bot=1)
        peer.goodbye()

    with fake_server(before, after) as server:
        done = run(*bot(server.port))
    (result,) = results(done)
    assert " cyd " in result


def test_lost_for_good(bots):
    def gone(peer: Peer) -> None:
        peer.welcome("ann")
        peer.hear()  # what is not read when a socket is closed resets the connection, and the bot tells that

    def lost(run):
        with fake_server(gone) as server:
            return run(*bot(server.port, "Tic-tac-toe", "--retry-for", 1))

    are_lost_for_good(bots, lost)
