"""Is the peer of a connection still there? Asked when a newcomer wants the name or the seat that it holds.

A live connection wins, so nothing here guesses. A connection is dead when the peer closed or reset
it, when the kernel has given it up, or when nothing at all has come back for three seconds after we
asked. Without a newcomer the kernel takes half a minute to find that out; for as long as one waits
it asks every second. The newcomer is answered when it is known: a client that comes back 0.2 s after
its network went logs in once, and is in its seat three seconds later.

Over a WebSocket we ask by a ping. A pong ends the wait, and so does anything else that is read. What
the peer's kernel acknowledges without a pong is alive when the wait is over: a bot that thinks for
three seconds in its only thread.

The other protocols have no pings. There the kernel asks by keep-alive probes, the first one as soon
as the connection has been idle for a second, and an acknowledgement ends the wait. A peer that was
there a moment ago need not be asked. Where the kernel does not tell what was acknowledged, the
newcomer is answered at once, and gets in at the second try when the kernel has given up.

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
from attrs import define, field, frozen

from gameserver.flow_control.timers import Timers
from gameserver.protocol import Adapter
from gameserver.transport.connection_state import ConnectionState
from gameserver.transport.tcp_info import LastContact, last_contact

WAIT_S = 3.0
"""The time that a newcomer waits at most."""
LOOK_EVERY_S = 0.05
RECENT_S = 0.1
"""A peer without pings that was there so lately is not asked: no client loses its network and is back sooner."""
PROBE_S = 5.0
"""For how long the kernel is to make sure after somebody asked."""
PROBE_EVERY_S = 60.0
"""How often at most, so that nobody can make another's connection fragile for good. Newcomers in between are answered
at once."""
DEAD = "the connection was dead when its player came again"

_RULE = {"TCP_KEEPIDLE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 30_000}
_PROBE = {"TCP_KEEPIDLE": 1, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 0}
"""Seconds, seconds, probes; and milliseconds for data that is not acknowledged.

With a user timeout Linux does not count the probes: it gave up a connection that had been idle for three seconds at its
first unanswered one (Linux 6.18, `tcp_keepalive_timer`). Without one it needs three.
"""

log = structlog.get_logger()


class Holder(Protocol):
    """The connection that holds what a newcomer wants."""

    sock: socket.socket
    adapter: Adapter
    session: int
    stage: ConnectionState

    def put(self, data: bytes) -> None:
        """Queue bytes."""

    def flush(self) -> None:
        """Send them."""

    def abort(self, why: str) -> None:
        """Close now."""


@frozen
class Newcomer:
    """A connection that waits for the answer to its login; `answer` has it decided as things stand then."""

    sock: socket.socket
    answer: Callable[[], None]


@define(eq=False)
class Question:
    """One connection that is looked at until it is known whether anybody is there.

    The kernel goes on asking when all newcomers have hung up: the next one waits for the same answer.
    """

    holder: Holder
    _expects_pong: bool
    _timers: Timers
    _contact: Callable[[socket.socket], LastContact | None]
    _closed: Callable[[], None]
    newcomers: list[Newcomer] = field(factory=list, init=False)
    _asked_s: float = field(factory=trio.current_time, init=False)

    def __attrs_post_init__(self) -> None:
        self._look_again()

    def _look_again(self) -> None:
        self._timers.after(LOOK_EVERY_S, self._look)

    def _look(self) -> None:
        self._answer_those_who_left()
        if not self._is_known():
            self._look_again()
            return
        self._closed()
        for newcomer in self.newcomers:
            newcomer.answer()

    def _is_known(self) -> bool:
        """True if it is known whether the peer is there. The connection is closed by then if it is not."""
        holder, waited_s = self.holder, trio.current_time() - self._asked_s
        if holder.stage is not ConnectionState.OPEN:
            return True
        last_contact, is_over = self._contact(holder.sock), waited_s >= WAIT_S
        if is_dead(holder.sock) or (is_over and last_contact is not None and last_contact.is_unanswered(waited_s)):
            holder.abort(DEAD)
            return True
        return is_over or (last_contact is not None and self._is_answered(last_contact, waited_s))

    def _is_answered(self, last_contact: LastContact, waited_s: float) -> bool:
        return last_contact.was_heard(waited_s) if self._expects_pong else last_contact.was_there(waited_s)

    def _answer_those_who_left(self) -> None:
        """Answer the newcomers that have ended their words, while their name is still taken.

        A client that hung up and came again must not find its seat taken by its own first attempt.
        """
        left = [newcomer for newcomer in self.newcomers if is_dead(newcomer.sock)]
        for newcomer in left:
            self.newcomers.remove(newcomer)
            newcomer.answer()


class Probes:
    """The connections that newcomers wait for at the moment, and those that were looked at lately, by session."""

    def __init__(
        self, timers: Timers, last_contact: Callable[[socket.socket], LastContact | None] = last_contact
    ) -> None:
        self._timers = timers
        self._contact = last_contact
        self._probed_s: dict[int, float] = {}
        self._open: dict[int, Question] = {}

    def ask(self, holder: Holder, newcomer: Newcomer) -> bool:
        """Have a newcomer answered when it is known whether anybody is there; False if it need not wait."""
        question = self._open.get(holder.session) or self._question(holder)
        if question is None:
            return False
        question.newcomers.append(newcomer)
        return True

    def forget(self, session: int) -> None:
        """The connection is gone. Whoever waits for that is told by the next look."""
        self._probed_s.pop(session, None)

    def _question(self, holder: Holder) -> Question | None:
        """Ask a peer; None if it was asked lately, or no answer can be expected that is not known yet."""
        session, now_s = holder.session, trio.current_time()
        if now_s - self._probed_s.get(session, float("-inf")) <= PROBE_EVERY_S:
            return None
        last_contact = self._contact(holder.sock)
        expects_pong = _ping(holder)
        if not expects_pong and last_contact is not None and last_contact.was_there(RECENT_S):
            return None
        self._probed_s[session] = now_s
        probe(holder.sock)
        self._timers.after(PROBE_S, partial(stop_probe, holder.sock))
        if not expects_pong and last_contact is None:
            return None
        question = Question(holder, expects_pong, self._timers, self._contact, partial(self._close, session))
        self._open[session] = question
        return question

    def _close(self, session: int) -> None:
        del self._open[session]


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
    """True if it is certain that nobody is there: the end, or an error, waits to be read."""
    try:
        return sock.recv(1, socket.MSG_PEEK) == b""
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:
        return True


def probe(sock: socket.socket) -> None:
    """Have the kernel make sure in about three seconds; a dead connection that was idle then ends by itself."""
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
