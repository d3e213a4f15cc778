"""Finds out if the peer of a connection is still there, when a newcomer wants the name or the seat that it holds.

A live connection wins, so nothing here guesses. A connection is dead when the peer closed or reset it, when the kernel
has given it up, or when nothing at all has come back within three seconds of a probe. Without a newcomer the kernel
takes half a minute to find that out; while one waits, it probes every second. The newcomer is answered when the outcome
is known: a client that reconnects 0.2 s after losing its network logs in once, and is in its seat three seconds later.

A WebSocket is sent a ping. A pong ends the wait, and so does any other input. A peer whose kernel acknowledges the ping
without a pong counts as alive when the wait is over: it may be a bot that thinks for three seconds in its only thread.

Behind a proxy an acknowledgement is the proxy's, which goes on acknowledging for a peer that is gone. There a newcomer
who knows what only the player was told, such as an id that nobody else has, waits longer: a WebSocket from which
neither a pong nor anything else has come for fifteen seconds is dead. For any other newcomer the peer counts as alive
after three seconds: an opponent at the same address may know all that the player does, and wait for it to think.

The other protocols have no pings. There the kernel sends keep-alive probes, the first one as soon as the connection has
been idle for a second, and an acknowledgement ends the wait. A peer that was heard a moment ago is not probed. Where
the kernel does not tell what was acknowledged, the newcomer is answered at once, and gets in at the second try when the
kernel has given up.

Rejected: to call a peer dead at its first unanswered probe. On a lossy network every peer misses one now and then, and
a stranger could wait for that moment.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import structlog
import trio
from attrs import define, field

from gameserver.flow_control.fair_scheduler import Timers
from gameserver.transport.connection import Connection, ConnectionState
from gameserver.transport.tcp_info import LastContact, last_contact
from gameserver.values import value

log = structlog.get_logger()

# The most seconds that a newcomer waits, unless only silence can tell: three probes, one a second.
WAIT_S = 3.0
# Seconds without a pong after which a WebSocket behind a proxy is dead. A bot that thinks longer in its only thread
# loses its connection only to its own player. Judgement.
SILENCE_S = 15.0
# A newcomer is answered at most this much later than the kernel knows. Judgement.
_LOOK_EVERY_S = 0.05
# Seconds for which a peer without pings counts as alive: no client loses its network and reconnects sooner.
_RECENT_S = 0.1
# Seconds that the kernel goes on probing after a newcomer asked: longer than the newcomer waits, so that a connection
# which was idle ends by itself, and the next attempt gets in.
_PROBE_S = 5.0
# Seconds between two rounds of probes at least, so that no stranger can make a connection fragile for good. Newcomers
# in between are answered at once.
PROBE_EVERY_S = 60.0
DEAD = "the connection was dead when its player came again"

# Idle seconds before the first probe, seconds between two, probes that may go unanswered; and milliseconds for data
# that is not acknowledged. macOS calls the first TCP_KEEPALIVE. By the rule a peer that is gone is known after 30 s in
# both cases; Linux alone would wait for two hours and 11 minutes (tcp(7)).
_RULE = {"TCP_KEEPIDLE": 15, "TCP_KEEPALIVE": 15, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 30_000}
# No user timeout here: with one Linux does not count the probes. It gave up a connection that had been idle for three
# seconds at its first unanswered one (Linux 6.18, `tcp_keepalive_timer`). Without one it needs three.
_PROBE = {"TCP_KEEPIDLE": 1, "TCP_KEEPALIVE": 1, "TCP_KEEPINTVL": 1, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": 0}


@value
class Newcomer:
    """A newcomer: a connection whose login waits. `answer` has the login decided as things stand then."""

    sock: socket.socket
    answer: Callable[[], None]
    knows_secret: bool = False
    """True if it shows what nobody but the holder's player was told."""


class Probes:
    """The liveness probes of a server: the connections that newcomers wait for, and those probed lately, by session."""

    def __init__(
        self, timers: Timers, last_contact: Callable[[socket.socket], LastContact | None] = last_contact
    ) -> None:
        self._timers = timers
        self._contact = last_contact
        self._probed_s: dict[int, float] = {}
        self._open: dict[int, _Question] = {}

    def ask(self, holder: Connection, newcomer: Newcomer) -> bool:
        """Have a newcomer wait until it is known if the holder's peer is still there; False if it need not wait."""
        question = self._open.get(holder.session) or self._question(holder, newcomer)
        if question is None:
            return False
        question.newcomers.append(newcomer)
        return True

    def forget(self, session: int) -> None:
        """Forget the probes of a connection that is gone. Newcomers that wait for it are answered at the next check."""
        self._probed_s.pop(session, None)

    def _question(self, holder: Connection, newcomer: Newcomer) -> "_Question | None":
        """Probe a peer; None if it was probed lately, or if a probe could tell nothing new."""
        session, now_s = holder.session, trio.current_time()
        is_limited = not (holder.is_forwarded and newcomer.knows_secret)
        if is_limited and now_s - self._probed_s.get(session, float("-inf")) <= PROBE_EVERY_S:
            return None
        last_contact = self._contact(holder.sock)
        expects_pong = _ping(holder)
        if not expects_pong and last_contact is not None and last_contact.was_there(_RECENT_S):
            return None
        self._probed_s[session] = now_s
        _probe(holder.sock)
        self._timers.after(_PROBE_S, partial(_stop_probe, holder.sock))
        if not expects_pong and last_contact is None:
            return None  # no probe can tell: the kernel gives the peer up by itself, and the next attempt gets in
        question = _Question(holder, expects_pong, self._timers, self._contact, partial(self._close, session))
        self._open[session] = question
        return question

    def _close(self, session: int) -> None:
        del self._open[session]


