"""A scripted stand-in for a server of the text protocol: one script per connection."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

BANNER = ("A fake game server, for tests", "It plays what its script says")
TIMEOUT_S = 20


class Peer:
    """The server's end of one connection."""

    end = "\r\n"
    """The line ending of a client."""

    def __init__(self, sock: socket.socket) -> None:
        self.socket = sock
        self.lines = sock.makefile(encoding="utf-8", newline="")
        self.heard: list[str] = []

    def send(self, *lines: str) -> None:
        """Send whole lines."""
        for line in lines:
            self.socket.sendall(f"{line}\r\n".encode())

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
        assert self.hear() == "", "the bot closes the connection after its last match"


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

    def __init__(self, scripts: tuple[Script, ...], peer: type[Peer]) -> None:
        self.scripts = scripts
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
                    peer = self.peer(sock)
                    with peer.lines:
                        script(peer)
        except BaseException as problem:  # noqa: BLE001 - told to the test, which runs in another thread
            self.problem = problem
        finally:
            self.listener.close()


@contextmanager
def fake_server(*scripts: Script, peer: type[Peer] = Peer) -> Iterator[FakeServer]:
    """A running fake; what went wrong in a script goes wrong in the test, and is what the test reports."""
    server = FakeServer(scripts, peer)
    try:
        yield server
    finally:
        server.thread.join(TIMEOUT_S)
        if server.problem:
            raise server.problem
    assert not server.thread.is_alive(), "a script has not come to its end"
