"""Policies in a lobby: which games can be followed by their lines, and what an agent says on the wire."""

import re
import time
from typing import Any

import pytest

from gameserver.agent import play
from gameserver.followed_match import UnknownPosition, rehearse
from tests.examples.fake_strategic_server import (
    BANNER,
    YOURTURN,
    FakeServer,
    Peer,
    fake_server,
    match_line,
    move_line,
    result_line,
)
from tests.support.own_plugins import GAMES

BY_NAME = {game.name: game for game in GAMES}


@pytest.mark.parametrize(
    ("name", "hides", "why"),
    [
        ("Connect-four-3D", "", ""),
        ("Backgammon", "", ""),
        ("Portes", "", ""),  # it rolls twice before the first move, and nobody is told who is white
        ("Pig", "", ""),
        ("Pig", "prompt", ""),
        ("Pig", "prompt reaction", "its lines do not tell what chance drew"),
        ("Mastermind", "", "its moves are hidden"),
        ("Tavli", "", "its matches are several games, and no line tells which"),
    ],
)
def test_a_game_can_be_played_if_its_lines_tell_the_position(name, hides, why, monkeypatch):
    game, options = BY_NAME[name], BY_NAME[name].options_type()
    for text in hides.split():
        monkeypatch.setattr(type(game.start(options)), text, lambda state, viewer: "")
    if not why:
        rehearse(game, options, game.coding(options))
        return
    with pytest.raises(UnknownPosition, match=f"^{why}$"):
        rehearse(game, options, game.coding(options))


def first_free(_, mask) -> int:
    return int(mask.argmax())


def at(server: FakeServer) -> dict[str, Any]:
    return {"host": "127.0.0.1", "port": server.port}


def test_a_game_that_cannot_be_followed_is_refused_before_anybody_is_called():
    with pytest.raises(ValueError, match=r"^agents cannot play Mastermind here: its moves are hidden$"):
        play(first_free, "mastermind", "ann", port=1)


class Together(Peer):
    """A server whose lines arrive in one piece."""

    def send(self, *lines: str) -> None:
        self.socket.sendall("".join(f"{line}\r\n" for line in lines).encode())


class Torn(Peer):
    """A server of whose lines each arrives in three pieces; the last of them is cut between CR and LF."""

    def send(self, *lines: str) -> None:
        for line in lines:
            for piece in (line[:-16], f"{line[-16:]}\r", "\n"):
                self.socket.sendall(piece.encode())
                time.sleep(0.001)  # without a pause the kernel would join them again


@pytest.mark.parametrize("peer", [Torn, Together])
def test_an_agent_goes_on_with_its_match_survives_refusals_and_accepts_challenges(peer, capsys):
    challenge = 'SVR GAME CHALLENGE {CHALLENGER: "eve", CHALLENGENUMBER: "7", GAMETYPE: "Tic-tac-toe", TURNTIME: "9"}'

    def script(peer: Peer) -> None:
        peer.send(*BANNER)
        shown = (match_line("Tic-tac-toe", "bob", "bob"), move_line("bob", 0), move_line("ann", 1), move_line("bob", 2))
        peer.expect("login ann apple-pie", "OK", *shown, challenge, "SVR NEWS {}", YOURTURN)
        peer.expect("move 3", "ERR Too early: that move came before YOURTURN", YOURTURN)
        late = move_line("ann", 3), move_line("bob", 4, "Turn timelimit reached")
        peer.expect("move 3", "OK", *late, YOURTURN)
        peer.expect("move 5", "OK", move_line("ann", 5), result_line("LOSS", 0, 0, "Player forfeited match"))
        peer.expect("challenge accept 7", "OK", match_line("Tic-tac-toe", "ann", "eve"), YOURTURN)
        peer.expect("move 0", "OK", move_line("ann", 0), move_line("eve", 0, "Illegal move"))
        peer.send(result_line("WIN", 1, -1, "Illegal move"), match_line("Reversi", "ann", "eve"), YOURTURN)
        peer.expect("forfeit", "OK", result_line("LOSS", 0, 0))
        peer.expect("logout")

    with fake_server(script, peer=peer) as server:
        won = play(first_free, "Tic-tac-toe", "ann", **at(server), secret="apple-pie", matches=3)
    assert won == {"win": 1, "loss": 2}
    assert capsys.readouterr().out.splitlines() == [
        "the server refused 'move 3': ERR Too early: that move came before YOURTURN",
        "end of match: Player forfeited match",
        "RESULT loss bob 0:0",
        "end of match: Illegal move",
        "RESULT win eve 1:-1",
        "giving the match against eve up: it is no match of Tic-tac-toe",
        "RESULT loss eve 0:0",
    ]


def test_an_illegal_action_costs_a_good_move_and_a_lost_connection_is_told_in_a_line(capsys):
    def script(peer: Peer) -> None:
        peer.send(*BANNER)
        peer.expect("login ann", "OK")
        peer.expect(
            'challenge "bob" "Tic-tac-toe"',
            "OK",
            match_line("Tic-tac-toe", "bob", "bob"),
            move_line("bob", 0),
            YOURTURN,
        )
        peer.expect("move 1", "OK")

    with fake_server(script) as server:
        gone = re.escape(f"ann plays no more at 127.0.0.1, port {server.port}: the server closed the connection")
        with pytest.raises(ConnectionError, match=f"^{gone}$"):
            play(lambda *_: 0, "tic-tac-toe", "ann", **at(server), challenge="bob")
    assert capsys.readouterr().out == "the policy chose the illegal action 0, playing 1 instead\n"


@pytest.mark.parametrize(
    ("answers", "told", "why"),
    [
        (
            ["ERR Duplicate name exists"],
            "the server refused 'login ann': ERR Duplicate name exists",
            "ERR Duplicate .*",
        ),
        (["OK", "ERR The server is stopping"], "the server says: ERR The server is stopping", "the server closed .*"),
    ],
)
def test_what_keeps_an_agent_from_playing_is_told_in_a_line(answers, told, why, capsys):
    def script(peer: Peer) -> None:
        peer.send(*BANNER)
        peer.expect("login ann", *answers)

    with fake_server(script) as server, pytest.raises(ConnectionError, match=rf"^ann plays no more .*: {why}$"):
        play(first_free, "Tic-tac-toe", "ann", **at(server))
    assert capsys.readouterr().out == f"{told}\n"