@define(eq=False)
class _Question:
    """One connection that is watched until it is known whether its peer is there.

    The kernel goes on probing when all newcomers have hung up: the next one waits for the same answer.
    """

    holder: Connection
    _expects_pong: bool
    _timers: Timers
    _contact: Callable[[socket.socket], LastContact | None]
    _closed: Callable[[], None]
    newcomers: list[Newcomer] = field(factory=list, init=False)
    _asked_s: float = field(factory=trio.current_time, init=False)
    _stamp_ms: int = field(init=False)
    """The time at which something had last come when the peer was asked."""

    def __attrs_post_init__(self) -> None:
        self._stamp_ms = self.holder.stamp_ms
        self._look_again()

    def _look_again(self) -> None:
        self._timers.after(_LOOK_EVERY_S, self._look)

    def _look(self) -> None:
        self._answer_where(lambda newcomer: is_dead(newcomer.sock))
        if not self._is_known():
            self._look_again()
            return
        self._closed()  # first: an answer may bring the next newcomer, who asks anew
        self._answer_where(lambda _: True)

    def _is_known(self) -> bool:
        """True if it is known whether the peer is there. The connection is closed by then if it is not."""
        holder, waited_s = self.holder, trio.current_time() - self._asked_s
        if holder.stage is not ConnectionState.OPEN:
            return True
        last_contact, is_over = self._contact(holder.sock), waited_s >= WAIT_S
        if is_dead(holder.sock) or (is_over and last_contact is not None and last_contact.is_unanswered(waited_s)):
            holder.abort(DEAD)
            return True
        if self._is_answered(last_contact, waited_s):
            return True
        return is_over and self._is_silence_over(waited_s)

    def _is_silence_over(self, waited_s: float) -> bool:
        """True if no newcomer may wait longer. The connection is closed by then if its silence was waited for."""
        if self.holder.is_forwarded and self._expects_pong:
            self._answer_where(lambda newcomer: not newcomer.knows_secret)
        else:
            self._answer_where(lambda _: True)
        if self.newcomers and waited_s >= SILENCE_S:
            self.holder.abort(DEAD)
        return not self.newcomers or waited_s >= SILENCE_S

    def _is_answered(self, last_contact: LastContact | None, waited_s: float) -> bool:
        if last_contact is None:  # on Windows and macOS, so whatever was read since then has to do
            return self.holder.stamp_ms != self._stamp_ms
        return last_contact.was_heard(waited_s) if self._expects_pong else last_contact.was_there(waited_s)

    def _answer_where(self, is_through: Callable[[Newcomer], bool]) -> None:
        """Answer the newcomers that need not wait any more.

        Those that have closed their side are answered while their name is still taken: a client that hung up and
        reconnected must not find its seat taken by its own first attempt.
        """
        for newcomer in list(filter(is_through, self.newcomers)):
            self.newcomers.remove(newcomer)
            newcomer.answer()


def _ping(holder: Connection) -> bool:
    """Ping the peer's software; False if its protocol has no ping."""
    try:
        words = holder.adapter.ping()
    except Exception:
        log.exception("adapter failed", session=holder.session)
        return False
    holder.put(words)
    holder.flush()
    return bool(words)


def watch(sock: socket.socket) -> None:
    """Turn on TCP keep-alive for an accepted socket: the kernel probes a silent peer now and then."""
    with suppress(OSError):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    _set(sock, _RULE)


def is_dead(sock: socket.socket) -> bool:
    """True if a socket's peer is certainly gone: the end of the stream, or an error, waits to be read."""
    try:
        return sock.recv(1, socket.MSG_PEEK) == b""
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:
        return True


def _probe(sock: socket.socket) -> None:
    """Have the kernel make sure in about three seconds; a dead connection that was idle then ends by itself."""
    _set(sock, _PROBE)


def _stop_probe(sock: socket.socket) -> None:
    """Go back to the usual keep-alive: a short outage of the network must not end a connection."""
    if sock.fileno() != -1:  # it may have been closed meanwhile
        _set(sock, _RULE)


def _set(sock: socket.socket, options: dict[str, int]) -> None:
    """Set those of these options that the platform knows."""
    for name, setting in options.items():
        option = getattr(socket, name, None)
        if option is not None:
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_TCP, option, setting)
