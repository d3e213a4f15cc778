"""The example bots, each in its own process, against a scripted server."""

import pytest

from tests.examples.bot_processes import CUTS, bot, results
from tests.examples.fake_strategic_server import YOURTURN, Peer, fake_server, match_line, move_line, result_line

BOTS = ("random_bot.py", "RandomBot")

# After these moves every move of player one (cells 0, 9 and 25) leaves player two without one, a pass.
# fmt: off
BEFORE_A_PASS = (
    19, 20, 21, 18, 34, 33, 44, 45, 26, 52, 37, 22, 53, 54, 14, 38, 23, 29, 30, 15, 61, 6, 51, 60,
    43, 62, 7, 17, 42, 31, 39, 47, 5, 41, 50, 58, 46, 55, 59, 13, 4, 48, 49, 63, 57, 56, 40, 16,
    10, 11, 24, 32, 2, 12, 3, 8, 1,
)
# fmt: on


@pytest.mark.parametrize(
    ("game", "matches", "seat", "cut"),
    [
        ("Tic-tac-toe", 2, 0, "together"),
        ("Tic-tac-toe", 2, 1, "torn"),
        ("Reversi", 3, 0, "torn"),
        ("Reversi", 3, 1, "lines"),
        ("Connect-four-3D", 4, 0, "lines"),
        ("Connect-four-3D", 4, 1, "lines"),
    ],
)
def test_some_matches_to_the_end(run, game, matches, seat, cut):
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
