"""The stages of a connection's life (`connection` tells what each means), and the log lines at its end."""

import sys
from enum import Enum, auto

import structlog

from gameserver.protocol import Adapter


class ConnectionState(Enum):
    """The stages of a connection, in their order."""

    OPEN = auto()
    CLOSING = auto()
    LINGERING = auto()
    CLOSED = auto()


# Every move uses these: in Python 3.11, looking an enum member up by its class costs more than a call.
OPEN, CLOSING, LINGERING, CLOSED = ConnectionState

LINGER_S = 2.0
"""Seconds that a connection lingers at most."""

OVER = "closed by the player"
GONE = (OVER, "connection lost")
"""The beginnings of reasons for an end that the peer brought about and that is no error."""

_RUNTIME = tuple(f"gameserver.{part}." for part in ("engine", "flow_control", "server", "transport", "wire_log"))
"""Packages that call adapters: they are on the traceback of an adapter's bug too."""

log = structlog.get_logger()


def log_end(adapter: Adapter, session: int, address: str, why: str, *, is_logged: bool = False) -> None:
    """Log that a session ended. HTTP requests, and peers that leave without a login, are logged at debug level.

    `is_logged`: the reason is in the log, with how many connections ended for it.
    """
    try:
        is_passing = why.startswith(GONE) and (adapter.is_passing or not adapter.identified)
        discarded = adapter.discarded
    except Exception as error:  # noqa: BLE001 - it is logged there
        log_bug("adapter failed", adapter, session, address, error)
        discarded, is_passing = 0, False
    more = {"discarded": discarded} if discarded else {}
    tell = log.debug if is_passing or is_logged else log.info
    tell("connection ends", session=session, address=address, why=why, **more)


def log_bug(what: str, adapter: Adapter, session: int, address: str, error: Exception) -> str:
    """Log that a connection's code failed. Gives the module at fault."""
    module = module_of(error, type(adapter).__module__)
    log.error(what, session=session, address=address, module=module, exc_info=error)
    return module


def module_of(error: BaseException, default: str) -> str:
    """Names the innermost module on the traceback that is not Python's own; `default` where there is none."""
    found, trace = default, error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.partition(".")[0] not in sys.stdlib_module_names and not name.startswith(_RUNTIME):
            found = name
        trace = trace.tb_next
    return found
