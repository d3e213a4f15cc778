"""Makes a peer whose network is gone: no answer comes from it, not even its kernel's, and no end."""

import ctypes
import socket
import struct
import sys

import pytest

from tests.support.elsewhere import SYSTEM

_SO_ATTACH_FILTER = 26
"""Linux's constant, for which the `socket` module has no name."""
_NOTHING_PASSES = struct.pack("=HBBI", 0x06, 0, 0, 0)
"""A packet filter of one instruction: take no byte of any segment."""

needs_linux = pytest.mark.skipif(
    sys.platform != "linux" or bool(SYSTEM),
    reason="the network goes by a socket filter, and Linux alone tells what was acknowledged",
)


def lose_network(sock: socket.socket) -> None:
    """From now on nothing reaches this socket, and nothing comes of it unless it is made to send.

    What has arrived is acknowledged first. The kernel would do so up to 0.2 s later, through the filter.
    """
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    program = ctypes.create_string_buffer(_NOTHING_PASSES)
    filtered = struct.pack("@HP", 1, ctypes.addressof(program))
    sock.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, filtered)
