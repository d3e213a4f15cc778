"""Compression for many viewers: a page, or a message of a stream, is compressed once for all of them.

A compressor for each viewer would cost as much as making the page again, and 256 KB of memory each. So a message
is compressed by itself, up to a byte's boundary and without references to what came before it. Such parts may follow
each other in any stream (RFC 1951, 3.2.3), because a block stands alone if it says so. What differs from viewer to
viewer, such as the id of an event, lies between them in stored blocks, which cost nothing to make.

The content coding is `deflate`, the zlib format of RFC 1950, and not `gzip`: the checksum at its end can be put
together from those of the parts by a few additions.
"""

import zlib

from attrs import define
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response

from gameserver.values import value

CODING = "deflate"
_HEADER = b"\x78\x9c"
_LAST_BLOCK = b"\x03\x00"
"""An empty block that is marked as the last one."""
_STORED_MAX = 0xFFFF
_BASE = 65521
"""The largest prime below 2 ** 16, the modulus of Adler-32."""


def takes_coding(request: HTTPConnection) -> bool:
    """True if the client takes the coding."""
    accepted = request.headers.get("accept-encoding", "")
    for item in accepted.split(","):
        name, _, weight = item.partition(";")
        if name.strip().lower() == CODING:
            return weight.replace(" ", "").lower().rstrip("0.") != "q="
    return False


@value
class Document:
    """A page for many viewers, as it is and compressed."""

    plain: bytes
    packed: bytes


def document(html: str) -> Document:
    """Compress a page."""
    plain = html.encode()
    return Document(plain, zlib.compress(plain))


def document_response(request: HTTPConnection, page: Document) -> Response:
    """The page, as the client takes it."""
    vary = {"Vary": "Accept-Encoding"}
    if takes_coding(request):
        return HTMLResponse(page.packed, headers={"Content-Encoding": CODING, **vary})
    return HTMLResponse(page.plain, headers=vary)


@value
class SharedMessage:
    """A message for many viewers, as it is and compressed."""

    plain: bytes
    packed: bytes
    """Blocks of a deflate stream, to be put anywhere in one."""
    adler: int


def shared_message(plain: bytes) -> SharedMessage:
    """Compress a message."""
    compressor = zlib.compressobj(zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = compressor.compress(plain) + compressor.flush(zlib.Z_SYNC_FLUSH)
    return SharedMessage(plain, packed, zlib.adler32(plain))


@define
class PlainStream:
    """The stream of a viewer that takes no compression: its parts as they are."""

    def begin(self) -> bytes:
        """Nothing."""
        return b""

    def own(self, data: bytes) -> bytes:
        """Bytes for this viewer alone."""
        return data

    def shared(self, message: SharedMessage) -> bytes:
        """A message that other viewers are sent, too."""
        return message.plain

    def end(self) -> bytes:
        """Nothing."""
        return b""


@define
class DeflateStream(PlainStream):
    """The stream of one viewer in the content coding `deflate`."""

    _adler: int = 1

    def begin(self) -> bytes:
        """The header."""
        return _HEADER

    def own(self, data: bytes) -> bytes:
        """Bytes for this viewer alone, as a stored block. There can be at most 65,535 of them."""
        assert len(data) <= _STORED_MAX, "long messages are shared"
        self._adler = zlib.adler32(data, self._adler)
        length = len(data)
        return b"\0" + length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little") + data

    def shared(self, message: SharedMessage) -> bytes:
        """A message that other viewers are sent, too."""
        self._adler = joined_adler(self._adler, message.adler, len(message.plain))
        return message.packed

    def end(self) -> bytes:
        """The last block, and the checksum of everything."""
        return _LAST_BLOCK + self._adler.to_bytes(4, "big")


def joined_adler(first: int, second: int, second_bytes: int) -> int:
    """The Adler-32 of two parts, one after the other, from the checksums of both and the length of the second."""
    first_low, first_high = first & 0xFFFF, first >> 16
    low = (first_low + (second & 0xFFFF) - 1) % _BASE
    high = (first_high + (second >> 16) + second_bytes * (first_low - 1)) % _BASE
    return high << 16 | low
