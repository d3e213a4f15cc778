"""A real server process with a data file of its own, what it prints, and what it is asked by its teacher.

Nothing here sleeps to let something happen: a test waits for the line, the log entry or the end of
the process that it wants to see, and fails with what there was instead.
"""

import json
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Self, TextIO

import tomli_w
from attrs import define

from gameserver.cli.effective_config import find_plugins
from tests.end_to_end.blocking_client import BlockingClient
from tests.end_to_end.recorded import Recorded, read_matches
from tests.end_to_end.support import COMMAND, DEADLINE_S, LOCAL, environment, eventually
from tests.support import fixed_otherwise


class Printed:
    """Reads the output of a process, line by line, as it comes."""

    def __init__(self, stream: TextIO) -> None:
        self.lines: list[str] = []
        self._ended = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def wait_for(self, *parts: str, within_s: float = DEADLINE_S) -> str:
        """The first line that contains all parts."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._with(parts), within_s)
            found = self._with(parts)
        assert found, f"no line with {parts} within {within_s:g} s in:\n{self.text}"
        return found[0]

    def join(self) -> None:
        """Wait for the end of the output; the process is over."""
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive(), "something still holds the output of a server that is over"

    def _with(self, parts: Sequence[str]) -> list[str]:
        return [line for line in self.lines if all(part in line for part in parts)]

    def _read(self, stream: TextIO) -> None:
        with stream:
            for line in stream:
                with self._changed:
                    self.lines.append(line.rstrip("\n"))
                    self._changed.notify_all()
        with self._changed:
            self._ended = True
            self._changed.notify_all()


@define
class Program:
    """A running program of a test, and what it prints and complains of."""

    process: "subprocess.Popen[str]"
    printed: Printed
    complained: Printed

    @classmethod
    def launch(
        cls, to_end: ExitStack, command: Sequence[str], env: Mapping[str, str] | None = None, **more: Any
    ) -> Self:
        """Start it; it ends with the test at the latest."""
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=env,
            # A shell that runs the tests in the background ignores Ctrl-C, and so would the program.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - before its threads
        )
        to_end.callback(process.wait)
        to_end.callback(process.kill)
        assert process.stdout is not None
        assert process.stderr is not None
        return cls(process, Printed(process.stdout), Printed(process.stderr), **more)

    def end(self, code: int = 0) -> tuple[str, str]:
        """Wait for its end, with this exit code; what it printed, and what it complained of."""
        found = self.process.wait(3 * DEADLINE_S)
        self.printed.join()
        self.complained.join()
        assert found == code, self.printed.text + self.complained.text
        return self.printed.text, self.complained.text


class Server:
    """A server process with a data file of its own, on ports that the system picks. It can be started again."""

    def __init__(
        self,
        directory: Path,
        config: Mapping[str, Any],
        arguments: Sequence[str] = (),
        *,
        listen: Sequence[str] = (f"strategic={LOCAL}:0",),
        env: Mapping[str, str] | None = None,
        open_files_max: int | None = None,
        command: str = COMMAND,
        cwd: Path | None = None,
        data: str = "",
        fixed: Mapping[str, Any] | None = None,
    ) -> None:
        """`fixed` are numbers that no config sets (`tests/support/fixed_otherwise.py`)."""
        self.data = directory / "data.sqlite3"
        self.faults_expected = False
        self.match_before = 0
        """`matches` are those with higher numbers."""
        self.ports: list[int] = []
        self._listening: list[tuple[str, int]] = []
        self._clients: list[BlockingClient] = []
        self._env = environment() | dict(env or {})
        config_file = directory / "config.toml"
        self._protocols = find_plugins().protocols.keys()
        others_off = dict.fromkeys(self._protocols - {"strategic"}, "off")
        config_file.write_text(tomli_w.dumps({**config, "listen": others_off}), "utf-8")
        self._cwd = cwd
        installed = [command] if fixed is None else [sys.executable, "-P", fixed_otherwise.__file__, json.dumps(fixed)]
        self._command = [
            *installed,
            "serve",
            "--config",
            str(config_file),
            "--data",
            data or str(self.data),
            *arguments,
        ]
        self._listen = [part for address in listen for part in ("--listen", address)]
        if open_files_max is not None:
            # The shell sets the hard limit too; the server raises its own only up to that.
            self._command = ["sh", "-c", f'ulimit -n {open_files_max} && exec "$@"', "sh", *self._command]

    @property
    def port(self) -> int:
        return self.ports[0]

    def port_of(self, protocol: str) -> int:
        """The port of another protocol's first listener."""
        return next(port for name, port in self._listening if name == protocol)

    def launch(self) -> None:
        """Start the process, and do not wait for it."""
        pipe = subprocess.PIPE
        command, texts = [*self._command, *self._listen], {"encoding": "utf-8", "errors": "replace"}
        self.process = subprocess.Popen(command, stdout=pipe, stderr=pipe, env=self._env, cwd=self._cwd, **texts)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.printed = Printed(self.process.stdout)
        self.log = Printed(self.process.stderr)

    def start(self) -> Self:
        """Start the process, and wait until it listens."""
        self.launch()
        self.wait_until_it_listens()
        return self

    def start_where_it_was(self) -> Self:
        """Start the process on the ports that it had; nobody else takes them so soon."""
        self._listen = [part for name, port in self._listening for part in ("--listen", f"{name}={LOCAL}:{port}")]
        return self.start()

    def wait_until_it_listens(self) -> None:
        try:
            self.printed.wait_for("stop with Ctrl-C")
        except AssertionError as error:
            raise AssertionError(f"the server did not start:\n{self.log.text}") from error
        rows = [re.split(" {2,}", line) for line in list(self.printed.lines)]
        self._listening = [(row[0], int(row[2].rpartition(":")[2])) for row in rows if row[0] in self._protocols]
        self.ports = [port for name, port in self._listening if name == "strategic"]
        assert self.ports, self.printed.text

    def client(self, name: str = "", *, port: int = 0, **options: Any) -> "BlockingClient":
        """A client of this server, logged in if it has a name. It is closed with the server."""
        client = BlockingClient(port or self.port, **options)
        self._clients.append(client)
        if name:
            client.log_in(name)
        return client

    def kill(self) -> None:
        """End it without a word, like a power cut for the process."""
        self.process.kill()
        self.process.wait(DEADLINE_S)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(by)
        return self.wait()

    def wait(self) -> int:
        """Wait for its end; its exit code, with all of its output read."""
        code = self.process.wait(DEADLINE_S)
        self.printed.join()
        self.log.join()
        return code

    def close(self) -> None:
        """End whatever still runs. No server may have met an exception that it did not expect."""
        for client in self._clients:
            client.close()
        if not hasattr(self, "process"):
            return
        if self.process.poll() is None:
            self.kill()
        self.wait()
        print(self.log.text)
        if not self.faults_expected:
            assert "Traceback" not in self.log.text

    def matches(self) -> list["Recorded"]:
        """The finished matches, read from the data file as a teacher would."""
        with closing(sqlite3.connect(f"file:{self.data}?mode=ro", uri=True, isolation_level=None)) as connection:
            connection.execute("BEGIN")  # one moment for all three tables, whatever is recorded meanwhile
            return [match for match in read_matches(connection) if match.match > self.match_before]

    def empty(self) -> None:
        """Close all clients, and wait until the lobby has noticed: nobody is in any more, and nothing goes on."""
        for client in self._clients:
            client.close()
        self._clients.clear()
        eventually(self._is_empty, "everybody is gone")
        self.match_before = max((match.match for match in self.matches()), default=self.match_before)

    def _is_empty(self) -> bool:
        status = ask_admin(self, "/api/status")
        return not any(status[what] for what in ("players", "matches", "rooms", "queues", "tickets"))


def token_of(server: Server) -> str:
    """The token of the admin listener, out of the file that the server wrote."""
    text = server.data.with_name(server.data.name + ".admin").read_text("utf-8")
    found = re.search(r'token = "([^"]+)"', text)
    assert found, text
    return found[1]


def ask_admin(server: Server, path: str, body: object = None) -> Any:
    """Ask the admin listener as a teacher's program does; with a body, to have something done."""
    headers = {"Authorization": f"Bearer {token_of(server)}", "Content-Type": "application/json"}
    address = f"http://{LOCAL}:{server.port_of('admin')}{path}"
    request = urllib.request.Request(address, None if body is None else json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)
