"""PostgreSQL clusters of the tests' own: in a temporary directory, on free ports, as an unprivileged user.

Their processes and files are gone when the test process is over, even if that is killed:
`postgresql_keeper` sees to it.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil
import psycopg
import pytest
from filelock import FileLock

from tests.support import postgresql_keeper
from tests.support.postgresql_keeper import processes_in

LOCAL = "127.0.0.1"
USER = "postgres"
"""The superuser of each cluster. Everybody on this machine is trusted to be that one."""
DEADLINE_S = 30.0
REMOVAL_S = 120.0
"""The time in which the files of all clusters are removed: each has a thousand of them."""

_PORTS = range(20_000, 32_000)
"""Below the ports that the kernel gives to clients (ip_local_port_range): none of them takes the port of a cluster that
is down for a moment, and who tries to connect to it does not connect to itself."""

_SETTINGS = {
    # A process that is killed loses nothing that it wrote; only the machine's end would.
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "16MB",
    "max_connections": "50",
    "wal_level": "replica",
    "max_wal_size": "200MB",
    "cluster_name": "gameserver-tests",
    "log_line_prefix": "%m [%p] %a ",
    "log_connections": "on",
    "log_disconnections": "on",
}
_CERTIFICATE = ("-nodes", "-subj", "/CN=localhost", "-keyout", "new/server.key", "-out", "new/server.crt")
"""Connections are encrypted, as Debian has it: an error of one that breaks reads differently then."""
AS_A_USER: dict[str, Any] = {}
"""Give the command for a program of PostgreSQL, which refuses to run as root."""
if sys.platform != "win32" and os.geteuid() == 0:
    import pwd

    _user = next(pwd.getpwnam(name) for name in ("postgres", "nobody") if name in {each[0] for each in pwd.getpwall()})
    AS_A_USER = {"user": _user.pw_uid, "group": _user.pw_gid, "extra_groups": []}


def binaries() -> Path | None:
    """The directory of PostgreSQL's programs; None where it is not installed. Debian has the server's off the PATH."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), default=None)


