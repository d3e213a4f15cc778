"""Sockets as faults need them: ended by a reset, prompt, or with little room.

Other streams, such as those in memory, are just closed.
"""

import os
import socket
import struct
from contextlib import suppress

import trio

# `struct linger` has shorts on Windows, and ints elsewhere.
_RESET_ON_CLOSE = struct.pack("hh" if os.name == "nt" else "ii", 1, 0)
SLOW_BUFFER_BYTES = 2_048
"""The receive buffer of a slow reader: the system's own takes megabytes before a sender notices anything."""
CLOSE_S = 1.0


def send_at_once(stream: trio.abc.Stream) -> None:
    """Let every send be a packet of its own."""
    if isinstance(stream, trio.SocketStream):
        with suppress(OSError):
            stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def receive_little(stream: trio.abc.Stream) -> None:
    """Let the peer's sends wait as soon as a little is unread."""
    if isinstance(stream, trio.SocketStream):
        with suppress(OSError):
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_BUFFER_BYTES)


def peer_address(stream: trio.abc.Stream) -> str:
    """The address of the other end, such as `192.0.2.7:50412`; empty where there is none."""
    if not isinstance(stream, trio.SocketStream):
        return ""
    try:
        host, port = stream.socket.getpeername()[:2]
    except OSError:
        return ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


async def reset(*streams: trio.abc.Stream) -> None:
    """Close streams so that their peers read an error, not an end: a TCP reset."""
    for stream in streams:
        if isinstance(stream, trio.SocketStream):
            with suppress(OSError):
                stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    await close(*streams)


async def close(*streams: trio.abc.Stream) -> None:
    """Close them all, even in a task that is cancelled."""
    with trio.move_on_after(CLOSE_S, shield=True):
        for stream in streams:
            await trio.aclose_forcefully(stream)


async def send_end(stream: trio.abc.Stream) -> None:
    """Tell the peer that nothing more will come."""
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        if isinstance(stream, trio.abc.HalfCloseableStream):
            await stream.send_eof()
        else:
            await stream.aclose()
