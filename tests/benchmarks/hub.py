"""Backgammon through the SignalR hub: plays a second, the server's CPU for each, and the bytes of a game's state.

Both players of every match are clients of the hub. Each does at once what the last event allows it: it rolls, moves one
checker by one die after the other, of the sequences that it was told, and ends its turn. Nobody doubles.
"""

import http.client
import json
import random
import re
import socket
import uuid
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import Factory, define

from tests.benchmarks.generator import Loop, Tally, connected, loop, now_s
from tests.benchmarks.guesses import BARE, Guesser
from tests.benchmarks.load import SETUP_TIMEOUT_S, medians
from tests.benchmarks.measuring import measured
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import ECHO, BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Row

JOIN = {"MatchVariant": 0, "MatchModus": 0, "MatchType": 1}
"""Backgammon to seven points: a match is long, so it is its plays that are measured."""
UPGRADE = (
    b"GET /matchhub HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
SEPARATOR = b"\x1e"
HANDSHAKE = b'{"protocol":"json","version":1}' + SEPARATOR
READ_BYTES = 262_144
ACTIONS = {"StartGame", "Roll", "Move", "EndTurn"}
ALLOWED = b'"allowedCommands":["'
FIRST_MOVES = re.compile(rb'"moves":\[\{"from":(-?\d+),"to":(-?\d+)\}')
EXTENDED_LENGTHS = {126: 2, 127: 8}


@define
class Counts:
    """The totals of all clients."""

    calls: Tally = Factory(Tally)
    plays: int = 0
    states: int = 0
    state_bytes: int = 0

    def reset(self) -> None:
        """Begin to count."""
        self.calls.reset()
        self.plays = self.states = self.state_bytes = 0


def first_payload(unread: bytes) -> tuple[bytes | None, bytes]:
    """The payload of the first frame of a server and what comes after it; None as long as the frame is not whole."""
    if len(unread) < 2:
        return None, unread
    length, begin = unread[1], 2
    if length in EXTENDED_LENGTHS:
        begin += EXTENDED_LENGTHS[length]
        length = int.from_bytes(unread[2:begin])
    end = begin + length
    return (None, unread) if len(unread) < end else (unread[begin:end], unread[end:])


def frame(text: bytes) -> bytes:
    """A client's message. The mask of zeros changes nothing, so it costs the generator nothing."""
    length = len(text)
    size = bytes([0x80 | length]) if length < 126 else bytes([0x80 | 126]) + length.to_bytes(2)
    return b"\x81" + size + bytes(4) + text


def join(port: int, player: str) -> str:
    """Look for an opponent; the id of the match. Waits for the answer, which a client does once a match."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SETUP_TIMEOUT_S)
    body = json.dumps({"PlayerId": player, **JOIN})
    connection.request("POST", "/api/matches/join", body, {"Content-Type": "application/json"})
    answer = json.load(connection.getresponse())
    connection.close()
    if answer["type"] != "OK":
        raise BenchmarkError(f"a player could not join: {answer}")
    return str(answer["payload"]["matchId"])


class Seat:
    """One client of the hub."""

    def __init__(self, port: int, sock: socket.socket, counts: Counts) -> None:
        self.sock = sock
        self._port, self._counts = port, counts
        self._player = str(uuid.uuid4())
        self._unread = b""
        self._message = b""
        self._next: tuple[str, str] | None = None
        self._is_called = False
        self._sent_s = 0.0
        self._join()

    def on_readable(self) -> None:
        """Hear what has come, and do what it allows."""
        data = self.sock.recv(READ_BYTES)
        if not data:
            raise BenchmarkError("the server closed a connection")
        self._unread += data
        while (payload := self._frame()) is not None:
            *records, self._message = (self._message + payload).split(SEPARATOR)
            for record in records:
                self._hear(record)
        self.call()

    def _frame(self) -> bytes | None:
        """The payload of the next frame, if it is there."""
        payload, self._unread = first_payload(self._unread)
        return payload

    def _hear(self, record: bytes) -> None:
        if record.startswith(b'{"type":3'):
            self._is_called = False
            self._counts.calls.moves += 1
            self._counts.calls.latencies_s.append(now_s() - self._sent_s)
            return
        if b'"target":"error"' in record:
            raise BenchmarkError(f"a player was told: {record.decode()}")
        if b'"target":"game-state"' in record:
            self._counts.states += 1
            self._counts.state_bytes += len(record) + 1
        elif b'"target":"match-ended"' in record:
            self._join()
            return
        begin = record.rfind(ALLOWED) + len(ALLOWED)
        method = record[begin : record.find(b'"', begin)].decode() if begin >= len(ALLOWED) else ""
        if method == "Move":
            source, target = random.choice(FIRST_MOVES.findall(record))
            self._next = method, f",{source.decode()},{target.decode()}"
        elif method in ACTIONS:
            self._next = method, ""

    def _join(self) -> None:
        self._match_id = join(self._port, self._player)
        self._next = "JoinMatch", f',"{self._player}"'

    def call(self) -> None:
        """Invoke what is next, if anything is."""
        if self._next is None or self._is_called:
            return
        (method, arguments), self._next = self._next, None
        self._is_called = True
        self._counts.plays += method == "EndTurn"
        text = f'{{"type":1,"invocationId":"1","target":"{method}","arguments":["{self._match_id}"{arguments}]}}'
        self._sent_s = now_s()
        self.sock.send(frame(text.encode() + SEPARATOR))


def measure(plan: Plan) -> list[Row]:
    """Each number of matches, the bare echo beside it."""
    return [_row(plan, pairs) for pairs in plan.hub_pairs]


def _row(plan: Plan, pairs: int) -> Row:
    """In turns, so that a noisy moment hits both; the median of the rounds."""
    server: list[Figures] = []
    echo: list[Figures] = []
    what = f"{pairs} {'match' if pairs == 1 else 'matches'} of Backgammon"
    for number in range(plan.rounds):
        with TemporaryDirectory() as name:
            directory = Path(name)
            subjects = ((gameserver(directory, protocol="http"), server), (ECHO, echo))
            for subject, rounds in subjects if number % 2 == 0 else reversed(subjects):
                with running(subject, directory, plan.cores) as process:
                    note(f"hub: {what}, round {number + 1}: {subject.name} (process {process.popen.pid})")
                    rounds.append(_round(process, plan, pairs, is_echo=subject is ECHO))
    return Row("hub", what, medians(server), medians(echo), {"server": server, "echo": echo})


def _round(process: Running, plan: Plan, pairs: int, *, is_echo: bool) -> Figures:
    counts = Counts()
    with loop() as working:
        for _ in range(pairs):
            if is_echo:
                _add_echoed(process, working, counts)
            else:
                _add_pair(process, working, counts)
        calls = measured(
            process,
            working,
            counts.calls,
            "call",
            "calls",
            warmup_s=plan.warmup_s,
            seconds=plan.seconds,
            reset=counts.reset,
        )
    if is_echo:
        return calls
    if not counts.plays:
        raise BenchmarkError("no play was made")
    calls_a_play = counts.calls.moves / counts.plays
    plays: Figures = {
        "plays/s": calls["calls/s"] / calls_a_play,
        "CPU us/play": calls["CPU us/call"] * calls_a_play,
        "calls/play": calls_a_play,
        "bytes/state": counts.state_bytes / counts.states,
    }
    return plays | calls


def _add_pair(process: Running, working: Loop, counts: Counts) -> None:
    """Two players who find each other, and have found nobody else: they are the only ones who look for somebody."""
    for _ in range(2):
        sock = connected(process.port)
        sock.settimeout(SETUP_TIMEOUT_S)
        for said, answered in ((UPGRADE, b"\r\n\r\n"), (frame(HANDSHAKE), b"{}" + SEPARATOR)):
            sock.sendall(said)
            heard = b""
            while not heard.endswith(answered):
                heard += sock.recv(READ_BYTES)
        sock.setblocking(False)
        seat = Seat(process.port, sock, counts)
        working.add(sock, seat.on_readable)
        seat.call()


def _add_echoed(process: Running, working: Loop, counts: Counts) -> None:
    """A line under way for each match, in which one player waits for the server too."""
    sock = connected(process.port)
    guesser = Guesser(sock, BARE, [BARE.written(b"")], counts.calls)
    working.add(sock, guesser.on_readable)
    guesser.begin()
