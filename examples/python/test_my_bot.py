"""Plays recorded conversations again, to the bot. `python3 -m unittest` runs it.

A recording is the log of a bot. A server of our own sends its `<` lines, and expects its `>` lines from the bot. Put
the log of a match that went wrong into `recorded/`, and it is played again here, as often as it takes to find the
mistake.
"""

import contextlib
import io
import re
import socket
import threading
import unittest
from pathlib import Path

from board import ME, OPPONENT, Board
from client import Client, GiveUp, Options
from strategy import choose

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.txt"))
SPOKEN = re.compile(r"\S+ ([<>]) ?(.*)")  # 12:00:01.123 > move 19
TIMEOUT_S = 10


class RecordedServer(threading.Thread):
    """A server that can do nothing but repeat one conversation."""

    def __init__(self, spoken: list[tuple[str, str]], *, cut: bool) -> None:
        super().__init__(daemon=True)
        self.spoken = spoken
        self.cut = cut  # send every byte alone?
        self.problem = "the conversation is not over"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(TIMEOUT_S)
        self.port = self.listener.getsockname()[1]

    def run(self) -> None:
        """Say and hear everything; what goes wrong is told to the test, which runs in another thread."""
        connection = None
        try:
            for mark, text in self.spoken:
                if mark == "<":
                    self.say(connection, text + "\r\n")
                    continue
                if text.startswith("login "):  # again? Then the connection was lost before
                    self.hang_up(connection)
                    connection = self.listener.accept()[0]
                    connection.settimeout(TIMEOUT_S)
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                heard = self.hear(connection)
                if heard != text:
                    self.problem = f"the bot said {heard!r} instead of {text!r}"
                    return
            self.problem = ""
        except OSError as problem:
            self.problem = f"at {text!r}: {problem}"
        finally:
            self.listener.close()
            self.hang_up(connection)

    def hang_up(self, connection: socket.socket | None) -> None:
        """Close a connection so that the bot still gets all that was sent: first say that no more comes."""
        if connection:
            with contextlib.suppress(OSError), connection:
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096):
                    pass

    def say(self, connection: socket.socket, text: str) -> None:
        """Send a line, whole or byte by byte."""
        line = text.encode()
        for piece in [line[n : n + 1] for n in range(len(line))] if self.cut else [line]:
            connection.sendall(piece)

    def hear(self, connection: socket.socket) -> str:
        """One line from the bot."""
        line = b""
        while not line.endswith(b"\n"):
            received = connection.recv(1)
            if not received:
                return f"{line.decode()} (and closed the connection)"
            line += received
        return line.decode().strip()


def read(path: Path) -> list[tuple[str, str]]:
    """The lines of server and bot, without signs of life (here nobody is silent for long) and the logout at the end."""
    lines = path.read_text(encoding="utf-8").splitlines()
    spoken: list[tuple[str, str]] = []
    command, answers = "", 0
    for found in filter(None, map(SPOKEN.fullmatch, lines)):
        mark, text = found.groups()
        if text == "get gamelist" and not command.startswith("login "):
            answers = 2  # OK and the list
        elif answers and (text == "OK" or text.startswith("SVR GAMELIST ")):
            answers -= 1
        else:
            spoken.append((mark, text))
        command = text if mark == ">" else command
    return spoken[:-1] if spoken[-1] == (">", "logout") else spoken


class RecordedTest(unittest.TestCase):
    """The bot behaves as it did, however the network cuts the bytes up."""

    def play(self, path: Path, *, cut: bool) -> None:
        """Play one recording again."""
        spoken = read(path)
        said = [text for mark, text in spoken if mark == ">"]
        moves = iter([int(text.split()[1]) for text in said if text.startswith("move ")])
        results = [text for mark, text in spoken if re.match("SVR GAME (WIN|LOSS|DRAW)", text)]

        def choose_again(board: Board, legal: list[int]) -> int:
            self.assertIn(choose(board.copy(), legal), legal, "your strategy found no legal move")
            move = next(moves)
            self.assertIn(move, legal)
            return move

        server = RecordedServer(spoken, cut=cut)
        options = Options("127.0.0.1", server.port, said[0].removeprefix("login "), retry_for=0)
        for text in said:  # the options with which that bot was started show in what it said
            if found := re.fullmatch("subscribe (.*)", text):
                options.game = found[1]
            elif found := re.fullmatch('challenge "(.*)" "(.*)"', text):
                options.challenge, options.game = found[1], found[2]
        server.start()
        client = Client(options, choose_again)
        log = io.StringIO()
        with contextlib.redirect_stdout(log), contextlib.redirect_stderr(log), contextlib.suppress(GiveUp):
            client.run()  # it gives up at the end, because the server is gone
        server.join(TIMEOUT_S)
        self.assertEqual(server.problem, "", log.getvalue())
        self.assertNotIn("Traceback", log.getvalue())
        self.assertEqual(client.played, len(results))
        news = [text for _, text in spoken if re.match("SVR GAME (MATCH|WIN|LOSS|DRAW)", text)]
        if client.board and client.board.game == "Reversi" and 'COMMENT: ""' in news[-1]:  # played to its end
            scores = re.findall(r'SCORE: "(\d+)"', news[-1])
            discs = [client.board.cells.count(player) for player in (ME, OPPONENT)]
            self.assertEqual(sorted(map(str, discs)), sorted(scores))

    def test_whole_lines(self) -> None:
        """Every line in a packet of its own, or several in one."""
        for path in RECORDED:
            with self.subTest(recording=path.name):
                self.play(path, cut=False)

    def test_byte_by_byte(self) -> None:
        """Every byte alone."""
        for path in RECORDED:
            with self.subTest(recording=path.name):
                self.play(path, cut=True)


if __name__ == "__main__":
    unittest.main()
