"""How long the network takes to a peer and back, as the kernel has measured it (`TCP_INFO`).

It costs a system call, so it is asked for when a match ends, not with every move. Evidence for the
records: no rule looks at it, because a player's network must decide nothing.
"""

import socket
import struct

from attrs import frozen

_TCP_INFO = struct.Struct("=8B24I")
"""The beginning of Linux's `struct tcp_info`, which has only ever grown at its end."""
_ROUND_TRIP, _DEVIATION, _RESENT = 8 + 15, 8 + 16, 8 + 23


@frozen
class RoundTrip:
    """The smoothed round trip and its mean deviation, in microseconds, and how many segments were sent again."""

    round_trip_us: int
    deviation_us: int
    segments_resent: int


def round_trip(sock: socket.socket) -> RoundTrip | None:
    """What the kernel knows of this connection; None where it does not tell, or the connection is gone."""
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, option, _TCP_INFO.size)
    except OSError:
        return None
    if len(info) < _TCP_INFO.size:
        return None
    values = _TCP_INFO.unpack(info)
    return RoundTrip(values[_ROUND_TRIP], values[_DEVIATION], values[_RESENT])
