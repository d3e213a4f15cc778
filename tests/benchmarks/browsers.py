"""Players in a browser beside players of the text protocol: the same matches, and the server's CPU for a move.

A browser here does what the page does: it is ready as soon as it is asked, and asks for the board, with its picture,
whenever a match begins and after every move, its own and the opponent's.
"""

import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.generator import Loop, Tally, connected, now_s
from tests.benchmarks.hub import READ_BYTES, first_payload, frame
from tests.benchmarks.load import SETUP_TIMEOUT_S, gathered_pairs, medians, one_round
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.players import SCRIPTS, Pace, scripts
from tests.benchmarks.processes import BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Row

UPGRADE = (
    b"GET /play/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
ACCEPT, READY, BOARD = (frame(b'{"do":"%s"}' % do) for do in (b"accept", b"ready", b"board"))
TELL = b'{"tell":"'


class Browser:
    """One half of a pair. The board that is asked for after the last move is refused, as the match is over."""

    def __init__(self, name: str, rival: str, sock: socket.socket, tally: Tally, pace: Pace) -> None:
        self.sock = sock
        self.sent_s = now_s()
        self.opponent: Browser | None = None
        self.at_play = False
        self._name, self._tally, self._pace = name, tally, pace
        self._challenge = frame(b'{"do":"challenge","to":"%s","game":"Tic-tac-toe"}' % rival.encode())
        self._unread = b""
        self._matches = 0
        self._moves: Iterator[int] = iter(())
        self._begins = False

    def begin(self) -> None:
        """Challenge the opponent."""
        self.sock.send(self._challenge)

    def on_readable(self) -> None:
        """React to whatever messages have come."""
        data = self.sock.recv(READ_BYTES)
        if not data:
            raise BenchmarkError("the server closed a connection")
        self._unread += data
        while (message := self._message()) is not None:
            self._hear(message)

    def move(self) -> None:
        """Send the next move of the script."""
        self._tally.moves += 1
        self.sent_s = now_s()
        self.sock.send(frame(b'{"do":"move","move":"%d"}' % next(self._moves)))

    def _message(self) -> bytes | None:
        payload, self._unread = first_payload(self._unread)
        return payload

    def _hear(self, message: bytes) -> None:
        told = message[len(TELL) : message.index(b'"', len(TELL))]
        if told == b"turn":
            self._take_turn()
        elif told == b"moved":
            self.sock.send(BOARD)
        elif told == b"challenged":
            self.sock.send(ACCEPT)
        elif told == b"paired":
            self.sock.send(READY)
        elif told == b"match":
            self._take_seat(message)
        elif told == b"match over" and b'"reason":"played"' in message:
            if self._name.endswith("a"):
                self.begin()
        elif told in {b"error", b"goodbye", b"match over"} and b'"do":"board"' not in message:
            raise BenchmarkError(f"{self._name} was told: {message.decode()}")

    def _take_seat(self, message: bytes) -> None:
        self._begins = b'"you":0' in message
        self._moves = iter(scripts()[self._matches % SCRIPTS][0 if self._begins else 1 :: 2])
        self._matches += 1
        self.at_play = True
        self.sock.send(BOARD)

    def _take_turn(self) -> None:
        if self._begins:
            self._begins = False
        else:
            assert self.opponent is not None
            self._tally.latencies_s.append(now_s() - self.opponent.sent_s)
        self._pace.move(self)


def measure(plan: Plan) -> list[Row]:
    """The browsers at full speed, and at the pace of people, each beside as many players of the text protocol."""
    return [_row(plan, plan.browser_pairs, pause_s) for pause_s in (0.0, plan.pause_s)]


def _row(plan: Plan, pairs: int, pause_s: float) -> Row:
    """In turns, so that a noisy moment hits both; the median of the rounds."""
    rounds: dict[str, list[Figures]] = {"http": [], "strategic": []}
    gather = {"http": _gathered_browsers, "strategic": gathered_pairs}
    what = f"{2 * pairs} browsers" + (f", a move every {pause_s:g} s" if pause_s else "")
    for number in range(plan.rounds):
        for protocol in sorted(rounds, reverse=number % 2 == 0):
            with TemporaryDirectory() as name:
                directory = Path(name)
                with running(gameserver(directory, protocol=protocol), directory, plan.cores) as process:
                    note(f"{what}, round {number + 1}: {protocol} (process {process.popen.pid})")
                    rounds[protocol].append(one_round(process, gather[protocol], plan, pairs, pause_s))
    return Row("browsers", what, medians(rounds["http"]), medians(rounds["strategic"]), rounds, baseline="text")


def _gathered_browsers(process: Running, pairs: int, working: Loop, tally: Tally, pace: Pace) -> Sequence[Browser]:
    """Everybody logged in; then one of each two challenges the other."""
    browsers = []
    for number in range(pairs):
        names = f"p{number:05}a", f"p{number:05}b"
        pair = [Browser(own, other, _opened(process, own), tally, pace) for own, other in (names, names[::-1])]
        pair[0].opponent, pair[1].opponent = pair[1], pair[0]
        browsers += pair
    for browser in browsers:
        working.add(browser.sock, browser.on_readable)
    for browser in browsers[::2]:
        browser.begin()
    working.run_until(lambda: all(one.at_play for one in browsers), SETUP_TIMEOUT_S, "not everybody plays")
    return browsers


def _opened(process: Running, name: str) -> socket.socket:
    """A WebSocket whose player has logged in."""
    sock = connected(process.port)
    sock.settimeout(SETUP_TIMEOUT_S)
    for said, answered in (
        (UPGRADE, b'"version":1}'),
        (frame(b'{"do":"login","name":"%s"}' % name.encode()), b'"}'),
    ):
        sock.sendall(said)
        heard = b""
        while not heard.endswith(answered):
            heard += sock.recv(READ_BYTES)
    sock.setblocking(False)
    return sock
