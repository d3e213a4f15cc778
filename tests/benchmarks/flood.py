"""A process that is no guest: `python flood.py PORT KIND COUNT`, until it is killed.

Every connection does one thing as fast as the server lets it, and throws away what comes back. It is
a process of its own, so that the players beside it are not kept waiting by their own generator.
"""

import json
import random
import select
import socket
import sys
import uuid
from collections.abc import Mapping
from contextlib import suppress
from itertools import count as count_up
from typing import NamedTuple

LINE = b"x" * 1_048_576
JOINS = 200


class Flood(NamedTuple):
    """The bytes that a flood repeats at the door of a protocol, after an opening. No attrs: a flood starts at once."""

    protocol: str
    said: bytes
    opening: bytes = b""


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def _upgrade(path: str) -> bytes:
    asks = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    return (
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{asks}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )


def _frame(content: bytes, opcode: int = 1, *, fin: bool = True) -> bytes:
    """A client's frame of less than 64 KB, with a mask of zeros."""
    length = len(content)
    size = bytes([0x80 | length]) if length < 126 else bytes([0x80 | 126]) + length.to_bytes(2)
    return bytes([0x80 * fin | opcode]) + size + bytes(4) + content


def _join() -> bytes:
    """Somebody else each time who looks for a match."""
    player = str(uuid.UUID(int=random.getrandbits(128)))
    body = json.dumps({"PlayerId": player, "MatchVariant": 0, "MatchModus": 0, "MatchType": 0}).encode()
    head = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return b"POST /api/matches/join HTTP/1.1\r\n" + head.encode() + body


NEW_GAME = b'0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}'
CALL = b'{"type":1,"invocationId":"1","target":"Roll","arguments":["fdd907ca-794a-43f4-83e6-cadfabc57c45"]}\x1e'
HUB_OPENING = _upgrade("/matchhub") + _frame(b'{"protocol":"json","version":1}\x1e')
FRAGMENTS = b"".join(
    [_frame(b"0", fin=False), *(_frame(b"|", 0, fin=False) for _ in range(2_000)), _frame(b"{}", 0)],
)

NUMBER = b"NUMBER"
"""Stands in an opening for a number that no other connection has."""
LOG_IN = b"login lister" + NUMBER + b"\n"

TEXT_FLOODS: Mapping[str, Flood] = {
    "commands": Flood("strategic", b"get gamelist\n" * 2_000),
    "help": Flood("strategic", b"help\n" * 2_000),
    "player list": Flood("strategic", b"get playerlist\n" * 2_000, LOG_IN),
    "long lines": Flood("strategic", LINE),
}
"""Where the players are."""

OTHER_FLOODS: Mapping[str, Flood] = {
    "deep JSON": Flood("connect-four", (b"[" * 16_000 + b"\n") * 20),
    "unknown actions": Flood("connect-four", b'{"action":"fly"}\n' * 2_000),
    "long objects": Flood("connect-four", LINE),
    "new games": Flood("mastermind", (NEW_GAME + b"\n") * 1_000),
    "new games in frames": Flood("http", _frame(NEW_GAME) * 1_000, _upgrade("/echo")),
    "fragments": Flood("http", FRAGMENTS, _upgrade("/echo")),
    "joins": Flood("http", b"".join(_join() for _ in range(JOINS))),
    "hub calls": Flood("http", _frame(CALL) * 500, HUB_OPENING),
    "the lobby's page": Flood("http", _get("/") * 500),
    "JSON of the lobby": Flood("http", _get("/api/v1/lobby") * 500),
    "metrics": Flood("http", _get("/metrics") * 500),
}
"""At the doors of other protocols."""

FLOODS: Mapping[str, Flood] = {**TEXT_FLOODS, **OTHER_FLOODS}


def main(port: int, kind: str, count: int) -> None:
    """Flood, for ever."""
    if kind == LOGINS:
        come_and_go(port, count)
    talk(port, count, FLOODS[kind])


def talk(port: int, count: int, flood: Flood) -> None:
    """Send the same again and again over every connection; one that is closed is made anew."""
    data = flood.said
    poll = select.poll()
    peers: dict[int, tuple[socket.socket, memoryview]] = {}
    numbers = count_up()

    def connect() -> None:
        sock = _connected(port)
        opening = flood.opening.replace(NUMBER, b"%d" % next(numbers))
        peers[sock.fileno()] = sock, memoryview(opening + data)
        poll.register(sock, select.POLLIN | select.POLLOUT)

    for _ in range(count):
        connect()
    print("ready", flush=True)
    while True:
        for number, mask in poll.poll():
            sock, left = peers[number]
            try:
                if mask & select.POLLIN and not sock.recv(262_144):
                    raise ConnectionError
                if mask & select.POLLOUT:
                    left = left[sock.send(left[:65_536]) :]
                    peers[number] = sock, left or memoryview(data)
            except BlockingIOError:
                pass
            except OSError:
                poll.unregister(number)
                del peers[number]
                sock.close()
                connect()


def come_and_go(port: int, count: int) -> None:
    """Connect, log in, and hang up, so many at a time."""
    print("ready", flush=True)
    serial = 0
    while True:
        socks = [_connected(port) for _ in range(count)]
        for sock in socks:
            serial += 1
            with suppress(OSError):
                sock.send(b"login flood%d\nsubscribe Reversi\n" % serial)
        for sock in socks:
            sock.close()


def _connected(port: int) -> socket.socket:
    sock = socket.socket()
    sock.connect(("127.0.0.1", port))
    sock.setblocking(False)
    return sock


LOGINS = "logins"
PROTOCOLS: Mapping[str, str] = {**{kind: flood.protocol for kind, flood in FLOODS.items()}, LOGINS: "strategic"}
"""Whose listener each kind of flood goes to."""

if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
