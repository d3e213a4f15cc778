"""Other programs and files that differ between Windows and the other systems.

A program that is started `apart` is not reached by Ctrl-C, which is for the command that started it. On POSIX it has a
session of its own, so whatever it starts can be signalled with it. On Windows it has a process group of its own, and
what it has started is found by asking for children. There a process can be killed, or sent Ctrl-Break, which Java takes
as a request to print its threads; so only our own server is sent that.

The output of a student's bot goes into a file. Its standard input is open and silent until its part is over, as a
terminal's is at home: many bots read it in a thread to end on a key, and take its end for that, or read it again and
again.

A file that only its owner may read is written all at once: a reader finds the old text or the new one.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

import psutil
from attrs import define

_READERS_ARE_IN_THE_WAY = sys.platform == "win32"
# By judgement: a reader of a small file is done in milliseconds.
_PATIENCE_S = 2.0
_LOOK_S = 0.02
# By judgement: a killed process is gone in milliseconds, unless it waits for a disk.
_KILL_S = 5.0
"""The time for which the end of a killed process is waited for."""
_TAIL_BYTES = 16_000
PLACEHOLDERS = "{host}, {port}, {port:PROTOCOL}, {name}, {game} and {games}"
_PLACEHOLDER = re.compile(r"\{([a-z]+)(?::([a-z0-9:-]+))?\}")


def write_for_the_owner(file: Path, text: str) -> None:
    """Replace a file. Where the system has POSIX permissions, nobody but the owner can read it at any moment.

    On Windows a file has the permissions of its folder, which for one in a user's own folder are that user's.
    Raises `OSError`.
    """
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    # With its permissions from the first moment: a chmod afterwards leaves a gap in which it can be opened.
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
    _replace(new, file)


def _replace(new: Path, file: Path) -> None:
    """Rename `new` to `file`. Windows refuses that while somebody reads the file, which is over in a moment."""
    give_up_s = time.monotonic() + _PATIENCE_S
    while True:
        try:
            new.replace(file)
        except PermissionError:
            if not _READERS_ARE_IN_THE_WAY or time.monotonic() > give_up_s:
                raise
            time.sleep(_LOOK_S)
        else:
            return


STOP_SIGNALS: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
"""The signals that ask one of our own commands to stop."""
RELOAD_SIGNALS: tuple[signal.Signals, ...] = ()
"""The signals that ask our server to read its certificate again."""
if sys.platform == "win32":
    # Ctrl-Break can be sent by another process, such as `tournament run`; SIGTERM cannot, it ends a process at once.
    STOP_SIGNALS += (signal.SIGBREAK,)
else:
    RELOAD_SIGNALS += (signal.SIGHUP,)


def words_of(command: str) -> list[str]:
    """A command line as words, as a shell of this operating system splits it. Raises `ValueError` for an open quote."""
    if sys.platform == "win32":
        # A backslash separates folders there. Quotes group words, and are no part of them.
        words = shlex.split(command, posix=False)
        return [word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word for word in words]
    else:  # noqa: RET505 - mypy follows a question about the platform in this form
        return shlex.split(command)


def start_apart(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start another program, apart from this terminal's Ctrl-C, on any operating system.

    `options` are those of `subprocess.Popen`.
    """
    if sys.platform == "win32":
        # Windows itself finds `java.exe` by the word `java`, but not `npm.cmd` by `npm`.
        program = shutil.which(command[0]) or command[0]
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen([program, *command[1:]], creationflags=flags, **options)  # noqa: S603 - the user's own
    else:  # noqa: RET505 - as above
        return subprocess.Popen(command, start_new_session=True, **options)  # noqa: S603 - the user's own


def ask_server_to_stop(process: "subprocess.Popen[bytes]") -> None:
    """Have a server process of ours, which was started apart, stop in good order on this operating system."""
    if sys.platform == "win32":
        try:
            process.send_signal(signal.CTRL_BREAK_EVENT)
        except OSError:  # there is no console to send it through; matches are in the journal
            process.kill()
    else:
        process.terminate()


if sys.platform == "win32":

    def hold(process: "subprocess.Popen[bytes]") -> None:
        """Have a program that was started apart stand still, with whatever it has started."""
        for each in _tree(process):
            with suppress(psutil.Error):
                each.suspend()

    def ask_to_end(process: "subprocess.Popen[bytes]") -> None:
        """End a program that was started apart, and whatever it has started. Windows has no way of asking it."""
        end(process)

    def end(process: "subprocess.Popen[bytes]") -> None:
        """End a program that was started apart, and whatever it has started, at once."""
        tree = _tree(process)
        for each in tree:
            with suppress(psutil.Error):
                each.kill()
        psutil.wait_procs(tree[1:], timeout=_KILL_S)  # until then their files cannot be removed

