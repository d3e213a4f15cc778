"""Measures the input of a player whose time is up that has arrived but cannot be read yet behind other commands.

Bytes are stamped when they are read. A connection with a backlog is not read, so a move that arrived in time can be
read long after its deadline where commits are slow. It is stamped with that deadline, like input that the alarm can
read.
"""

import socket
from contextlib import suppress

from attrs import define

NOTED_BYTES_MAX = 8_192


@define
class UnreadInput:
    """The unread bytes of one connection that get an earlier stamp; usually none."""

    due_ms: int = -1
    """The stamp for these bytes."""
    count: int = 0

    def note(self, sock: socket.socket, due_ms: int) -> None:
        """Count the bytes to be stamped `due_ms`: the ones that were there at the first call for that time."""
        if due_ms != self.due_ms:
            self.due_ms, self.count = due_ms, 0
            with suppress(OSError):
                self.count = len(sock.recv(NOTED_BYTES_MAX, socket.MSG_PEEK))
