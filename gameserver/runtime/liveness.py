"""Is the peer of a connection still there? Asked when somebody else logs in under the same name."""

import socket
import struct
from contextlib import suppress

from gameserver.runtime.listener import (
    KEEPALIVE_COUNT,
    KEEPALIVE_IDLE_S,
    KEEPALIVE_INTERVAL_S,
    set_keepalive,
)

PROBE_S = 5.0
_PROBE_IDLE_S = 1
_PROBE_INTERVAL_S = 1
_PROBE_COUNT = 2
_TCP_INFO_HEAD = struct.Struct("=BBBBB")  # state, ca_state, retransmits, probes, backoff
_RETRANSMITS_MAX = 2


def is_dead(sock: socket.socket) -> bool:
    """Whether the kernel knows already that nobody is there.

    The peer closed or reset the connection and we have not come to read it, or it has left our
    keepalive probes or our data without an acknowledgement.
    """
    try:
        if sock.recv(1, socket.MSG_PEEK) == b"":
            return True
    except (BlockingIOError, InterruptedError):
        pass
    except OSError:
        return True
    return _leaves_unanswered(sock)


def probe(sock: socket.socket) -> None:
    """Have the kernel find out within about three seconds; a dead connection then ends by itself."""
    set_keepalive(sock, _PROBE_IDLE_S, _PROBE_INTERVAL_S, _PROBE_COUNT)


def stop_probe(sock: socket.socket) -> None:
    """Back to the ordinary patience, after `PROBE_S`: a short outage of the network is no crime."""
    if sock.fileno() != -1:
        set_keepalive(sock, KEEPALIVE_IDLE_S, KEEPALIVE_INTERVAL_S, KEEPALIVE_COUNT)


def _leaves_unanswered(sock: socket.socket) -> bool:
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return False
    with suppress(OSError, struct.error):
        info = sock.getsockopt(socket.IPPROTO_TCP, option, 64)
        _, _, retransmits, probes, _ = _TCP_INFO_HEAD.unpack_from(info)
        return bool(probes >= 1 or retransmits >= _RETRANSMITS_MAX)
    return False
