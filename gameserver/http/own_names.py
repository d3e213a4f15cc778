"""Refuses requests that come under a host name that is not this server's: DNS rebinding.

A foreign page can make its own name point at this machine, and then counts as of the same origin. It cannot change the
name that the browser sends in `Host`. The admin listener refuses all such requests. The HTTP listener refuses those
by which a page could change something, unless pages of any origin may send them anyway; it shows pages under any name.
"""

import ipaddress
import socket
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import time
from urllib.parse import urlsplit

import structlog
import trio
from attrs import define, field

from gameserver.read_model.views import ForeignName

# Names that are kept for the teacher: a foreign page can come under as many as it likes. Judgement.
REFUSED_MAX = 20
_NAME_LENGTH_MAX = 100
# Seconds after its last request for which a foreign name is shown to the teacher: once refused, it asked for attention
# until the next start.
QUIET_S = 3_600.0
_LOG_EVERY_S = 60.0

log = structlog.get_logger()


@define
class OwnNames:
    """The own host names of this server, and the foreign ones that were refused lately."""

    public_url: str = ""
    _now_s: Callable[[], float] = time
    """The time of day."""
    _known: set[str] = field(init=False)
    _refused: OrderedDict[tuple[str, str], ForeignName] = field(factory=OrderedDict, init=False)
    _logged_s: float = field(default=float("-inf"), init=False)

    @_known.default
    def _names_of_machine(self) -> set[str]:
        return {*_variants(socket.gethostname()), _host_of(self.public_url)} - {""}

    async def look_up(self) -> None:
        """Add the machine's full name to the own host names; the system may ask a name server for it."""
        with suppress(UnicodeError):  # by a machine's name that is none in DNS
            self._known.update(_variants(await trio.to_thread.run_sync(socket.getfqdn, abandon_on_cancel=True)))

    def refusal(self, host: str, hosts: Iterable[str], setting: str) -> str:
        """The reason to refuse a request with a foreign name in `Host`; empty if the name is an own one.

        `hosts` are more names of the server, those in `setting`.
        """
        name = _host_of(f"//{host}") if _is_plain(host) else ""
        # An address cannot be rebound, and browsers keep `localhost` to the machine (RFC 6761, 6.3).
        if _is_address(name) or name == "localhost" or name.endswith(".localhost"):
            return ""
        if name in self._known or name in {_bare(one) for one in hosts}:
            return ""
        self._note(host[:_NAME_LENGTH_MAX], setting)
        return f"{name or host!r} is not a known name of this server; if it is correct, add it to {setting}"

    @property
    def refused(self) -> tuple[ForeignName, ...]:
        """The foreign host names under which requests came lately, the latest last."""
        since_ms = (self._now_s() - QUIET_S) * 1000
        return tuple(one for one in self._refused.values() if one.last_ms >= since_ms)

    def _note(self, host: str, setting: str) -> None:
        now_s, key = self._now_s(), (host, setting)
        count = self._refused[key].count if key in self._refused else 0
        self._refused[key] = ForeignName(host, setting, count + 1, round(now_s * 1000))
        self._refused.move_to_end(key)  # the oldest is first, and is forgotten first
        if len(self._refused) > REFUSED_MAX:
            self._refused.popitem(last=False)
        if now_s - self._logged_s >= _LOG_EVERY_S:
            log.warning("unknown host name refused", host=host, hint=f"if it is of this server, add it to {setting}")
            self._logged_s = now_s


def _variants(machine: str) -> set[str]:
    """The names under which a machine of this name is found in its network."""
    full = _bare(machine)
    short = full.partition(".")[0]
    return {full, short, f"{short}.local"} if short else set()


def _bare(name: str) -> str:
    """A name as browsers send it: in lower case, and other letters than ASCII's in the spelling of DNS."""
    name = name.lower().rstrip(".")
    with suppress(UnicodeError):  # by a name that is none in DNS
        # A machine named "schüler" is asked for by browsers as xn--schler-5ya.
        return name if name.isascii() else name.encode("idna").decode()
    return name


def _host_of(url: str) -> str:
    """The host in a URL; empty if the URL cannot be parsed."""
    try:
        return _bare(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def _is_plain(host: str) -> bool:
    return bool(host) and not set(host) & set("/@\\?# ")


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
