"""Work for many viewers done once: a page is made once for all who ask, and compressed once for all who get it.

A compressor for each viewer would cost as much as making the page again, and 256 KB of memory each (zlib's `zconf.h`).
So a text is compressed by itself, up to a byte's boundary and without references to what came before it. Such parts may
follow each other in any stream (RFC 1951, 3.2.3), because a block stands alone if it says so. What differs from viewer
to viewer, such as the id of an event, lies between them in stored blocks, which cost nothing to make.

Rejected: streams without compression. Measured with 300 viewers of the lobby and 24 matches, a move a second in each: a
change has 50 KB in place of 1.9, which is 15 MB a second for all, and costs the same 0.2 ms of CPU for each viewer.

The content coding is `deflate`, the zlib format of RFC 1950, and not `gzip`: the checksum at its end can be put
together from those of the parts by a few additions.
"""

import zlib
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

import trio
from attrs import define, field
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response

from gameserver.flow_control.fair_scheduler import SHARES
from gameserver.read_model.read_model import ReadModel
from gameserver.values import value

# Pages of one kind that are shared, such as of the latest tournaments. Judgement: a tournament's page has some 100 KB.
KEPT_MAX = 32
PAUSES = SHARES["pages"].rest_s / SHARES["pages"].slice_s
# The longest work is done in a thread and takes a second: the ranks of a large tournament.
PAUSE_MAX_S = 1.0

CODING = "deflate"
# RFC 1950, 2.2: deflate with a window of 32 KB, the default level, no dictionary.
_HEADER = b"\x78\x9c"
# An empty block that is marked as the last one (RFC 1951, 3.2.3).
_LAST_BLOCK = b"\x03\x00"
# Bytes of a stored block (RFC 1951, 3.2.4).
_STORED_MAX = 0xFFFF
# The largest prime below 2 ** 16, the modulus of Adler-32 (RFC 1950, 9).
_BASE = 65521

_MarkupT = TypeVar("_MarkupT")
_PageT = TypeVar("_PageT")
_KeyT = TypeVar("_KeyT", bound=Hashable)


@define
class SharedPage(Generic[_PageT]):
    """A page that is made by `make`, which may contain checkpoints, once for all who ask at the same time.

    A viewer who asks while the page is being made gets the next one, which is made once for all who wait. So no viewer
    sees a page older than the request. After each making there is a pause `PAUSES` times as long as it took (at most
    `PAUSE_MAX_S`), however many ask. So a flood of browsers, or one that reloads all the time, waits for itself. Time
    is trio's: under a virtual clock, work takes no time.
    """

    _make: Callable[[ReadModel], Awaitable[_PageT]]
    _page: _PageT | None = field(default=None, init=False)
    _begun: int = field(default=0, init=False)
    """The number of times that making the page was begun."""
    _made: int = field(default=0, init=False)
    """The time, counted so, that made the present page. A viewer who asked before it began can be given that page."""
    _next_s: float = field(default=float("-inf"), init=False)
    _making: trio.Lock = field(factory=trio.Lock, init=False)

    async def get(self, read_model: ReadModel) -> _PageT:
        """The shared page, no older than this call."""
        asked = self._begun
        async with self._making:
            if self._made <= asked:
                await trio.sleep_until(self._next_s)
                self._begun += 1
                began_s = trio.current_time()
                self._page = await self._make(read_model)
                self._made = self._begun
                made_s = trio.current_time()
                self._next_s = made_s + min(PAUSE_MAX_S, PAUSES * (made_s - began_s))
            assert self._page is not None, "it has been made"
            return self._page


@define
class SharedPages(Generic[_KeyT, _PageT]):
    """The shared pages of one kind, such as those of tournaments, each with a key."""

    _make: Callable[[ReadModel, _KeyT], Awaitable[_PageT]]
    _pages: dict[_KeyT, SharedPage[_PageT]] = field(factory=dict, init=False)

    async def get(self, read_model: ReadModel, key: _KeyT) -> _PageT:
        """The shared page with this key, no older than this call."""
        # Taken out and put in again: the first of the dict is the one that was not asked for the longest.
        page = self._pages.pop(key, None) or SharedPage(lambda read_model: self._make(read_model, key))
        self._pages[key] = page
        while len(self._pages) > KEPT_MAX:
            del self._pages[next(iter(self._pages))]
        return await page.get(read_model)


