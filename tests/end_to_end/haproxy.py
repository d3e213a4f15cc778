"""Debian's HAProxy, with the configuration of `docs/` as it is, in front of two servers of this machine."""

import grp
import os
import pwd
import shutil
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Self

import pytest

from tests.end_to_end.server_process import Printed
from tests.end_to_end.support import LOCAL

HAPROXY = shutil.which("haproxy", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
needs_haproxy = pytest.mark.skipif(HAPROXY is None, reason="HAProxy is not installed (apt-get install haproxy)")

CONFIGURATION = Path(__file__).parents[2] / "docs" / "haproxy.cfg"
PROXY = "127.0.0.2"
"""The address from which HAProxy connects to the servers, which are on the same machine and trust it alone."""
HOSTS = "127.0.0.11", "127.0.0.12"
"""The servers' addresses. Both have the same ports."""
VARIABLES = {"http": "HTTP", "strategic": "TEXT", "connect-four": "CONNECT_FOUR", "mastermind": "MASTERMIND"}
"""The names of the protocols in the configuration."""


class HAProxy:
    """A running HAProxy. `ports` are those of the servers by protocol."""

    def __init__(self, ports: Mapping[str, int], configuration: Path = CONFIGURATION) -> None:
        assert HAPROXY is not None
        self._sockets = {protocol: socket.create_server((LOCAL, 0), backlog=4096) for protocol in VARIABLES}
        variables = dict(zip(("FIRST_SERVER", "SECOND_SERVER"), HOSTS, strict=True)) | {"PROXY_ADDRESS": PROXY}
        variables |= unprivileged()
        for protocol, name in VARIABLES.items():
            variables[f"{name}_BIND"] = f"fd@{self._sockets[protocol].fileno()}"
            variables[f"{name}_PORT"] = str(ports[protocol])
        self._process = subprocess.Popen(
            [HAPROXY, "-db", "-f", str(configuration)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            env=os.environ | variables,
            pass_fds=[sock.fileno() for sock in self._sockets.values()],
        )
        assert self._process.stdout is not None
        self.log = Printed(self._process.stdout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)
        for sock in self._sockets.values():
            sock.close()
        self.log.join()
        print(self.log.text)

    @property
    def port(self) -> int:
        """The port for clients of the text protocol."""
        return self.port_of("strategic")

    def port_of(self, protocol: str) -> int:
        """The port for clients of a protocol."""
        port: int = self._sockets[protocol].getsockname()[1]
        return port


def unprivileged() -> dict[str, str]:
    """HAProxy's user and group: its own if it is root, else it remains who it is."""
    if os.geteuid() == 0:
        return {}
    return {"PROXY_USER": pwd.getpwuid(os.geteuid()).pw_name, "PROXY_GROUP": grp.getgrgid(os.getegid()).gr_name}
