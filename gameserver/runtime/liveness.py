"""Is the peer of a connection still there? Asked when a newcomer wants the name or the seat that it holds.

A live connection wins, so nothing here guesses. A connection is dead when the peer closed or reset
it, when the kernel has given it up, or when no segment at all has come back for three seconds after
our ping. Without a newcomer the kernel takes half a minute to find that out; for as long as one waits
it is told to make sure within three seconds. The newcomer is answered when it is known: a client that
comes back 0.2 s after its network went asks once, and is in its seat three seconds later.

A protocol without pings has nothing to wait for: its newcomer is answered at once, and gets in at the
second try, when the kernel has made sure.

A pong ends the wait, and so does anything else that is read. What the peer's kernel acknowledges
without a pong is alive when the wait is over: a bot that thinks for three seconds in its only thread.

Rejected: to call a peer dead at its first unanswered probe. On a lossy network everybody is, now and
then, and a stranger could wait for that moment.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Protocol

import structlog
import trio
from attrs import define, field

from gameserver.adapter import Adapter
from gameserver.runtime.round_trip import is_unanswered, was_heard
from gameserver.runtime.stage import Stage
from gameserver.runtime.timers import Timers

WAIT_S = 3.0
"""How long a newcomer waits at most."""
LOOK_EVERY_S = 0.05
PROBE_S = 5.0
"""For how long the kernel is to make sure after somebody asked."""
PROBE_EVERY_S = 60.0
"""How often at most, so that nobody can make another's connection fragile for good. Newcomers in between are answered
at once."""
DEAD = "the connection was dead when its player came again"

_RULE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 30_000}
_PROBE = {"TCP_KEEPIDLE": 1, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 2, "TCP_USER_TIMEOUT": 3_000}
"""Seconds, seconds, probes; and milliseconds for data that is not acknowledged."""


log = structlog.get_logger()


class Holder(Protocol):
    """The connection that holds what a newcomer wants."""

    sock: socket.socket
    adapter: Adapter
    session: int
    stage: Stage

    def put(self, data: bytes) -> None:
        """Queue bytes."""

    def flush(self) -> None:
        """Send them."""

    def abort(self, why: str) -> None:
        """Close now."""


@define(eq=False)
class Question:
    """One connection that is looked at until it is known whether anybody is there."""

    holder: Holder
    _timers: Timers
    _known: Callable[[], None]
    _asked_s: float = field(factory=trio.current_time, init=False)
    waiting: list[Callable[[], None]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self._look_again()

    def _look_again(self) -> None:
        self._timers.after(LOOK_EVERY_S, self._look)

    def _look(self) -> None:
        holder, waited_s = self.holder, trio.current_time() - self._asked_s
        if holder.stage is not Stage.OPEN:
            self._known()
        elif is_dead(holder.sock) or (waited_s >= WAIT_S and is_unanswered(holder.sock, waited_s)):
            holder.abort(DEAD)
            self._known()
        elif waited_s >= WAIT_S or was_heard(holder.sock, waited_s):
            self._known()
        else:
            self._look_again()


class Probes:
    """The connections that newcomers wait for at the moment, and those that were looked at lately, by session."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._probed_s: dict[int, float] = {}
        self._open: dict[int, Question] = {}

    def ask(self, holder: Holder, known: Callable[[], None]) -> bool:
        """Have `known` called when it is known whether anybody is there; False if it need not be waited for."""
        question = self._open.get(holder.session)
        if question is None:
            now_s = trio.current_time()
            if now_s - self._probed_s.get(holder.session, float("-inf")) <= PROBE_EVERY_S:
                return False
            self._probed_s[holder.session] = now_s
            probe(holder.sock)
            self._timers.after(PROBE_S, partial(stop_probe, holder.sock))
            if not _ping(holder):
                return False
            question = Question(holder, self._timers, partial(self._known, holder.session))
            self._open[holder.session] = question
        question.waiting.append(known)
        return True

    def forget(self, session: int) -> None:
        """The connection is gone. Whoever waits for that is told by the next look."""
        self._probed_s.pop(session, None)

    def _known(self, session: int) -> None:
        question = self._open.pop(session)
        for known in question.waiting:
            known()


def _ping(holder: Holder) -> bool:
    """Ask the peer's software; False if its protocol has no such question."""
    try:
        words = holder.adapter.ping()
    except Exception:
        log.exception("adapter failed", session=holder.session)
        return False
    holder.put(words)
    holder.flush()
    return bool(words)


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
