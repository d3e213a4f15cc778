"""Starts and ends other programs, such as a student's bot: what differs between Windows and the others.

A program that is started `apart` is not reached by Ctrl-C, which is for the command that started it. On POSIX it has a
session of its own, so whatever it starts can be signalled with it. On Windows it has a process group of its own, and
what it has started is found by asking for children. There a process can be killed, or sent Ctrl-Break, which Java takes
as a request to print its threads; so only our own server is sent that.
"""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

STOP_SIGNALS: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
"""The signals that ask one of our own commands to stop."""
RELOAD_SIGNALS: tuple[signal.Signals, ...] = ()
"""The signals that ask our server to read its certificate again."""
if sys.platform == "win32":
    # Ctrl-Break can be sent by another process, such as `tournament run`; SIGTERM cannot, it ends a process at once.
    STOP_SIGNALS += (signal.SIGBREAK,)
else:
    RELOAD_SIGNALS += (signal.SIGHUP,)
KILL_S = 5.0
"""The time for which the end of a killed process is waited for."""


def words_of(command: str) -> list[str]:
    """A command line as words, as a shell of this system splits it. Raises `ValueError` for an open quote."""
    if sys.platform == "win32":
        # A backslash separates folders there. Quotes group words, and are no part of them.
        words = shlex.split(command, posix=False)
        return [word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "\"'" else word for word in words]
    else:  # noqa: RET505 - mypy follows a question about the platform in this form
        return shlex.split(command)


def start_apart(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a program that Ctrl-C at this terminal does not reach. `options` are those of `subprocess.Popen`."""
    if sys.platform == "win32":
        # Windows itself finds `java.exe` by the word `java`, but not `npm.cmd` by `npm`.
        program = shutil.which(command[0]) or command[0]
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
        return subprocess.Popen([program, *command[1:]], creationflags=flags, **options)  # noqa: S603 - the user's own
    else:  # noqa: RET505 - as above
        return subprocess.Popen(command, start_new_session=True, **options)  # noqa: S603 - the user's own


def ask_server_to_stop(process: "subprocess.Popen[bytes]") -> None:
    """Have a server of ours, which was started apart, stop in good order."""
    if sys.platform == "win32":
        try:
            process.send_signal(signal.CTRL_BREAK_EVENT)
        except OSError:  # there is no console to send it through; matches are in the journal
            process.kill()
    else:
        process.terminate()


if sys.platform == "win32":
    import psutil

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
        psutil.wait_procs(tree[1:], timeout=KILL_S)  # until then their files cannot be removed

    def _tree(process: "subprocess.Popen[bytes]") -> list[Any]:
        """The process, as psutil sees it, and all that it has started; nothing if it has ended."""
        try:
            own = psutil.Process(process.pid)
            return [own, *own.children(recursive=True)]
        except psutil.Error:
            return []

else:

    def hold(process: "subprocess.Popen[bytes]") -> None:
        """Have a program that was started apart stand still, with whatever it has started."""
        _signal(process, signal.SIGSTOP)

    def ask_to_end(process: "subprocess.Popen[bytes]") -> None:
        """Ask a program that was started apart, and whatever it has started, to end; it may stand still."""
        _signal(process, signal.SIGTERM)
        _signal(process, signal.SIGCONT)

    def end(process: "subprocess.Popen[bytes]") -> None:
        """End a program that was started apart, and whatever it has started, at once."""
        _signal(process, signal.SIGKILL)

    def _signal(process: "subprocess.Popen[bytes]", number: int) -> None:
        with suppress(OSError):
            os.killpg(process.pid, number)
