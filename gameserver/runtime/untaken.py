"""How much of what was sent the peer has not taken yet, as the kernel knows it (`SIOCOUTQ`).

A socket becomes writable again only when a third of its buffer is free. The kernel lets that buffer
grow to megabytes, so a peer with a slow line that reads all the time may not make it writable for
minutes. What it acknowledges shows that it is there.
"""

import socket
import struct
import sys

_COUNT = struct.Struct("=i")

if sys.platform != "win32":
    import fcntl
    import termios

    def untaken_bytes(sock: socket.socket) -> int | None:
        """Bytes that are sent and not acknowledged, or not sent yet; None where the platform does not tell."""
        try:
            answer = fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(_COUNT.size))
        except OSError:
            return None
        return int(_COUNT.unpack(answer)[0])

else:

    def untaken_bytes(sock: socket.socket) -> int | None:
        """Windows does not tell."""
        return None
