"""Headers of the PROXY protocol, as a proxy writes them, and a proxy that writes one before each connection."""

import socket
import struct
import threading
from contextlib import suppress
from ipaddress import ip_address
from typing import Self

SIGNATURE = bytes.fromhex("0d0a0d0a000d0a515549540a")


def header(source: str, reached: str = "", *, tlvs: bytes = b"", kind: int | None = None) -> bytes:
    """The header of a connection over TCP from one address to another of the same family."""
    reached = reached or ("2001:db8::1" if ":" in source else "198.51.100.1")
    addresses = ip_address(source).packed + ip_address(reached).packed
    if kind is None:
        kind = 0x11 if len(addresses) == 8 else 0x21
    block = addresses + struct.pack("!HH", 40_000, 7789) + tlvs
    return SIGNATURE + bytes((0x21, kind)) + struct.pack("!H", len(block)) + block


def local() -> bytes:
    """The header of a connection of the proxy's own."""
    return SIGNATURE + b"\x20\x00\x00\x00"


class Proxy:
    """Passes connections on from an address of its own, each behind a header with the address of its client."""

    def __init__(self, to_port: int, source: str, *, sends_header: bool = True) -> None:
        self._target, self._source, self._sends_header = ("127.0.0.1", to_port), source, sends_header
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._sockets: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for sock in (self._listener, *self._sockets):
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, (host, _) = self._listener.accept()
                server = socket.create_connection(self._target, source_address=(self._source, 0))
                self._sockets += [client, server]
                if self._sends_header:
                    server.sendall(header(host, client.getsockname()[0]))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=_copy, args=(source, sink), daemon=True).start()


def _copy(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
