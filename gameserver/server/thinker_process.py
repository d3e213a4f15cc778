"""A worker process in which house players think, seen from inside. It imports little, so that it comes up quickly."""

import contextlib
import multiprocessing
import os
import sys
import threading
from pathlib import Path

NICENESS = 10
"""Of a worker process: beside a busy server or a student's bot it gets a tenth of a core, else all of it."""
# Counts like half of the memory of the machine (proc(5): oom_score_adj goes up to 1,000).
_OOM_SCORE = 500
"""Where memory runs out, Linux kills a worker process rather than the server."""


def enter_worker() -> None:
    """Prepare a thinker's worker process from inside. Its priority is lowered, and it does not outlive the server."""
    _lower_priority()
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(f"{_OOM_SCORE}\n", encoding="ascii")
    # A killed server says goodbye to nobody, and a strategy may think for ever.
    threading.Thread(target=_end_with_the_server, daemon=True).start()


def _lower_priority() -> None:
    if sys.platform == "win32":
        import psutil  # noqa: PLC0415 - only here

        psutil.Process().nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
    else:
        os.nice(NICENESS)


def _end_with_the_server() -> None:
    """Wait for the end of the server's process, however it comes. An idle worker ends by itself, a busy one here."""
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(1)
