"""A server that a command starts for itself: started again if it dies, and stopped in the end."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from attrs import define, field

from gameserver import processes
from gameserver.admin.client import AdminApiError, AdminClient, NoAccess, NotReached, access_file, read_access
from gameserver.cli.common import CommandFailed
from gameserver.database.address import IN_MEMORY
from gameserver.values import value

START_S = 30.0
"""The time that the server may take until it answers."""
_LOOK_S = 0.1


@define
class OwnServer:
    """The process. `options` are those of `gameserver serve`; its log is appended to `log_file`."""

    options: Sequence[str]
    kept_in: str
    log_file: Path
    hall: str = ""
    has_answered: bool = field(default=False, init=False)
    """True once the process that runs now has answered."""
    _is_up: bool = field(default=False, init=False)
    _process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    def start(self) -> AdminClient:
        """Start it, and wait until it answers. Raises `CommandFailed`."""
        process = self._launch()
        give_up_s = time.monotonic() + START_S
        while time.monotonic() < give_up_s and process.poll() is None:
            try:
                file = access_file(self.kept_in, self.hall)
                client = OwnServerClient(read_access(file), file, own=self)
                client.get("tournaments")
            except (NoAccess, NotReached, AdminApiError):
                time.sleep(_LOOK_S)
            else:
                self._is_up = True
                return client
        raise CommandFailed(f"the server did not start; see {self.log_file}")

    def revive(self) -> None:
        """Start it again if it has died. Raises `CommandFailed` if that cannot help.

        A server that stopped in good order was told to, so it stays away until a person starts it.
        """
        if not self._is_up or self._process is None or self._process.poll() in {None, 0}:
            return
        if self.kept_in == IN_MEMORY:
            raise CommandFailed(f"the server has died, and its data was in memory: all is lost; see {self.log_file}")
        if not self.has_answered:
            raise CommandFailed(f"the server has died and does not start again; see {self.log_file}")
        self._launch()

    def stop(self) -> None:
        """Stop it in good order."""
        if self._process is not None:
            processes.ask_server_to_stop(self._process)
            self._process.wait()

    def _launch(self) -> "subprocess.Popen[bytes]":
        self.has_answered = False
        with self._open_log() as log:
            command = [sys.executable, "-m", "gameserver", "serve", *self.options]
            # Ctrl-C is for the command, which then stops the server.
            self._process = processes.start_apart(command, stderr=log)
        return self._process

    def _open_log(self) -> BinaryIO:
        try:
            return self.log_file.open("ab")
        except OSError as error:
            raise CommandFailed(
                f"{self.log_file} cannot be written: {error.strerror}; the server needs it for its log"
            ) from error


@value
class OwnServerClient(AdminClient):
    """A client that has its server started again where there is none any more."""

    own: OwnServer | None = None

    def _bytes(self, method: str, path: tuple[str, ...], body: bytes | None) -> bytes:
        assert self.own is not None, "it is made with its server"
        try:
            content = super()._bytes(method, path, body)
        except NotReached:
            self.own.revive()
            raise
        self.own.has_answered = True
        return content
