"""The listener: accepting, the spelling of hosts, the settings of sockets; and the choice of the reactor."""

import errno
import socket
import sys
from time import perf_counter
from typing import Any

import pytest

from gameserver.settings import ReactorKind
from gameserver.transport import listener, reactor_choice
from gameserver.transport.reactor_choice import chosen_reactor
from gameserver.transport.reactors import TaskReactor


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


def test_setting_chooses() -> None:
    assert chosen_reactor(ReactorKind.TASKS) is TaskReactor
    assert chosen_reactor(ReactorKind.AUTO) is reactor_choice.best_reactor
    if sys.platform == "linux":
        assert chosen_reactor(ReactorKind.EPOLL) is chosen_reactor(ReactorKind.AUTO)
        assert chosen_reactor(ReactorKind.EPOLL) is not TaskReactor


def test_system_without_epoll_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reactor_choice, "best_reactor", TaskReactor)
    with pytest.raises(ValueError, match='no epoll; set "auto" or "tasks"'):
        chosen_reactor(ReactorKind.EPOLL)
