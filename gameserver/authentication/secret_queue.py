"""Checks secrets at a fixed rate for each name, however many connections guess.

`SecretThrottle` limits a connection, and a guesser can open many: 300 of them tried 560 secrets a second. Refusing the
ones that come too fast would lock out the owner. So nobody is refused: attempts on one name wait, and are checked one
after the other, `CHECKS_PER_S` a second. The turns go round robin between addresses, and within an address between
connections, so an owner waits for one attempt of each connection beside theirs: 3 s beside 60 guessers at the same
address, a tenth of a second if they are elsewhere. Attempts on different names do not wait for each other.

Only names with a secret on the roster have a line, so guesses under other names take no memory. A line is as long as
its connections are many: `connections_per_address_max` (500) for an address, which is 25 s. A program that opens more
pushes others of its own address out of their place, and its own connections too (`connection_limiter`).

A right secret waits like a wrong one: its answer would otherwise come before theirs, and the rest could be dropped.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable

import trio
from attrs import define, field

from gameserver.flow_control.fair_scheduler import Timers

# By judgement: the owner waits 3 s beside 60 guessers of the same address.
CHECKS_PER_S = 20
"""A secret of ten random letters and digits then takes 2.9 million years on average."""
_PAUSE_S = 1 / CHECKS_PER_S


@define(eq=False)
class _Line:
    """The attempts on one name that wait, by address and by session."""

    waiting: OrderedDict[str, OrderedDict[int, Callable[[], None]]] = field(factory=OrderedDict)

    def add(self, address: str, session: int, check: Callable[[], None]) -> None:
        """Add an attempt behind the others of its address."""
        self.waiting.setdefault(address, OrderedDict())[session] = check

    def remove(self, address: str, session: int) -> None:
        """Remove a session's attempt, if it has one."""
        sessions = self.waiting.get(address)
        if sessions is not None:
            sessions.pop(session, None)
            if not sessions:
                del self.waiting[address]

    def take(self, has_ended: Callable[[int], bool]) -> Callable[[], None] | None:
        """Take the next attempt. One whose peer has closed its side is next only where all others have, too."""
        every = [(address, session) for address, sessions in self.waiting.items() for session in sessions]
        # A guesser that hangs up at once would have its guess checked before those of peers who wait for the answer.
        address, session = next((one for one in every if not has_ended(one[1])), every[0] if every else ("", 0))
        sessions = self.waiting.get(address)
        if sessions is None:
            return None
        check = sessions.pop(session)
        if sessions:
            self.waiting.move_to_end(address)
        else:
            del self.waiting[address]
        return check


@define(eq=False)
class SecretQueue:
    """The queue of secrets to be checked, by name.

    `has_ended` is True for a session whose peer has closed its side, or is gone.
    """

    _timers: Timers
    _has_ended: Callable[[int], bool]
    _lines: dict[Hashable, _Line] = field(factory=dict, init=False)
    """The names on which an attempt was checked within `_PAUSE_S`, or waits."""

    def ask(self, name: Hashable, address: str, session: int, check: Callable[[], None]) -> None:
        """Queue the check of a secret: `check` is called at its turn, at once if none of this name was just now."""
        line = self._lines.get(name)
        if line is not None:
            line.add(address, session, check)
            return
        # The first attempt is checked at once: an owner who is alone waits for nothing.
        self._lines[name] = _Line()
        self._timers.after(_PAUSE_S, lambda: self._next(name))
        check()

    async def turn(self, name: Hashable, address: str, session: int) -> None:
        """Wait for a turn to have a secret for this name checked."""
        has_come = trio.Event()
        self.ask(name, address, session, has_come.set)
        await has_come.wait()

    def forget(self, address: str, session: int) -> None:
        """Remove the attempts of a session that is over from the queue of secrets."""
        for line in self._lines.values():
            line.remove(address, session)

    def _next(self, name: Hashable) -> None:
        check = self._lines[name].take(self._has_ended)
        if check is None:
            del self._lines[name]
            return
        self._timers.after(_PAUSE_S, lambda: self._next(name))
        check()
