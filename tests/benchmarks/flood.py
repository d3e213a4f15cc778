"""A process that is no guest: `python flood.py PORT KIND COUNT`, until it is killed.

Every connection does one thing as fast as the server lets it, and throws away what comes back. It is
a process of its own, so that the players beside it are not kept waiting by their own generator.
"""

import select
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

COMMANDS = b"get gamelist\n" * 2_000
HELP = b"help\n" * 2_000
LINE = b"x" * 1_048_576

FLOODS: Mapping[str, bytes] = {"commands": COMMANDS, "help": HELP, "long lines": LINE}
"""What is sent over and over."""


def main(port: int, kind: str, count: int) -> None:
    """Flood, for ever."""
    if kind == "logins":
        come_and_go(port, count)
    talk(port, count, FLOODS[kind])


def talk(port: int, count: int, data: bytes) -> None:
    """Send the same again and again over every connection; one that is closed is made anew."""
    poll = select.poll()
    peers: dict[int, tuple[socket.socket, memoryview]] = {}

    def connect() -> None:
        sock = _connected(port)
        peers[sock.fileno()] = sock, memoryview(data)
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


KINDS: Mapping[str, Callable[..., None]] = {**dict.fromkeys(FLOODS, talk), "logins": come_and_go}

if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
