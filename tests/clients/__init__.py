"""One strict client for each protocol: bytes come in and events go out, commands come in and bytes go out.

A client knows its protocol's document and what was said on its connection, and no more: no socket, no clock, nothing of
the server. It raises `Refused` for whatever the document forbids.
"""

import json
from collections.abc import Iterator
from typing import Any, ClassVar

from attrs import define, field


class Refused(AssertionError):
    """The server said what the protocol's document forbids."""


@define(eq=False)
class Client:
    """One connection, which hears whole messages out of bytes, and notes what is sent."""

    end_of_message: ClassVar[bytes] = b"\n"
    _unread: bytes = field(default=b"", init=False, repr=False)
    _unsent: bytes = field(default=b"", init=False, repr=False)

    def receive(self, data: bytes) -> Iterator[Any]:
        """Read bytes, and yield what each complete message says, but for what means nothing to a player."""
        *messages, self._unread = (self._unread + data).split(self.end_of_message)
        for message in messages:
            heard = self.hear(message)
            if heard is not None:
                yield heard

    def end(self) -> None:
        """Note that the connection is over."""
        if self._unread:
            raise Refused(f"the connection ends with half a message: {self._unread!r}")

    def hear(self, message: bytes) -> Any:
        """Read a message. Raises `Refused` if it may not come now."""
        raise NotImplementedError

    def wrote(self, data: bytes) -> bytes:
        """Note the messages in bytes that are sent, and return the bytes."""
        *messages, self._unsent = (self._unsent + data).split(self.end_of_message)
        for message in messages:
            self.note(message)
        return data

    def wrote_all(self) -> None:
        """Note that the client sends no more: what has no end is a message too."""
        if self._unsent:
            self.wrote(b"\n")

    def note(self, message: bytes) -> bytes:
        """Note a message that is about to be sent, and return it."""
        raise NotImplementedError


def compact(content: Any) -> str:
    """Write JSON without blanks."""
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False)
