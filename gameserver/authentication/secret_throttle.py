"""Throttles wrong secrets per connection, and keeps the names that are under attack.

A limit per name or address would let one classmate lock another out: ten wrong secrets a second for a name would use it
up for its owner too. So each connection has its own limit. The first `TRIES` wrong secrets are answered without a
pause; the next try waits `PAUSE_S` and is checked too, and if it is wrong, the connection ends with its answer. An
attacker can go on over new connections, of which all together are slowed down by `secret_queue`.
"""

from collections import OrderedDict
from collections.abc import Callable

import structlog
from attrs import define, field

from gameserver.read_model.views import Attack

TRIES = 3
"""Wrong secrets of a connection that are answered at once."""
PAUSE_S = 2.0
"""Seconds that the next secret waits for its answer, which is the connection's last if it is wrong."""
ADMIN_TOKEN = ""
"""In the place of a name: the token of the admin listener. No player has an empty name."""
QUIET_S = 3_600.0
"""Seconds without a wrong secret after which a name no longer counts as attacked."""
ADDRESSES_MAX = 50
"""Addresses that are kept for each name."""
LOG_EVERY_S = 10.0
"""Seconds between two lines of the log about one name: a flood of guesses must not become one of lines."""

log = structlog.get_logger()


@define
class _Tally:
    """The wrong secrets for one name. Times are those of `SecretThrottle.now_s`."""

    since_s: float
    last_s: float
    tries: int = 0
    addresses: OrderedDict[str, None] = field(factory=OrderedDict)
    unlogged: int = 0
    logged_s: float = float("-inf")


@define
class SecretThrottle:
    """Counts wrong secrets by connection and by name. Only names on the roster are counted, so they are bounded."""

    now_s: Callable[[], float]
    _by_session: dict[int, int] = field(factory=dict, init=False)
    _by_name: dict[str, _Tally] = field(factory=dict, init=False)

    def must_wait(self, session: int) -> bool:
        """True if the next secret of this connection has to wait `PAUSE_S` before it is checked."""
        return self._by_session.get(session, 0) >= TRIES

    def wrong(self, session: int, name: str, address: str) -> bool:
        """Count a wrong secret; True if it was the connection's last."""
        tries = self._by_session.get(session, 0) + 1
        self._by_session[session] = tries
        self.note(name, address)
        return tries > TRIES

    def forget(self, session: int) -> None:
        """Forget a connection that is closed."""
        self._by_session.pop(session, None)

    def under_attack(self, wall_ms: int) -> tuple[Attack, ...]:
        """The names for which wrong secrets were given, the most tried first; `wall_ms` is the time of day now.

        Wrong tokens of the admin listener are among them, under `ADMIN_TOKEN`.
        """
        self._forget_quiet()
        offset_ms = wall_ms - round(self.now_s() * 1000)
        found = (
            Attack(
                name,
                tally.tries,
                tuple(tally.addresses),
                offset_ms + round(tally.since_s * 1000),
                offset_ms + round(tally.last_s * 1000),
            )
            for name, tally in self._by_name.items()
        )
        return tuple(sorted(found, key=lambda attack: (-attack.tries, attack.name)))

    def note(self, name: str, address: str) -> None:
        """Keep a wrong secret in mind."""
        now_s = self.now_s()
        tally = self._by_name.get(name)
        if tally is None or now_s - tally.last_s > QUIET_S:
            tally = self._by_name[name] = _Tally(now_s, now_s)
        tally.tries += 1
        tally.unlogged += 1
        tally.last_s = now_s
        tally.addresses[address] = None
        tally.addresses.move_to_end(address)
        if len(tally.addresses) > ADDRESSES_MAX:
            tally.addresses.popitem(last=False)
        if now_s - tally.logged_s >= LOG_EVERY_S:
            whose = {"player": name} if name else {"of": "the admin listener"}
            log.warning("wrong secret", **whose, address=address, count=tally.unlogged)
            tally.unlogged, tally.logged_s = 0, now_s

    def _forget_quiet(self) -> None:
        quiet = [name for name, tally in self._by_name.items() if self.now_s() - tally.last_s > QUIET_S]
        for name in quiet:
            del self._by_name[name]
