"""Admits an accepted socket as a connection: session number, limits, TLS handshake, adapter, greeting.

Where an address connects too fast, its TLS connections wait for a turn before the handshake, because a handshake costs
the server far more than the client. A connection that sends nothing takes no turn.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from ssl import SSLContext
from typing import cast

import structlog
import trio
from attrs import define, field

from gameserver.core.commands import HOUSE_SESSION
from gameserver.flow_control.connection_limiter import AdmittedConnection, ConnectionLimiter, TurnedAway
from gameserver.flow_control.fair_scheduler import HANDSHAKE_S
from gameserver.protocol import Adapter, Peer, Refusal, RefusalKind
from gameserver.transport.connection import Connection, ConnectionServices
from gameserver.transport.first_line import FirstLine
from gameserver.transport.listener import Listening
from gameserver.transport.tls import NoTls, refuse, shake_hands
from gameserver.values import value

log = structlog.get_logger()


@value
class Forwarded:
    """A trusted proxy's word on a connection that it passes on."""

    source: str = ""
    """The address of the player; empty if the proxy does not say, or says one that is no IP address."""
    reached: str = ""
    """The address of the proxy that the player connected to; empty likewise."""
    is_local: bool = False
    """True for the proxy's own connection, a health check: it takes no player's place and counts against no limit."""


@define(eq=False)
class _TlsHandshake(AdmittedConnection):
    """A connection during its TLS handshake."""

    session: int
    address: str
    sock: socket.socket
    stamp_ms: int
    forwarded: Forwarded | None = None
    scope: trio.CancelScope = field(factory=trio.CancelScope, init=False)

    @property
    def is_established(self) -> bool:
        """Always False: a TLS handshake proves nothing about its peer."""
        return False

    def heard(self, now_ms: int) -> None:
        """Note that bytes of a TLS handshake came."""
        self.stamp_ms = now_ms

    def farewell(self, why: str, kind: RefusalKind) -> None:
        """Close a connection during its TLS handshake; there is no way yet to send the reason."""
        self.scope.cancel()

    def abort(self, why: str) -> None:
        """Cancel a TLS handshake; the task that waits for it closes the socket."""
        self.scope.cancel()


