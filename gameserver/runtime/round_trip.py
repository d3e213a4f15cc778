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
_UNACKNOWLEDGED, _LAST_DATA, _LAST_ACK = 8 + 4, 8 + 11, 8 + 12
_TICK_S = 0.02
"""How far off the kernel's times may be: its clock goes in ticks of 4 to 10 ms."""


@frozen
class RoundTrip:
    """The smoothed round trip and its mean deviation, in microseconds, and how many segments were sent again."""

    round_trip_us: int
    deviation_us: int
    segments_resent: int


def round_trip(sock: socket.socket) -> RoundTrip | None:
    """What the kernel knows of this connection; None where it does not tell, or the connection is gone."""
    values = _tcp_info(sock)
    return None if values is None else RoundTrip(values[_ROUND_TRIP], values[_DEVIATION], values[_RESENT])


def was_answered(sock: socket.socket, within_s: float) -> bool:
    """True if the peer's kernel has acknowledged anything, a keep-alive probe included, in the last seconds."""
    return _has_come(sock, _LAST_ACK, within_s)


def was_heard(sock: socket.socket, within_s: float) -> bool:
    """True if the peer has sent anything in the last seconds, such as a pong."""
    return _has_come(sock, _LAST_DATA, within_s)


def is_unanswered(sock: socket.socket, within_s: float) -> bool:
    """True if something was sent, and nothing has been acknowledged in the last seconds; False where nobody knows."""
    values = _tcp_info(sock)
    return values is not None and values[_UNACKNOWLEDGED] > 0 and not was_answered(sock, within_s)


def _has_come(sock: socket.socket, what: int, within_s: float) -> bool:
    values = _tcp_info(sock)
    return values is not None and values[what] / 1000 < within_s + _TICK_S


def _tcp_info(sock: socket.socket) -> tuple[int, ...] | None:
    option = getattr(socket, "TCP_INFO", None)
    if option is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, option, _TCP_INFO.size)
    except OSError:
        return None
    if len(info) < _TCP_INFO.size:
        return None
    return _TCP_INFO.unpack(info)
