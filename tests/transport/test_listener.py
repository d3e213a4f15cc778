"""The listener: accepting, the spelling of hosts, the options of sockets."""

import errno
import socket
from time import perf_counter
from typing import Any

import pytest

from gameserver.transport import listener


def test_accepting_goes_on_when_files_run_out() -> None:
    errors = [OSError(errno.ECONNABORTED, "gone"), OSError(errno.EMFILE, "Too many open files")]

    class Exhausted:
        def accept(self) -> Any:
            raise errors.pop(0)

    accepted: list[Any] = []
    _, error = listener._accept_some(Exhausted(), lambda *args: not accepted.append(args), perf_counter)
    assert error.errno == errno.EMFILE
    assert accepted == []


@pytest.mark.parametrize(
    ("sockaddr", "host"),
    [
        (("::ffff:10.1.2.3", 5, 0, 0), "10.1.2.3"),
        (("::1", 5, 0, 0), "127.0.0.1"),
        (("fe80::1", 5, 0, 0), "fe80::1"),
        (("10.1.2.3", 5), "10.1.2.3"),
    ],
)
def test_hosts_have_one_spelling(sockaddr: tuple[Any, ...], host: str) -> None:
    assert listener._host(sockaddr) == host


def test_sockets_are_tuned() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        sock, _ = server.accept()
        with sock:
            listener._tune(sock)
            assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert sock.gettimeout() == 0
