"""A cable between clients and a server, which can be pulled: nothing comes through, and no connection ends.

The clients are browsers of a game server, or a game server at its database.
"""

import selectors
import socket
import threading
from typing import Self

LOCAL = "127.0.0.1"
CHUNK_BYTES = 65_536
LOOK_S = 0.05


class Cable:
    """Forwards TCP connections to a port, in a thread of its own."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server((LOCAL, 0))
        self.port: int = self._listener.getsockname()[1]
        self._plugged = threading.Event()
        self._plugged.set()
        self._breaking = threading.Event()
        self._closing = threading.Event()
        self._sockets = selectors.DefaultSelector()
        self._sockets.register(self._listener, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._plugged.set()
        self._thread.join()
        self._close_all()
        self._close(self._listener)

    def pull(self) -> None:
        """Let nothing through from now on."""
        self._plugged.clear()

    def plug(self) -> None:
        """Let everything through again, also what was sent meanwhile."""
        self._plugged.set()

    def break_connections(self) -> None:
        """End the connections of the moment, as both sides notice, soon after this call."""
        self._breaking.set()

    def _run(self) -> None:
        while not self._closing.is_set():
            self._plugged.wait()
            if self._breaking.is_set():
                self._breaking.clear()
                self._close_all()
            for key, _ in self._sockets.select(LOOK_S):
                if not self._plugged.is_set():
                    break
                if key.fileobj is self._listener:
                    self._join()
                elif key.fileobj.fileno() >= 0:  # type: ignore[union-attr]
                    self._forward(key.fileobj, key.data)

    def _join(self) -> None:
        near, _ = self._listener.accept()
        try:
            far = socket.create_connection((LOCAL, self._to))
        except OSError:
            near.close()
            return
        for one in (near, far):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # a cable has no delay of its own
        self._sockets.register(near, selectors.EVENT_READ, far)
        self._sockets.register(far, selectors.EVENT_READ, near)

    def _forward(self, one: socket.socket, other: socket.socket) -> None:
        try:
            data = one.recv(CHUNK_BYTES)
            other.sendall(data)
        except OSError:
            data = b""
        if not data:
            self._close(one)
            self._close(other)

    def _close_all(self) -> None:
        for key in list(self._sockets.get_map().values()):
            if key.fileobj is not self._listener:
                self._close(key.fileobj)

    def _close(self, one: socket.socket) -> None:
        if one.fileno() >= 0:
            self._sockets.unregister(one)
            one.close()
