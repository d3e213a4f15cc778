"""One connection of a transcript."""

import re

import trio
from attrs import define

from tests.support.transcripts.dialects import STRATEGIC
from tests.support.transcripts.text import to_text

_PAGES = re.compile(rb"(http://localhost):\d+")
"""The address of the pages: the port is a free one, and in a transcript the usual one."""


_SERVER_MS = re.compile(rb'("server_ms":)\d+')
"""The server's time, which is another one for each start of it."""


def told_alike(line: bytes) -> bytes:
    """The line without what is another one each time."""
    return _SERVER_MS.sub(rb"\g<1>0", _PAGES.sub(rb"\g<1>:8080", line))


@define
class TranscriptClient:
    """One connection. What it hears is noted in `heard`."""

    who: str
    stream: trio.SocketStream
    heard: list[str]
    line_end: bytes = STRATEGIC.line_end
    rest: bytes = b""

    async def listen(self) -> None:
        """Hear everything, to the end."""
        end = "closes"
        try:
            async for data in self.stream:
                self.hear(bytes(data))
        except trio.ClosedResourceError:
            return
        except trio.BrokenResourceError:
            end = "resets"
        self.hear_unfinished()
        self.hear_end(end)
        await self.stream.aclose()

    def hear(self, data: bytes) -> None:
        """Take bytes of the server."""
        *lines, self.rest = (self.rest + data).split(self.line_end)
        lines = [told_alike(line) for line in lines]
        self.heard.extend(f"S>{self.who} {to_text(line)}" if line else f"S>{self.who}" for line in lines)

    def hear_unfinished(self) -> None:
        """Note a line that has no end."""
        if self.rest:
            self.heard.append(f"S>{self.who} {to_text(self.rest)}\\")
            self.rest = b""

    def hear_end(self, end: str) -> None:
        """The connection is over."""
        self.heard.append(f"S {end} {self.who}")

    def goodbye(self) -> bytes:
        """The bytes to send before a clean close."""
        return b""

    def cut_off(self) -> None:
        """Have the connection end as a server's does that is no more."""
        if self.stream.socket.fileno() != -1:
            self.stream.socket.close()
            self.heard.append(f"S closes {self.who}")
