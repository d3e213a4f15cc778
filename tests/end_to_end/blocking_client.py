"""The strict client of the text protocol on a blocking socket, line by line, and two of them that play a match."""

import re
import socket
from collections import deque
from contextlib import suppress

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from tests.clients.strategic import StrategicClient
from tests.end_to_end.support import DEADLINE_S, LOCAL

GAMES = {game.name: game for game in (TIC_TAC_TOE, REVERSI)}

FIELD = re.compile(r'(\w+): "([^"]*)"')


def fields_of(line: str) -> dict[str, str]:
    """The fields between the braces of a line."""
    return dict(FIELD.findall(line))


class BlockingClient:
    """A line client on a blocking socket. It reads one line at a time, and never waits for ever."""

    def __init__(
        self, port: int, host: str = LOCAL, *, source: str = "", receive_buffer: int = 0, banner: bool = True
    ) -> None:
        self.socket = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self._client = StrategicClient(GAMES.get)
        self._unread = b""
        self._news: deque[str] = deque()
        self.socket.settimeout(DEADLINE_S)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.connect((host, port))
        self.banner = [self.line(), self.line()] if banner else []

    def close(self) -> None:
        self.socket.close()

    def log_in(self, name: str) -> None:
        assert self.ask(f"login {name}") == "OK"

    def send(self, *lines: str) -> None:
        self.socket.sendall(self._client.say(*lines))

    def send_bytes(self, data: bytes) -> None:
        self.socket.sendall(self._client.wrote(data))

    def line(self) -> str:
        """The next line; raises `EOFError` at the end of the connection."""
        while b"\n" not in self._unread:
            data = self.socket.recv(65_536)
            if not data:
                assert not self._unread, f"half a line at the end: {self._unread!r}"
                raise EOFError
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        assert line.endswith(b"\r"), f"a line ends with CRLF, not so {line!r}"
        self._client.hear(line[:-1])
        return line[:-1].decode()

    def next(self) -> str:
        """The next line, be it one that came before an answer."""
        return self._news.popleft() if self._news else self.line()

    def expect(self, *beginnings: str) -> str:
        """The next lines, which must begin like this; the last of them."""
        line = ""
        for beginning in beginnings:
            line = self.next()
            assert line.startswith(beginning), f"expected {beginning!r}, got {line!r}"
        return line

    def ask(self, command: str) -> str:
        """Send a command; its answer, OK or ERR. What comes before the answer is kept for `next`."""
        self.send(command)
        while not (line := self.line()).startswith(("OK", "ERR")):
            self._news.append(line)
        return line

    def news(self) -> list[str]:
        """Everything that has been said to this client by now: what comes before the answer to a question."""
        assert self.ask("get gamelist") == "OK"
        assert self.line().startswith("SVR GAMELIST ")
        news = list(self._news)
        self._news.clear()
        return news

    def hears_nothing(self) -> None:
        """Nothing has been said to this client that it has not read."""
        assert self.news() == []

    def rest(self) -> list[str]:
        """Everything until the server closes the connection."""
        lines = list(self._news)
        self._news.clear()
        with suppress(EOFError):
            while True:
                lines.append(self.line())
        return lines


def begin(ann: BlockingClient, bob: BlockingClient, game: str = "Tic-tac-toe") -> tuple[BlockingClient, BlockingClient]:
    """Let two clients find each other; the one who is to move, who has heard YOURTURN, comes first."""
    assert ann.ask(f"subscribe {game}") == "OK"
    assert bob.ask(f"subscribe {game}") == "OK"
    heard = fields_of(ann.expect("SVR GAME MATCH "))
    bob.expect("SVR GAME MATCH ")
    first, second = (bob, ann) if heard["PLAYERTOMOVE"] == heard["OPPONENT"] else (ann, bob)
    first.expect("SVR GAME YOURTURN ")
    return first, second


def play(first: BlockingClient, second: BlockingClient, *moves: int) -> None:
    """Play moves in turns. Both hear each of them, and who is next is asked for the next one."""
    for number, move in enumerate(moves):
        mover, other = (first, second) if number % 2 == 0 else (second, first)
        assert mover.ask(f"move {move}") == "OK"
        said = fields_of(mover.expect("SVR GAME MOVE "))
        assert said["MOVE"] == str(move)
        assert fields_of(other.expect("SVR GAME MOVE ")) == said
        other.expect("SVR GAME YOURTURN ")
