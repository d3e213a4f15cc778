"""Reads what the kernel knows of a connection: the round trip, the last contact, the unacknowledged bytes.

`TCP_INFO` costs a system call, so the round trip is asked for when a match ends, not with every move. It is
evidence for the records: no rule looks at it, because a player's network must decide nothing. The last contact
is asked for while a newcomer waits for an old connection (`liveness`).

`SIOCOUTQ` tells how many of the bytes that were sent the peer has not acknowledged. A socket becomes writable again
only when a third of its buffer is free, and the kernel lets that buffer grow to megabytes. So with a slow peer that
reads all the time the socket may not become writable for minutes; its acknowledgements show that it is there.
"""

import socket
import struct
import sys

from gameserver.values import value

# The beginning of `struct tcp_info` in Linux's <linux/tcp.h>, which has only ever grown at its end. Places in it: those
# of tcpi_probes, tcpi_rtt, tcpi_rttvar and tcpi_total_retrans; tcpi_unacked, tcpi_last_data_recv and
# tcpi_last_ack_recv.
_TCP_INFO = struct.Struct("=8B24I")
_PROBES = 3
_ROUND_TRIP, _DEVIATION, _RESENT = 8 + 15, 8 + 16, 8 + 23
_UNACKNOWLEDGED, _LAST_DATA, _LAST_ACK = 8 + 4, 8 + 11, 8 + 12
_COUNT = struct.Struct("=i")
# Seconds that the kernel's times may be off: Linux counts them in ticks of 1 to 10 ms (CONFIG_HZ).
_TICK_S = 0.02
# Unanswered keep-alive probes that count as no answer: a lossy network loses one now and then.
_PROBES_MIN = 2


def round_trip(sock: socket.socket) -> tuple[int, int, int] | None:
    """Reads a connection's round trip and its deviation, in microseconds, and the number of segments sent again.

    None if the kernel does not tell, or the connection is gone.
    """
    values = _tcp_info(sock)
    return None if values is None else (values[_ROUND_TRIP], values[_DEVIATION], values[_RESENT])


@value
class LastContact:
    """A peer's last contact: seconds since it sent and since it acknowledged something, and what is unanswered.

    The acknowledgement of a keep-alive probe counts as well. Segments in flight keep the kernel from
    sending probes: it sends the segments again instead.
    """

    heard_s: float
    acknowledged_s: float
    segments_in_flight: int
    probes_unanswered: int

    def was_heard(self, within_s: float) -> bool:
        """True if the peer sent anything in the last seconds, such as a pong."""
        return self.heard_s < within_s + _TICK_S

    def was_there(self, within_s: float) -> bool:
        """True if anything came from the peer in the last seconds, even an acknowledgement."""
        return min(self.heard_s, self.acknowledged_s) < within_s + _TICK_S

    def is_unanswered(self, within_s: float) -> bool:
        """True if the peer was asked something, and nothing at all came in the last seconds."""
        was_asked = self.segments_in_flight > 0 or self.probes_unanswered >= _PROBES_MIN
        return was_asked and not self.was_there(within_s)


def last_contact(sock: socket.socket) -> LastContact | None:
    """Reads a peer's last contact; None if the kernel does not tell, or the connection is gone."""
    values = _tcp_info(sock)
    if values is None:
        return None
    return LastContact(values[_LAST_DATA] / 1000, values[_LAST_ACK] / 1000, values[_UNACKNOWLEDGED], values[_PROBES])


def _tcp_info(sock: socket.socket) -> tuple[int, ...] | None:
    option = getattr(socket, "TCP_INFO", None)  # Linux; the structs of other systems differ
    if option is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, option, _TCP_INFO.size)
    except OSError:
        return None
    if len(info) < _TCP_INFO.size:
        return None  # an old kernel, or another one that imitates Linux
    return _TCP_INFO.unpack(info)


if sys.platform != "win32":
    import fcntl
    import termios

    def untaken_bytes(sock: socket.socket) -> int | None:
        """Counts the bytes that are not sent yet or not acknowledged; None where the platform does not tell."""
        try:
            answer = fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(_COUNT.size))
        except OSError:
            return None
        return int(_COUNT.unpack(answer)[0])

else:

    def untaken_bytes(sock: socket.socket) -> int | None:
        """None: Windows does not tell how many bytes its peer has not taken."""
        return None
