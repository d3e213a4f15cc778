"""Is the peer of a connection still there? Asked when somebody else logs in under the same name.

A live connection wins, so nothing here guesses. A connection is dead when the peer closed or reset
it, or when the kernel has given it up. That takes half a minute as a rule; for as long as somebody
asks, the kernel is told to make sure within three seconds. A player whose network has gone can then
log in from the new one at the second try, and nobody can push a player out who is there.

Rejected: to call a peer dead at its first unanswered probe. On a lossy network everybody is, now and
then, and a stranger could wait for that moment.
"""

import socket
from contextlib import suppress
from functools import partial

import trio

from gameserver.runtime.timers import Timers

PROBE_S = 5.0
"""For how long the kernel is to make sure after somebody asked."""
PROBE_EVERY_S = 60.0
"""How often at most, so that nobody can make another's connection fragile for good."""

_RULE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 30_000}
_PROBE = {"TCP_KEEPIDLE": 1, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 2, "TCP_USER_TIMEOUT": 3_000}
"""Seconds, seconds, probes; and milliseconds for data that is not acknowledged."""


class Probes:
    """Which connections the kernel makes sure of at the moment, by session."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._probed_s: dict[int, float] = {}

    def make_sure(self, session: int, sock: socket.socket) -> None:
        """Have the kernel make sure, for a while, and not too often."""
        now_s = trio.current_time()
        if now_s - self._probed_s.get(session, float("-inf")) > PROBE_EVERY_S:
            self._probed_s[session] = now_s
            probe(sock)
            self._timers.after(PROBE_S, partial(stop_probe, sock))

    def forget(self, session: int) -> None:
        """The connection is gone."""
        self._probed_s.pop(session, None)


def watch(sock: socket.socket) -> None:
    """Have the kernel ask a silent peer, now and then, whether it is there."""
    with suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    _set(sock, _RULE)


def is_dead(sock: socket.socket) -> bool:
    """Whether it is certain that nobody is there: the end, or an error, waits to be read."""
    try:
        return sock.recv(1, socket.MSG_PEEK) == b""
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:
        return True


def probe(sock: socket.socket) -> None:
    """Have the kernel make sure within three seconds; a dead connection then ends by itself."""
    _set(sock, _PROBE)


def stop_probe(sock: socket.socket) -> None:
    """Back to the rule: a short outage of the network is no crime."""
    if sock.fileno() != -1:
        _set(sock, _RULE)


def _set(sock: socket.socket, options: dict[str, int]) -> None:
    """Set what the platform knows of these."""
    for name, value in options.items():
        option = getattr(socket, name, None)
        if option is not None:
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, option, value)