@define
class RenderedOnce(Generic[_MarkupT]):
    """Markup that is rendered once for a value, by keys that stay the same, such as the number of a match.

    A page is rendered anew whenever anything on it has changed. Most of what it shows has not: rows of the lobby and
    views are frozen, so an object that is still there shows what it showed.
    """

    _kept_max: int
    _kept: dict[Hashable, tuple[object, _MarkupT]] = field(factory=dict, init=False)

    def get(self, key: Hashable, source: object, render: Callable[[], _MarkupT]) -> _MarkupT:
        """The markup of the value `source`, rendered only if another value had the key before."""
        kept = self._kept.pop(key, None)
        if kept is None or kept[0] is not source:
            kept = (source, render())
        self._kept[key] = kept
        while len(self._kept) > self._kept_max:
            del self._kept[next(iter(self._kept))]
        return kept[1]


@value
class SharedText:
    """A page or a message for many viewers, as it is and compressed once for all of them."""

    plain: bytes
    packed: bytes
    """Blocks of a deflate stream, to be put anywhere in one."""
    adler: int
    """The checksum of `plain`, from which those of whole streams are put together."""


def shared_text(plain: bytes) -> SharedText:
    """Compress a page or a message for all of its viewers."""
    compressor = zlib.compressobj(zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = compressor.compress(plain) + compressor.flush(zlib.Z_SYNC_FLUSH)  # ends at a byte, and not the stream
    return SharedText(plain, packed, zlib.adler32(plain))


@define
class Stream:
    """The body of a response to one viewer: parts of its own, and parts that are shared with others.

    It has the content coding `deflate` if it `is_packed`, for a viewer that takes it; else its parts are as they are.
    """

    is_packed: bool
    _adler: int = 1

    def begin(self) -> bytes:
        """The header of a compressed stream."""
        return _HEADER if self.is_packed else b""

    def own(self, data: bytes) -> bytes:
        """Bytes for this viewer's stream alone, as a stored block. There can be at most 65,535 of them."""
        if not self.is_packed:
            return data
        assert len(data) <= _STORED_MAX, "long texts are shared"
        self._adler = zlib.adler32(data, self._adler)
        length = len(data)
        return b"\0" + length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little") + data

    def shared(self, text: SharedText) -> bytes:
        """A text that other viewers are sent in their streams, too."""
        if not self.is_packed:
            return text.plain
        self._adler = _joined_adler(self._adler, text.adler, len(text.plain))
        return text.packed

    def end(self) -> bytes:
        """The last block of a compressed stream, and the checksum of everything."""
        return _LAST_BLOCK + self._adler.to_bytes(4, "big") if self.is_packed else b""


def page_response(request: HTTPConnection, page: SharedText) -> Response:
    """The response with a page that was made once, compressed if the client takes it."""
    stream = Stream(is_packed=takes_coding(request))
    coding = {"Content-Encoding": CODING} if stream.is_packed else {}
    body = stream.begin() + stream.shared(page) + stream.end()
    return HTMLResponse(body, headers={"Vary": "Accept-Encoding", **coding})


def takes_coding(request: HTTPConnection) -> bool:
    """True if a client takes a text compressed once for all by `deflate`: its `Accept-Encoding` (RFC 9110, 12.5.3)."""
    accepted = request.headers.get("accept-encoding", "")
    for item in accepted.split(","):
        name, _, weight = item.partition(";")
        if name.strip().lower() == CODING:
            return weight.replace(" ", "").lower().rstrip("0.") != "q="
    return False


def _joined_adler(first: int, second: int, second_bytes: int) -> int:
    """The Adler-32 of two parts, one after the other, from the checksums of both and the length of the second."""
    first_low, first_high = first & 0xFFFF, first >> 16
    low = (first_low + (second & 0xFFFF) - 1) % _BASE
    high = (first_high + (second >> 16) + second_bytes * (first_low - 1)) % _BASE
    return high << 16 | low
