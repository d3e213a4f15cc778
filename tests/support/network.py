"""A machine of its own for a database: a network namespace, behind links that lose every packet when they are cut.

Neither side learns of a cut: each link runs through a bridge in a third namespace, and the bridge lets go of one port.
Needs root. A namespace lives as long as a process in it, and its links with it; the process works in the directory of
the clusters, so it ends with them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Self

import pytest

from tests.support.postgresql import AS_A_USER


class Network:
    """A namespace with a number of links to this one, each with addresses of its own at both ends."""

    def __init__(self, directory: Path, links: int) -> None:
        """`directory` is that of the clusters."""
        missing = [program for program in ("ip", "unshare", "nsenter", "setpriv") if shutil.which(program) is None]
        if sys.platform != "linux" or missing or os.geteuid() != 0:
            pytest.skip("network namespaces need Linux, root, iproute2 and util-linux")
        self._directory = directory
        self._links = links
        self._holders: list[subprocess.Popen[bytes]] = []
        number = os.getpid()
        self._net = f"10.{200 + number % 50}.{number // 50 % 250}"
        self._name = f"gs{number}"

    @property
    def hosts(self) -> list[str]:
        """The addresses of the machine, one for each link."""
        return [f"{self._net}.{4 * link + 2}" for link in range(self._links)]

    @property
    def within(self) -> list[str]:
        """The command that starts a cluster there."""
        as_a_user = [f"--reuid={AS_A_USER['user']}", f"--regid={AS_A_USER['group']}", "--clear-groups"]
        return [*self._in(self._machine), "setpriv", *as_a_user]

    def __enter__(self) -> Self:
        try:
            self._machine, self._between = self._namespace(), self._namespace()
            _run(*self._in(self._machine), "ip", "link", "set", "lo", "up")
            for link in range(self._links):
                self._connect(link)
        except subprocess.CalledProcessError as error:
            self.__exit__()
            pytest.skip(f"network namespaces do not work here: {error.stderr.decode().strip()}")
        return self

    def __exit__(self, *_: object) -> None:
        for holder in self._holders:
            holder.kill()
            holder.wait()
        for link in range(self._links):  # the kernel takes its time, and the names may be needed again
            subprocess.run(["ip", "link", "delete", f"{self._name}x{link}"], check=False, capture_output=True)

    def cut(self, link: int) -> None:
        """Lose all packets on a link from now on."""
        _run(*self._in(self._between), "ip", "link", "set", f"near{link}", "nomaster")

    def heal(self, link: int) -> None:
        """Let packets through again."""
        _run(*self._in(self._between), "ip", "link", "set", f"near{link}", "master", f"bridge{link}")

    def _connect(self, link: int) -> None:
        here, between, machine = [], self._in(self._between), self._in(self._machine)
        ours = f"{self._name}x{link}"
        _run("ip", "link", "add", ours, "type", "veth", "peer", "name", f"near{link}", "netns", str(self._between))
        _run(*between, "ip", "link", "add", f"far{link}", "type", "veth", "peer", "name", f"link{link}")
        _run(*between, "ip", "link", "set", f"link{link}", "netns", str(self._machine))
        _run(*between, "ip", "link", "add", f"bridge{link}", "type", "bridge")
        for port in (f"near{link}", f"far{link}"):
            _run(*between, "ip", "link", "set", port, "master", f"bridge{link}", "up")
        _run(*between, "ip", "link", "set", f"bridge{link}", "up")
        for where, name, end in ((here, ours, 1), (machine, f"link{link}", 2)):
            _run(*where, "ip", "address", "add", f"{self._net}.{4 * link + end}/30", "dev", name)
            _run(*where, "ip", "link", "set", name, "up")

    def _namespace(self) -> int:
        """Make a namespace; the process that holds it."""
        holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "echo; exec sleep infinity"],
            cwd=self._directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._holders.append(holder)
        assert holder.stdout is not None
        assert holder.stderr is not None
        with holder.stdout, holder.stderr:
            if not holder.stdout.readline():
                raise subprocess.CalledProcessError(1, "unshare", stderr=holder.stderr.read())
        return holder.pid

    def _in(self, holder: int) -> list[str]:
        return ["nsenter", "--target", str(holder), "--net"]


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)
