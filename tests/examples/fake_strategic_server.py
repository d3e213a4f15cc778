"""A scripted stand-in for a server of the text protocol: one script per connection, any way of cutting lines up."""

import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import Any

from tests.support.own_plugins import OWN

BANNER = ("A fake game server, for tests", "It plays what its script says")
TIMEOUT_S = 20


class Peer:
    """The server's end of one connection."""

    end = "\r\n"
    """The line ending of a client."""

    def __init__(self, sock: socket.socket, cut: str) -> None:
        self.socket = sock
        self.cut = cut
        self.lines = sock.makefile(encoding="utf-8", newline="")
        self.heard: list[str] = []

    def send(self, *lines: str) -> None:
        """Send whole lines, cut up as this server cuts: each alone, all together, or torn apart anywhere."""
        together = "".join(f"{line}\r\n" for line in lines).encode()
        if self.cut == "together":
            pieces = [together]
        elif self.cut == "torn":  # every line in three, one cut between CR and LF: the rest goes with the next line
            cuts = [at for i, b in enumerate(together) if b == ord("\n") for at in (i, i - 3, max(0, i - 17))]
            marks = sorted({0, *cuts, len(together)})
            pieces = [together[a:b] for a, b in pairwise(marks)]
        else:
            pieces = together.splitlines(keepends=True)
        for piece in pieces:
            self.socket.sendall(piece)
            if len(pieces) > 1 and self.cut == "torn":
                time.sleep(0.001)  # without a pause the kernel would join them again

    def hear(self) -> str:
        line = self.lines.readline()
        assert line == "" or line.endswith(self.end), f"a command ends in {self.end!r}, this one does not: {line!r}"
        self.heard.append(line.rstrip())
        return line.rstrip()

    def expect(self, command: str, *answers: str) -> None:
        heard = self.hear()
        assert heard == command, f"expected {command!r}, heard {heard!r} after {self.heard[:-1]}"
        self.send(*answers)

    def welcome(self, name: str, *shown: str) -> None:
        """Banner and login; `shown` is a match that is still running."""
        self.send(*BANNER)
        self.expect(f"login {name}", "OK", *shown)
        self.expect("get gamelist", "OK", 'SVR GAMELIST ["Reversi", "Tic-tac-toe"]')

    def goodbye(self) -> None:
        self.expect("logout")
        # A reset where the last line was torn: its LF comes after the bot has taken the CR for the end and closed.
        with suppress(ConnectionResetError):
            assert self.hear() == "", "the bot closes the connection after its last match"

    def play(self, game: str, names: tuple[str, str], bot: int, seed: int = 0, opening: tuple[int, ...] = ()) -> str:
        """Play a match to its end, the other side at random, from where `opening` leads; give back the bot's result."""
        dice, rules = random.Random(seed), OWN.games[game.lower()]
        state = rules.start(rules.options_type())
        shown = [match_line(game, names[0], names[1 - bot])]
        for cell in opening:
            (mover,) = state.turn.seats
            shown.append(move_line(names[mover], cell))
            state = state.play(mover, cell)
        while state.turn.seats:
            (mover,) = state.turn.seats
            if mover == bot:
                self.send(*shown, YOURTURN)
                command, _, text = self.hear().partition(" ")
                assert command == "move", self.heard
                cell, shown = int(text), ["OK"]
            else:
                cell = dice.choice(state.legal_moves(mover))
            state = state.play(mover, cell)
            shown.append(move_line(names[mover], cell))
        assert state.outcome is not None
        scores, winners = state.outcome.points, state.outcome.winners
        result = "DRAW" if not winners else "WIN" if bot in winners else "LOSS"
        self.send(*shown, result_line(result, *scores))
        return f"RESULT {result.lower()} {names[1 - bot]} {scores[bot]}:{scores[1 - bot]}"


YOURTURN = 'SVR GAME YOURTURN {TURNMESSAGE: ""}'


def match_line(game: str, first: str, opponent: str) -> str:
    return f'SVR GAME MATCH {{PLAYERTOMOVE: "{first}", GAMETYPE: "{game}", OPPONENT: "{opponent}"}}'


def move_line(player: str, move: object, details: str = "") -> str:
    return f'SVR GAME MOVE {{PLAYER: "{player}", MOVE: "{move}", DETAILS: "{details}"}}'


def result_line(result: str, one: int, two: int, comment: str = "") -> str:
    return f'SVR GAME {result} {{PLAYERONESCORE: "{one}", PLAYERTWOSCORE: "{two}", COMMENT: "{comment}"}}'


Script = Callable[[Any], None]


class FakeServer:
    """Listens on a port of its own; the first connection meets the first script, the second the second."""

    def __init__(self, scripts: tuple[Script, ...], cut: str, peer: type[Peer]) -> None:
        self.scripts = scripts
        self.cut = cut
        self.peer = peer
        self.problem: BaseException | None = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(TIMEOUT_S)
        self.port: int = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self) -> None:
        try:
            for script in self.scripts:
                sock, _ = self.listener.accept()
                with sock:
                    sock.settimeout(TIMEOUT_S)
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    peer = self.peer(sock, self.cut)
                    with peer.lines:
                        script(peer)
        except BaseException as problem:  # noqa: BLE001 - told to the test, which runs in another thread
            self.problem = problem
        finally:
            self.listener.close()


@contextmanager
def fake_server(*scripts: Script, cut: str = "lines", peer: type[Peer] = Peer) -> Iterator[FakeServer]:
    """A running fake; what went wrong in a script goes wrong in the test, and is what the test reports."""
    server = FakeServer(scripts, cut, peer)
    try:
        yield server
    finally:
        server.thread.join(TIMEOUT_S)
        if server.problem:
            raise server.problem
    assert not server.thread.is_alive(), "a script has not come to its end"
