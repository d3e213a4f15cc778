"""Shows Python to our own code as it is on Windows or macOS. Python imports it at the start of a process.

`GAMESERVER_TESTS_SYSTEM` names the system. Of the standard library our packages then see what that system has: the
modules, functions and signals that it lacks are hidden, and the few that it has instead of them are imitated by what
Linux has. The standard library itself and other packages, which work on all three, go on as they are.

It is no Windows. What a real one does by itself, such as refusing to rename a file that is open, is not imitated.
"""

import builtins
import errno
import fcntl
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
from types import ModuleType
from typing import Any

import psutil

OURS = {"gameserver", "games", "protocols"}
SYSTEM = os.environ.get("GAMESERVER_TESTS_SYSTEM", "")

POSIX_MODULES = {
    "_posixsubprocess", "crypt", "curses", "fcntl", "grp", "nis", "posix", "pty", "pwd", "readline", "resource", "spwd",
    "syslog", "termios", "tty",
}  # fmt: skip
POSIX_FUNCTIONS = {
    "chown", "chroot", "ctermid", "fchdir", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid",
    "getgroups", "getloadavg", "getpgid", "getpgrp", "getpriority", "getresgid", "getresuid", "getsid", "getuid",
    "initgroups", "killpg", "lchown", "lockf", "mkfifo", "mknod", "nice", "openpty", "pathconf", "pipe2", "posix_spawn",
    "posix_spawnp", "posix_fallocate", "pread", "preadv", "pwrite", "pwritev", "register_at_fork", "sched_getaffinity",
    "sched_setaffinity", "sched_yield", "sendfile", "setegid", "seteuid", "setgid", "setgroups", "setpgid",
    "setpriority", "setsid", "setuid", "statvfs", "sync", "sysconf", "tcgetpgrp", "tcsetpgrp", "ttyname", "uname",
    "wait", "wait3", "wait4", "waitid", "WNOHANG", "O_CLOEXEC", "O_DIRECTORY", "O_DSYNC", "O_NOFOLLOW", "O_NONBLOCK",
    "O_SYNC",
}  # fmt: skip
SIGNALS_OF_WINDOWS = {"SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN"}
LINUX_SOCKETS = {"MSG_DONTWAIT", "MSG_NOSIGNAL", "SO_REUSEPORT", "TCP_INFO", "TCP_QUICKACK", "TCP_USER_TIMEOUT"}


class Facade(ModuleType):
    """A module without what the system lacks, and with what it has instead."""

    def __init__(self, real: ModuleType, hidden: set[str], instead: dict[str, Any]) -> None:
        super().__init__(real.__name__)
        self.__dict__.update(instead, _real=real, _hidden=hidden, __doc__=real.__doc__)

    def __getattr__(self, name: str) -> Any:
        if name in self._hidden:
            raise AttributeError(f"{SYSTEM} has no {self.__name__}.{name}")
        return getattr(self._real, name)


def facades_of_windows() -> dict[str, ModuleType]:

    # A signal that nothing else uses: Ctrl-Break is a signal to a process, and sent by another number.
    ctrl_break = signal.SIGTTIN
    posix_signals = {name for name in dir(signal) if name.startswith("SIG")} - SIGNALS_OF_WINDOWS
    posix_signals |= {"alarm", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"}
    return {
        "sys": Facade(sys, set(), {"platform": "win32"}),
        "os": Facade(os, POSIX_FUNCTIONS, {"name": "nt", "O_BINARY": 0}),
        "select": Facade(select, set(dir(select)) - {"select", "error"}, {}),
        "signal": Facade(signal, posix_signals, {"SIGBREAK": ctrl_break, "CTRL_BREAK_EVENT": ctrl_break}),
        "socket": Facade(
            socket, LINUX_SOCKETS | {"AF_UNIX", "AF_NETLINK"}, {"SO_EXCLUSIVEADDRUSE": socket.SO_REUSEADDR}
        ),
        "subprocess": Facade(subprocess, set(), {"CREATE_NEW_PROCESS_GROUP": 0}),
        "psutil": Facade(psutil, set(), {"BELOW_NORMAL_PRIORITY_CLASS": 10}),
        "msvcrt": locks_of_windows(),
    }


def locks_of_windows() -> ModuleType:
    """`msvcrt.locking`: from the place in the file, for an open file, and no second time."""

    held: set[int] = set()

    def locking(descriptor: int, mode: int, count: int) -> None:
        start = os.lseek(descriptor, 0, os.SEEK_CUR)
        takes = mode != module.LK_UNLCK
        if (descriptor in held) is takes:
            raise OSError(errno.EACCES, "Permission denied")
        kind = fcntl.F_WRLCK if takes else fcntl.F_UNLCK
        lock = struct.pack("@hhqqi0q", kind, os.SEEK_SET, start, count, 0)
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, lock)
        except OSError:
            raise OSError(errno.EACCES, "Permission denied") from None
        (held.add if takes else held.discard)(descriptor)

    module: Any = ModuleType("msvcrt")
    module.LK_UNLCK, module.LK_LOCK, module.LK_NBLCK = 0, 1, 2
    module.locking = locking
    return module


def facades_of_macos() -> dict[str, ModuleType]:

    def setrlimit(which: int, limits: tuple[int, int]) -> None:
        if limits[0] == resource.RLIM_INFINITY:
            raise ValueError("not allowed to raise maximum limit")
        resource.setrlimit(which, (min(limits[0], hard), hard))

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return {
        "sys": Facade(sys, set(), {"platform": "darwin"}),
        "os": Facade(os, {name for name in POSIX_FUNCTIONS if name.startswith("sched_")} | {"pipe2"}, {}),
        "select": Facade(select, {name for name in dir(select) if name.lower().startswith("epoll")}, {}),
        "socket": Facade(
            socket, LINUX_SOCKETS | {"TCP_KEEPIDLE", "AF_NETLINK"}, {"TCP_KEEPALIVE": socket.TCP_KEEPIDLE}
        ),
        "fcntl": Facade(fcntl, {name for name in dir(fcntl) if name.startswith("F_OFD")}, {}),
        "resource": Facade(
            resource, set(), {"getrlimit": lambda which: (256, resource.RLIM_INFINITY), "setrlimit": setrlimit}
        ),
    }


def show(facades: dict[str, ModuleType], hidden: set[str]) -> None:
    """Have our packages import these instead of the real ones."""
    real_import = builtins.__import__

    def imported(name: str, *rest: Any, **options: Any) -> ModuleType:
        asking = rest[0] if rest else options.get("globals")
        level = rest[3] if len(rest) > 3 else options.get("level", 0)
        package = (asking or {}).get("__name__", "").partition(".")[0]
        top = name.partition(".")[0]
        if level or package not in OURS or top not in hidden | facades.keys():
            return real_import(name, *rest, **options)
        if top in hidden:
            raise ModuleNotFoundError(f"{SYSTEM} has no module {name!r}", name=name)
        if top != "msvcrt":
            real_import(name, *rest, **options)
        return facades[top]

    builtins.__import__ = imported


if SYSTEM == "windows":
    show(facades_of_windows(), POSIX_MODULES)
elif SYSTEM == "macos":
    show(facades_of_macos(), {"posix", "spwd"})