else:

    def hold(process: "subprocess.Popen[bytes]") -> None:
        """Have a program that was started apart stand still, with whatever it has started."""
        _signal(process, signal.SIGSTOP)

    def ask_to_end(process: "subprocess.Popen[bytes]") -> None:
        """Ask a program that was started apart, and whatever it has started, to end; it may stand still."""
        _signal(process, signal.SIGTERM)
        # A process that stands still takes SIGTERM only once it goes on.
        _signal(process, signal.SIGCONT)

    def end(process: "subprocess.Popen[bytes]") -> None:
        """End a program that was started apart, and whatever it has started, at once."""
        _signal(process, signal.SIGKILL)

    def _signal(process: "subprocess.Popen[bytes]", number: int) -> None:
        with suppress(OSError):
            os.killpg(process.pid, number)


class WrongPlaceholder(ValueError):
    """A program's command cannot be filled in; the text says why."""


def filled(
    command: Sequence[str], facts: Mapping[str, str], listening: Mapping[str, str], protocol: str = "strategic"
) -> tuple[str, ...]:
    """Fills in the placeholders in another program's command line, before the operating system starts it.

    `facts` are `name`, `game` and `games`. `listening` is where each protocol is reached, as HOST:PORT, with `tls://`
    before it where that is spoken; `protocol` is the one that `{host}` and `{port}` mean. Raises `WrongPlaceholder`
    for one that there is not, and for a protocol that is not listened for.
    """

    def value(found: re.Match[str]) -> str:
        word, named = found.groups()
        if named is None and word in facts:
            return facts[word]
        if word not in {"host", "port"}:
            raise WrongPlaceholder(f"there is no {found[0]}; there are {PLACEHOLDERS}")
        place = listening.get(named or protocol)
        if place is None:
            known = ", ".join(listening) or "nothing that it reports; restart it"
            raise WrongPlaceholder(f"{found[0]}: the server listens for {known}")
        host, _, port = place.removeprefix("tls://").rpartition(":")
        return port if word == "port" else host.strip("[]")

    return tuple(_PLACEHOLDER.sub(value, word) for word in command)


@define
class Program:
    """A program that was started in a process of its own, its output in a file."""

    name: str
    process: "subprocess.Popen[bytes]"
    output: Path

    @classmethod
    def start(cls, name: str, command: Sequence[str], output: Path) -> Self:
        """Start a program in a process of its own. Raises `OSError`."""
        with output.open("wb") as stream:
            process = start_apart(command, stdin=subprocess.PIPE, stdout=stream, stderr=subprocess.STDOUT)
        return cls(name, process, output)

    @property
    def end(self) -> str | None:
        """The way in which a program's process ended, if it did."""
        code = self.process.poll()
        if code is None:
            return None
        return f"ended with exit code {code}" if code >= 0 else f"was ended ({signal.strsignal(-code)})"

    def tail(self, lines_max: int) -> list[str]:
        """The last lines that a program has printed."""
        with self.output.open("rb") as stream:
            stream.seek(max(0, self.output.stat().st_size - _TAIL_BYTES))
            return stream.read().decode("utf-8", "replace").splitlines()[-lines_max:]

    def tree(self) -> list[psutil.Process]:
        """The processes of a program: its own, and all that it has started.

        Those of a starter that has ended are lost.
        """
        return _tree(self.process)

    @property
    def memory_bytes(self) -> int:
        """The memory that all processes of a program have in use together."""
        total = 0
        for process in self.tree():
            with suppress(psutil.Error):
                total += process.memory_info().rss
        return total

    def end_input(self) -> None:
        """Close a program's standard input: its part is over."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    def kill(self) -> None:
        """End a program's process and everything that it has started, at once."""
        tree = self.tree()
        self.end_input()
        end(self.process)
        for process in tree:  # those that have sessions of their own, too
            with suppress(psutil.Error):
                process.kill()
        self.process.wait()


def _tree(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """The process, as psutil sees it, and all that it has started; nothing if it has ended."""
    try:
        own = psutil.Process(process.pid)
        return [own, *own.children(recursive=True)]
    except psutil.Error:
        return []
