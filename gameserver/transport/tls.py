"""TLS as a socket that encrypts, so that nothing above it has to know of it.

`TlsSocket` has the methods of a non-blocking socket that a connection uses: `recv` gives plain bytes, `send` takes
plain bytes, and both raise `BlockingIOError` where they would have to wait. Between them and the real socket is OpenSSL
on two buffers in memory. Two things need care:

* Encrypted bytes cannot be taken back. If the kernel does not take all of it, `send` says that it would block, keeps
  the rest, and reports the bytes as sent when the rest is out. So the caller has to come back with the same bytes, as
  `SendQueue` does.
* The kernel reports bytes in the socket, not decrypted ones. So `recv` gives at once everything that it could decrypt.

The handshake comes before there is a connection: `shake_hands` waits for it, for `_HANDSHAKE_S` at most.
"""

import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import trio
from attrs import define, field

# Seconds that a peer may take for the handshake: two round trips, and patience. Judgement.
_HANDSHAKE_S = 10.0
# Four records of the longest kind (RFC 8446, 5.1: 2^14 bytes).
_RAW_BYTES = 65_536
# Bytes that are encrypted at once at most: the memory that a peer can cost by not reading.
_PIECE_BYTES = 65_536
# Bytes of TLS's own messages that may wait, such as new keys that a peer requests again and again without reading.
_UNSENT_BYTES_MAX = 262_144
# A fatal alert `access_denied`, 49, in a record of 2 bytes, as it is sent before anything is encrypted (RFC 8446, 6).
_ACCESS_DENIED = b"\x15\x03\x03\x00\x02\x02\x31"
# The first byte of every TLS connection: a record of the type `handshake`, 22 (RFC 8446, 5.1).
HELLO = b"\x16"
# Python's own words for a file that is no certificate are "[SSL] PEM lib", and name a line of C.
_READABLE: Mapping[type, str] = {ssl.SSLError: "not a matching certificate and key in PEM"}


class CertificateError(Exception):
    """The certificate of TLS or its key cannot be used; the text says why."""


class NoTls(Exception):
    """The TLS handshake failed; the text is for the peer, unless it spoke TLS after all."""

    def __init__(self, why: str, *, is_plain: bool) -> None:
        super().__init__(why)
        self.is_plain = is_plain


@define
class Certificate:
    """The server's TLS certificate and key. `load` can be called again when the files have changed."""

    certificate: Path
    key: Path
    context: ssl.SSLContext = field(factory=lambda: ssl.create_default_context(ssl.Purpose.CLIENT_AUTH), init=False)

    def load(self) -> None:
        """Read the files of certificate and key, for connections from now on. Raises `CertificateError`."""
        try:
            # Into another context first: where the pair does not match, the one in use keeps what it had.
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.certificate, self.key)
            self.context.load_cert_chain(self.certificate, self.key)
        except OSError as error:
            where = f"{self.certificate} with the key {self.key}"
            message = f"{where} cannot be used: {_READABLE.get(type(error), error.strerror) or error}"
            raise CertificateError(message) from error