@define(eq=False)
class Acceptor:
    """Admits accepted sockets and numbers their sessions in the order of arrival."""

    _make_adapter: Callable[[Listening, Peer], Adapter]
    _connection_limiter: ConnectionLimiter
    _server: ConnectionServices
    _next_session: int = HOUSE_SESSION + 1

    def accepted(
        self, listening: Listening, sock: socket.socket, address: str, forwarded: Forwarded | None = None
    ) -> bool:
        """Admit an accepted socket as a connection; False if its address connects too fast or has no room left."""
        doubt = None
        is_limited = _is_limited(listening, forwarded)
        if is_limited:  # before a session number and an adapter are made: a flood is to cost neither
            try:
                doubt = self._connection_limiter.receive(address)
            except TurnedAway as turned_away:
                self._refuse(listening, sock, address, turned_away)
                return False
        session = self._new_session()
        if listening.tls is None:
            self._open(self._connection(listening, sock, session, address, doubt, forwarded), listening)
        else:
            handshake = _TlsHandshake(session, address, sock, self._server.now_ms(), forwarded)
            if is_limited:
                self._connection_limiter.admit(handshake, doubt)
            # The task starts before the connection has its turn: a silent one takes no turn, and gives way first. When
            # they waited in a queue instead, 900 connections a second filled 4,095 sockets within six seconds.
            self._server.start_soon(self._encrypt, listening, listening.tls, handshake)
        return doubt is None

    def _new_session(self) -> int:
        session = self._next_session
        self._next_session += 1
        return session

    def _refuse(self, listening: Listening, sock: socket.socket, address: str, turned_away: TurnedAway) -> None:
        """Send the reason of a refusal and close later: closing with unread input at once can destroy the reason."""
        if listening.tls is not None:
            refuse(sock)  # without the reason: only a handshake could carry it
        elif turned_away.has_socket:
            connection = self._connection(listening, sock, self._new_session(), address)
            if connection is not None:
                connection.farewell(str(turned_away), RefusalKind.FULL)
        else:
            self.turn_away(listening, sock, address, str(turned_away))

    async def _turn_of(self, handshake: _TlsHandshake) -> None:
        """Wait for a handshake's turn; its peer has sent something, so idle connections give way before it."""
        handshake.heard(self._server.now_ms())
        if handshake.session in self._connection_limiter.doubts:
            await self._server.turns.turn(handshake.address, HANDSHAKE_S)

    async def _encrypt(self, listening: Listening, context: SSLContext, handshake: _TlsHandshake) -> None:
        """Admit a peer that speaks TLS; tell any other, in the port's own protocol, that the port needs it."""
        sock, session, address = handshake.sock, handshake.session, handshake.address
        encrypted = None
        try:
            with handshake.scope:
                encrypted = await shake_hands(sock, context, partial(self._turn_of, handshake))
        except NoTls as refused:
            log.debug("no TLS", address=address, why=str(refused))
            self.turn_away(listening, sock, address, str(refused) if refused.is_plain else "")
        connection = None
        if encrypted is not None and not handshake.scope.cancel_called:
            # TlsSocket has every method of a socket that a connection uses, and a Protocol of seven methods would be
            # for this line alone.
            own = cast("socket.socket", encrypted)
            connection = self._connection(listening, own, session, address, forwarded=handshake.forwarded)
            self._open(connection, listening)
        if connection is not None:
            # Bytes that came with the end of the handshake are already decrypted; epoll does not report them.
            connection.on_readable(self._server.now_ms())
        else:
            sock.close()
            self._connection_limiter.release(handshake)
            self._connection_limiter.closed(session)

    def turn_away(self, listening: Listening, sock: socket.socket, address: str, why: str) -> None:
        """Send a newcomer the reason why it is not admitted, without waiting, then close. A flood must cost no more."""
        with suppress(Exception):
            if why:
                peer = Peer(self._next_session, address, self._server.now_ms())
                sock.send(self._make_adapter(listening, peer).farewell(Refusal(why, RefusalKind.FULL)))
        sock.close()

    def _open(self, connection: Connection | None, listening: Listening) -> None:
        if connection is not None:
            facts = {"session": connection.session, "address": connection.address}
            log.debug("connection accepted", **facts, protocol=listening.protocol.name)
            connection.open()

    def _connection(
        self,
        listening: Listening,
        sock: socket.socket,
        session: int,
        address: str,
        doubt: str | None = None,
        forwarded: Forwarded | None = None,
    ) -> Connection | None:
        """A new connection, counted, before its greeting; None if the protocol's adapter could not be made."""
        server, is_encrypted = self._server, listening.tls is not None
        now_ms = server.now_ms()
        try:
            reached = (forwarded is not None and forwarded.reached) or _reached(sock)
            peer = Peer(session, address, now_ms, is_encrypted=is_encrypted, reached=reached)
            adapter = self._make_adapter(listening, peer)
        except Exception:
            # A plug-in's bug: this one peer is sent away, and the listener goes on.
            log.exception("protocol failed", protocol=listening.protocol.name, address=address)
            sock.close()
            return None
        first_line = None if listening.protocol.carries_others else FirstLine()
        is_forwarded = forwarded is not None
        connection = Connection(
            sock, adapter, session, address, server, stamp_ms=now_ms, is_forwarded=is_forwarded, first_line=first_line
        )
        server.opened(connection, listening.protocol.name)
        if _is_limited(listening, forwarded):
            self._connection_limiter.admit(connection, doubt)
        return connection


def _is_limited(listening: Listening, forwarded: Forwarded | None) -> bool:
    """True if a connection counts against the limits: a proxy's check of the server's health does not."""
    return listening.protocol.is_limited and (forwarded is None or not forwarded.is_local)


def _reached(sock: socket.socket) -> str:
    """The address of this machine that the peer connected to; empty if the peer is gone already."""
    try:
        return str(sock.getsockname()[0])
    except OSError:
        return ""