class Clusters:
    """Makes clusters, and keeps them all in one directory.

    They are copies of one, which the processes of a run by pytest-xdist share: `initdb` takes a second of CPU. That one
    is kept with the temporary files of pytest.
    """

    def __init__(self, shared: Path) -> None:
        programs = binaries()
        if programs is None or sys.platform == "win32":
            pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
        self.programs = programs
        self._clusters: list[Cluster] = []
        self._made_once = shared / "postgresql"

    def __enter__(self) -> Self:
        self.directory = Path(tempfile.mkdtemp(prefix="gameserver-postgresql-"))
        self._keeper = subprocess.Popen(
            [sys.executable, postgresql_keeper.__file__, str(self.directory)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        if AS_A_USER:
            shutil.chown(self.directory, AS_A_USER["user"], AS_A_USER["group"])
        new = self.directory / "new"
        if "PYTEST_XDIST_WORKER" not in os.environ:
            self._initialize()
            return self
        with FileLock(f"{self._made_once}.lock"):
            if not self._made_once.exists():
                self._initialize()
                subprocess.run(["cp", "-a", new, self._made_once], check=True)
                return self
        subprocess.run(["cp", "-a", self._made_once, new], check=True)
        return self

    def _initialize(self) -> None:
        self.run("initdb", "-D", "new", "-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C", "--no-sync")
        with (self.directory / "new" / "pg_hba.conf").open("a") as trusted:
            trusted.write("host all all samenet trust\nhost replication all samenet trust\n")
        if shutil.which("openssl"):
            self.run("openssl", "req", "-x509", "-newkey", "rsa:2048", *_CERTIFICATE)
            with (self.directory / "new" / "postgresql.conf").open("a") as settings:
                settings.write("ssl = on\n")

    def __exit__(self, *_: object) -> None:
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        self._keeper.wait(REMOVAL_S)
        for cluster in self._clusters:
            cluster.await_end()

    def make(self, **settings: str) -> "Cluster":
        """A new cluster, which is not started yet."""
        directory = self._next()
        self.run("cp", "-a", "new", directory.name)
        return self._made(Cluster(self, directory, 0, **settings))

    def copy(self, primary: "Cluster", slot: str, port: int = 0) -> "Cluster":
        """A replica of a cluster that runs, which is not started yet; on the port of one that is gone, if given."""
        directory = self._next()
        options = ("-D", directory.name, "-d", primary.address(), "-c", "fast", "-R", "-X", "stream", "-C", "-S", slot)
        self.run("pg_basebackup", *options)
        settings = primary.settings | {"cluster_name": slot}
        return self._made(Cluster(self, directory, port, **settings))

    def run(self, *command: str) -> None:
        """Run a program in the directory, to its end."""
        program = self.programs / command[0]
        done = subprocess.run(
            [str(program) if program.exists() else command[0], *command[1:]],
            cwd=self.directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            **AS_A_USER,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def _next(self) -> Path:
        return self.directory / str(len(self._clusters))

    def _made(self, cluster: "Cluster") -> "Cluster":
        self._clusters.append(cluster)
        return cluster


class Cluster:
    """A cluster: what one `postgres` serves."""

    def __init__(self, clusters: Clusters, directory: Path, port: int, **settings: str) -> None:
        self.directory = directory
        self.settings = settings
        self.port = port or _free_port()
        self.within: Sequence[str] = ()
        """A command that starts it as the user of `AS_A_USER`, but elsewhere, such as in a network namespace."""
        self.hosts = settings.get("listen_addresses", LOCAL).split(",")
        self._clusters = clusters
        self._process: subprocess.Popen[bytes] | None = None
        self._paused: list[psutil.Process] = []
        self._databases = 0
        self.set(
            **_SETTINGS,
            listen_addresses=",".join(self.hosts),
            port=str(self.port),
            unix_socket_directories=str(directory),
        )
        self.set(**settings)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def log(self) -> str:
        """All that it has logged."""
        return self.directory.with_suffix(".log").read_text("utf-8", "replace")

    def set(self, **settings: str) -> None:
        """Change settings; a cluster that runs notices with `reload`, or when it is started again."""
        with (self.directory / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def start(self) -> Self:
        """Start it, and wait until it takes connections."""
        assert not self.is_running
        with self.directory.with_suffix(".log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self.within, str(self._clusters.programs / "postgres"), "-D", str(self.directory)],
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                **({} if self.within else AS_A_USER),
            )
        self._eventually(self._is_ready, "the cluster is ready")
        return self

    def processes(self) -> list[psutil.Process]:
        """Its processes, the one that starts all others first."""
        assert self._process is not None
        postmaster = psutil.Process(self._process.pid)
        return [postmaster, *postmaster.children(recursive=True)]

    def stop(self) -> None:
        """Stop it in good order; connections are ended."""
        self.resume()
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        self.await_end()

    def await_end(self) -> None:
        """Wait until its first process is over, if there ever was one."""
        if self._process is not None:
            self._process.wait(DEADLINE_S)

    def kill(self) -> None:
        """End all of its processes without a word."""
        assert self._process is not None
        self.pause()
        paused, self._paused = self._paused, []
        for process in paused:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self._process.wait(DEADLINE_S)
        self._eventually(lambda: not processes_in(self.directory), "all processes of the cluster are gone")

    def remove(self) -> None:
        """Remove its files, when it is stopped or killed for good."""
        assert not self.is_running
        shutil.rmtree(self.directory)

    def restart(self) -> None:
        """Kill it and start it again."""
        self.kill()
        self.start()

    def pause(self) -> None:
        """Stop its processes where they are. Its connections stay open, and it answers nobody."""
        self.processes()[0].suspend()  # it starts no others then
        self._paused = self.processes()
        for process in self._paused[1:]:
            with suppress(psutil.NoSuchProcess):
                process.suspend()

    def resume(self) -> None:
        """Let a paused cluster go on."""
        for process in self._paused:
            with suppress(psutil.NoSuchProcess):
                process.resume()
        self._paused = []

    def ensure(self) -> Self:
        """Have it run, whatever a test has done to it."""
        self.resume()
        return self if self.is_running else self.start()

    def address(self, database: str = USER, port: int = 0) -> str:
        """A URL for clients, by way of another port if one is given."""
        return address([(self.hosts[0], port or self.port)], database)

    def execute(self, statement: str, values: Sequence[object] = (), *, database: str = USER) -> list[Any]:
        """Carry out one statement on a connection of its own; its rows."""
        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description else []

    def new_database(self, template: str = "template0") -> str:
        """Create a database like another one that nobody is connected to, usually an empty one; its name."""
        self._databases += 1
        name = f"database_{self._databases}"
        # Through the log, which is the default, it takes three times as long.
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return name

    def drop(self, database: str) -> None:
        """Remove a database, and end the connections to it."""
        self.execute(f"DROP DATABASE {database} WITH (FORCE)")

    def reload(self) -> None:
        """Have it read its settings."""
        self.execute("SELECT pg_reload_conf()")

    def replica(self, port: int = 0) -> "Cluster":
        """Start a replica, which follows asynchronously; on the port of a cluster that is gone, if given."""
        slot = f"replica_of_{self.port}"
        replica = self._clusters.copy(self, slot, port).start()
        self._eventually(lambda: self._follows(slot), "the replica follows")
        return replica

    def synchronous_replica(self, port: int = 0) -> "Cluster":
        """Start a replica that each commit waits for from now on."""
        replica = self.replica(port)
        self.set(synchronous_standby_names="*")
        self.reload()
        self._eventually(lambda: self._follows(f"replica_of_{self.port}", "sync"), "the replica is synchronous")
        return replica

    def promote(self) -> None:
        """Make a replica a primary. It follows nobody then, and waits for no replica."""
        self.set(synchronous_standby_names="")
        self.reload()
        self.execute("SELECT pg_promote()")

    def _follows(self, name: str, state: str = "") -> bool:
        rows = self.execute(
            "SELECT 1 FROM pg_stat_replication"
            " WHERE application_name = %s AND state = 'streaming' AND sync_state LIKE %s || '%%'",
            (name, state),
        )
        return bool(rows)

    def _is_ready(self) -> bool:
        """Look into the file that the postmaster keeps: its process is the first line, its state the last."""
        assert self._process is not None
        assert self._process.poll() is None, self.log
        try:
            lines = (self.directory / "postmaster.pid").read_text().split()
        except FileNotFoundError:
            return False
        return bool(lines) and lines[0] == str(self._process.pid) and lines[-1] in {"ready", "standby"}

    def _eventually(self, condition: Callable[[], bool], what: str) -> None:
        give_up_s = time.monotonic() + DEADLINE_S
        while not condition():
            assert time.monotonic() < give_up_s, f"not within {DEADLINE_S:g} s: {what}\n{self.log}"
            time.sleep(0.01)


def carried_out(data: str, *statements: str) -> list[Any]:
    """Carry out statements, and give the rows of the last."""
    with psycopg.connect(data, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def address(servers: Sequence[tuple[str, int]], database: str) -> str:
    """A URL with any number of servers; of several, the one that can be written to."""
    hosts = ",".join(f"{host}:{port}" for host, port in servers)
    return f"postgresql://{USER}@{hosts}/{database}" + ("?target_session_attrs=read-write" if servers[1:] else "")


def _free_port() -> int:
    while True:
        port = random.choice(_PORTS)
        with suppress(OSError), socket.create_server((LOCAL, port)):
            return port
