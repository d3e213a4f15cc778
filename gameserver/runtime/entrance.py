"""The way in: from a socket that was accepted to a connection that has said its greeting.

Who comes too fast is turned away first of all, before an encrypted connection's handshake too, which
costs the server far more than the one who asks for it.
"""

import socket
from functools import partial
from ssl import SSLContext
from typing import Protocol, cast

import structlog
from attrs import define

from gameserver.adapter import Peer, RefusalKind
from gameserver.core.commands import HOUSE_SESSION
from gameserver.runtime.admission import Admission, turn_away
from gameserver.runtime.connection import Connection
from gameserver.runtime.contexts import Contexts
from gameserver.runtime.hub import Hub
from gameserver.runtime.setup import Listening
from gameserver.runtime.tls import NoTls, refuse, shake_hands

log = structlog.get_logger()


class Surroundings(Hub[Connection], Protocol):
    """What this needs of the server."""

    def opened(self, connection: Connection, protocol: str) -> None:
        """Know a connection, which came to the listener of a protocol, from now on."""


@define(eq=False)
class Entrance:
    """Gives numbers to sessions, in the order in which they come."""

    _contexts: Contexts
    _admission: Admission
    _server: Surroundings
    _next_session: int = HOUSE_SESSION + 1

    def accepted(self, listening: Listening, sock: socket.socket, address: str) -> bool:
        """Let somebody in; whether they may stay."""
        if listening.protocol.is_limited and (hurried := self._admission.too_fast(address)) is not None:
            if listening.tls is None:
                self._turn_away(listening, sock, address, hurried)
            else:
                refuse(sock)
            return False
        if listening.tls is None:
            return self._come_in(listening, sock, address, _reached(sock)) is not None
        self._server.start_soon(self._encrypt, listening, listening.tls, sock, address)
        return True

    async def _encrypt(self, listening: Listening, context: SSLContext, sock: socket.socket, address: str) -> None:
        """Let somebody in who speaks TLS; to others the port says so in its own protocol."""
        reached = _reached(sock)
        try:
            encrypted = await shake_hands(sock, context)
        except NoTls as refused:
            log.debug("no TLS", address=address, why=str(refused))
            self._turn_away(listening, sock, address, str(refused) if refused.is_plain else "")
            return
        # It has all that is used of a socket.
        connection = self._come_in(listening, cast("socket.socket", encrypted), address, reached)
        if connection is not None:
            # What came with the end of the handshake is decrypted already.
            connection.on_readable(self._server.now_ms())

    def _turn_away(self, listening: Listening, sock: socket.socket, address: str, why: str) -> None:
        peer = Peer(self._next_session, address, self._server.now_ms())
        turn_away(sock, partial(self._contexts.adapter, listening, peer), why)

    def _come_in(self, listening: Listening, sock: socket.socket, address: str, reached: str) -> Connection | None:
        session = self._next_session
        self._next_session += 1
        server, is_limited = self._server, listening.protocol.is_limited
        try:
            peer = Peer(session, address, server.now_ms(), is_encrypted=listening.tls is not None, reached=reached)
            adapter = self._contexts.adapter(listening, peer)
        except Exception:
            log.exception("protocol failed", protocol=listening.protocol.name, address=address)
            sock.close()
            return None
        connection = Connection(sock, adapter, session, address, server)
        server.opened(connection, listening.protocol.name)
        refusal = self._admission.refusal(address) if is_limited else None
        if refusal is not None:
            connection.farewell(refusal, RefusalKind.FULL)
            return None
        self._admission.admit(session, address)
        log.debug("connection accepted", session=session, address=address, protocol=listening.protocol.name)
        connection.open()
        return connection


def _reached(sock: socket.socket) -> str:
    """The address of this machine that the peer connected to; empty if the peer is gone already."""
    try:
        return str(sock.getsockname()[0])
    except OSError:
        return ""
