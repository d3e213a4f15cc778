"""The processes that are measured: started like a user starts them, one at a time, each on a core of its own."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import tomli_w
from attrs import define, field, frozen

from gameserver.cli.effective_config import find_plugins
from tests.support import fixed_otherwise

HERE = Path(__file__).parent
START_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 30.0
PORTS = range(10_000, 30_000)
PORT_ATTEMPTS = 100
LOG_LINES = 20
CPUCLOCK_SCHED = 2
"""Linux's number for a clock of user and system time together."""

RAISED: Mapping[str, Mapping[str, object]] = {
    "match": {"first_move_pause_ms": 0},
    "limits": {"connections_max": 20_000, "connections_per_address_max": 20_000},
}
"""Settings that are not the default, because the load comes from one address and does not think."""
FIXED: Mapping[str, Mapping[str, float]] = {
    "rules": {"room_count": 1000},
    "limits": {"commands_per_s": 100_000.0, "offers_per_s": 100_000.0, "address_offers_per_s": 100_000.0},
}
"""The same of numbers that no config sets."""


def note(text: str) -> None:
    """Tell how far we are."""
    print(text, file=sys.stderr, flush=True)


class BenchmarkError(Exception):
    """The figures would be wrong: something did not go as it should."""


@frozen
class Cores:
    """The cores of the server and of the load; the same for both where they are not kept apart."""

    server: frozenset[int]
    generator: frozenset[int]

    @classmethod
    def chosen(cls, *, pin: bool) -> "Cores":
        """Two cores, if there are two and they are wanted apart."""
        available = sorted(os.sched_getaffinity(0))
        if not pin or len(available) < 2:
            return cls(frozenset(available), frozenset(available))
        return cls(frozenset(available[:1]), frozenset(available[1:2]))


@frozen
class Subject:
    """A server to measure."""

    name: str
    command: tuple[str, ...]
    """With `{port}` where the port belongs."""
    hello: bytes
    """Bytes that make it speak; empty for a server that speaks first."""


ECHO = Subject("echo", (sys.executable, str(HERE / "echo_server.py"), "{port}"), b"hello\n")


HELLOS: Mapping[str, bytes] = {"strategic": b"", "connect-four": b"{}\n"}
"""Bytes that make the server speak in each protocol: no message of it, so they are refused and change nothing."""


def gameserver(directory: Path, data: str = "", *, protocol: str = "strategic", **match: object) -> Subject:
    """The server, with its data in this directory unless told, and everything else as a user has it."""
    config = {
        **RAISED,
        "match": {**RAISED["match"], **match},
        "listen": dict.fromkeys(sorted(find_plugins().protocols.keys() - {protocol}), "off"),
    }
    config_file = directory / "config.toml"
    config_file.write_text(tomli_w.dumps(config), encoding="utf-8")
    program = (sys.executable, "-P", fixed_otherwise.__file__, json.dumps(FIXED).replace("{", "{{").replace("}", "}}"))
    command = (*program, "serve", "--config", str(config_file), "--listen", f"{protocol}=127.0.0.1:{{port}}")
    return Subject("server", (*command, "--data", str(data or directory / "data.sqlite3")), HELLOS[protocol])


@define
class Running:
    """A server process that answers."""

    port: int
    popen: subprocess.Popen[bytes]
    log: Path
    start_s: float = 0.0
    """From the start of the process to its first word on the port."""
    process: psutil.Process = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.process = psutil.Process(self.popen.pid)

    def cpu_s(self) -> float:
        """User and system time of all its threads so far."""
        return cpu_s_of(self.popen.pid)

    def rss_bytes(self) -> int:
        """The memory it holds."""
        return int(self.process.memory_info().rss)

    def log_text(self) -> str:
        """The log so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End it; a server that does not go is killed, and that is an error."""
        self.popen.send_signal(how)
        try:
            self.popen.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            self.popen.wait()
            raise BenchmarkError(f"the server did not stop in {STOP_TIMEOUT_S:g} s") from None


def cpu_s_of(process: int) -> float:
    """User and system time of all threads of a process so far."""
    # The clock of a process, as clock_getcpuclockid(3) names it: in nanoseconds, where /proc counts hundredths.
    return time.clock_gettime(~process << 3 | CPUCLOCK_SCHED)


@contextmanager
def running(subject: Subject, directory: Path, cores: Cores, working: Path | None = None) -> Iterator[Running]:
    """Start a server, wait for its first word, and stop it at the end."""
    server = _started(subject, directory, cores, working or directory)
    try:
        _await_first_word(server, subject)
        note(f"{subject.name}: process {server.popen.pid}")
        yield server
    except Exception as error:
        error.add_note(f"The {subject.name} logged last:\n" + "\n".join(server.log_text().splitlines()[-LOG_LINES:]))
        raise
    finally:
        if server.popen.poll() is None:
            server.stop()


def _started(subject: Subject, directory: Path, cores: Cores, working: Path) -> Running:
    port = free_port()
    log = directory / f"{subject.name}.log"
    # Threads inherit the affinity of whoever starts them, so it is set before there are any.
    os.sched_setaffinity(0, cores.server)
    try:
        with log.open("wb") as output:
            began_s = time.perf_counter()
            popen = subprocess.Popen(
                [part.format(port=port) for part in subject.command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=working,
            )
    finally:
        os.sched_setaffinity(0, cores.generator)
    return Running(port, popen, log, began_s)


def free_port() -> int:
    """A port below those that the system gives away by itself, so that nobody gets it before the server has it."""
    for port in random.sample(PORTS, PORT_ATTEMPTS):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise BenchmarkError(f"none of {PORT_ATTEMPTS} ports from {PORTS.start} to {PORTS.stop} was free")


def _await_first_word(server: Running, subject: Subject) -> None:
    began_s = server.start_s
    while time.perf_counter() < began_s + START_TIMEOUT_S:
        if server.popen.poll() is not None:
            raise BenchmarkError(f"the {subject.name} did not start")
        with suppress(ConnectionError), socket.create_connection(("127.0.0.1", server.port)) as sock:
            sock.settimeout(START_TIMEOUT_S)
            sock.sendall(subject.hello)
            if sock.recv(1):
                server.start_s = time.perf_counter() - began_s
                return
        time.sleep(0.001)
    raise BenchmarkError(f"the {subject.name} did not answer in {START_TIMEOUT_S:g} s")