class TlsSocket:
    """A socket that encrypts by TLS, once `shake_hands` has come to its end."""

    def __init__(self, sock: socket.socket, context: ssl.SSLContext) -> None:
        self._sock = sock
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._unsent = bytearray()
        self._owed = 0
        """Plain bytes that are encrypted already and not yet reported as sent."""
        self._has_ended = False

    def do_handshake(self) -> bool:
        """Continue the TLS handshake as far as the input goes; True when it is done. Raises `ssl.SSLError`."""
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        finally:
            self._say()
        return True

    def feed(self, data: bytes) -> None:
        """Take encrypted bytes that were read from the raw socket elsewhere."""
        self._incoming.write(data)

    def recv(self, size: int, flags: int = 0) -> bytes:
        """Decrypts what the peer has sent so far; `b""` at the end. With flags, the call goes to the raw socket."""
        if flags:
            return self._sock.recv(size, flags)
        try:
            data = self._sock.recv(_RAW_BYTES)
            if data:
                self._incoming.write(data)
            else:
                self._has_ended = True
        except BlockingIOError:
            pass
        plain = self._decrypted()
        self._say()
        if not plain and not self._has_ended:
            raise BlockingIOError
        return plain

    def send(self, data: bytes | bytearray) -> int:
        """Encrypt and send some bytes; returns how many. After `BlockingIOError` the same have to come again."""
        if not self._owed:
            self._flush()
            piece = bytes(data[:_PIECE_BYTES])
            self._tls.write(piece)
            self._unsent += self._outgoing.read()
            self._owed = len(piece)
        self._flush()
        sent, self._owed = self._owed, 0
        return sent

    def shutdown(self, how: int) -> None:
        """Close this side for sending, in TLS by close_notify and in the socket below it."""
        with suppress(ssl.SSLError):
            self._tls.unwrap()
        self._say()
        self._sock.shutdown(how)

    def close(self) -> None:
        """Close the socket below TLS."""
        self._sock.close()

    def fileno(self) -> int:
        """The number of the socket below TLS."""
        return self._sock.fileno()

    def getsockname(self) -> tuple[Any, ...]:
        """The address of this machine that the peer of TLS connected to."""
        name: tuple[Any, ...] = self._sock.getsockname()
        return name

    def setsockopt(self, level: int, name: int, value: int) -> None:
        """Set an option of the socket below TLS."""
        self._sock.setsockopt(level, name, value)

    def getsockopt(self, level: int, name: int, size: int) -> bytes:
        """Read an option of the socket below TLS."""
        return self._sock.getsockopt(level, name, size)

    def _decrypted(self) -> bytes:
        pieces = []
        try:
            while piece := self._tls.read(_RAW_BYTES):
                pieces.append(piece)
            self._has_ended = True
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            self._has_ended = True
        return b"".join(pieces)

    def _say(self) -> None:
        """Send TLS's own messages as far as the kernel takes them; the rest goes with the next bytes."""
        self._unsent += self._outgoing.read()
        with suppress(BlockingIOError):
            self._flush()
        if len(self._unsent) > _UNSENT_BYTES_MAX:
            message = "the peer makes TLS talk and does not read"
            raise OSError(message)

    def _flush(self) -> None:
        """Send everything that is encrypted. Raises `BlockingIOError` where the kernel does not take it all."""
        while self._unsent:
            sent = self._sock.send(self._unsent)
            del self._unsent[:sent]


def refuse(sock: socket.socket) -> None:
    """Refuse a peer by a TLS alert, without a handshake, which would cost more than any reason in it is worth."""
    with suppress(OSError):
        sock.send(_ACCESS_DENIED)
    sock.close()


async def shake_hands(sock: socket.socket, context: ssl.SSLContext, begin: Callable[[], Awaitable[None]]) -> TlsSocket:
    """Wait for the TLS handshake of a peer. Raises `NoTls`; the socket is then still open, for a last word.

    `begin` is awaited once the peer has spoken, before the costly part.
    """
    try:
        return await _shaken(sock, context, begin)
    except trio.Cancelled:
        sock.close()
        raise


async def _shaken(sock: socket.socket, context: ssl.SSLContext, begin: Callable[[], Awaitable[None]]) -> TlsSocket:
    tls = TlsSocket(sock, context)
    has_spoken = False
    with trio.move_on_after(_HANDSHAKE_S):
        while True:
            await trio.lowlevel.wait_readable(sock)
            try:
                data = sock.recv(_RAW_BYTES)
            except BlockingIOError:
                continue
            except OSError as error:
                raise NoTls(f"connection lost: {error.strerror or error}", is_plain=False) from error
            if not data:
                raise NoTls("the peer hung up", is_plain=False)
            if not has_spoken and not data.startswith(HELLO):
                raise NoTls("This port speaks TLS; connect with TLS, or to a port without it", is_plain=True)
            if not has_spoken:
                has_spoken = True
                await begin()
            tls.feed(data)
            try:
                if tls.do_handshake():
                    return tls
            except OSError as error:
                raise NoTls(f"no TLS: {error.strerror or error}", is_plain=False) from error
    why = f"This port speaks TLS, and no handshake was complete in {_HANDSHAKE_S:g} seconds"
    raise NoTls(why, is_plain=not has_spoken)
