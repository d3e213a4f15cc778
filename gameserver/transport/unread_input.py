"""What has arrived of a player whose time is up, and cannot be read yet behind other commands of theirs.

Bytes are stamped when they are read. A connection with a backlog is not read, so a move that arrived in time can be
read long after its deadline where commits are slow. It counts as of that deadline, like what the alarm can read.
"""

import socket
from contextlib import suppress

from attrs import define

NOTED_BYTES_MAX = 8_192


@define
class UnreadInput:
    """The bytes of one connection that the next read is for; none as a rule."""

    due_ms: int = -1
    """The time as of which they count."""
    count: int = 0

    def note(self, sock: socket.socket, due_ms: int) -> None:
        """Count what is unread as of `due_ms`, if it was there when this was first asked for that time."""
        if due_ms != self.due_ms:
            self.due_ms, self.count = due_ms, 0
            with suppress(OSError):
                self.count = len(sock.recv(NOTED_BYTES_MAX, socket.MSG_PEEK))
