"""Ends the PostgreSQL clusters of a test process when that process is over, however it ended, and removes their files.

Run as a program of its own, with the directory of the clusters. Its standard input is a pipe whose
other end only the test process has: the pipe's end is that process's end, by kill -9, too.
"""

import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil


def processes_in(directory: Path) -> list[psutil.Process]:
    """The processes that work in a directory. Each process of a cluster works in its data directory."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(directory):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def main(directory: Path) -> None:
    """Wait for the end of the test process, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.buffer.read()
    # A process that is starting others is gone the second time, and so are those.
    while processes := processes_in(directory):
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        time.sleep(0.01)
    shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
