"""Counts what a proxy passed on and did, for the summary at its end."""

from collections import Counter

from attrs import define, field

from gameserver.proxy.crossings import Crossing, Incident, Kind
from gameserver.proxy.faults import Direction
from gameserver.proxy.wire_trace import LATE_US_MIN

_KINDS = {
    Kind.RESET: "connections that were reset",
    Kind.HALF_OPENED: "connections that were left half open",
    Kind.DROPPED: "times that the network went away",
    Kind.REFUSED: "new connections that met no network",
    Kind.LOST: "connections that a client or the server reset itself",
    Kind.NOT_REACHED: "connections for which the server did not answer",
}
"""Reported where there was any."""


@define(eq=False)
class Tally:
    """The counts."""

    _sent: Counter[Direction] = field(factory=Counter, init=False)
    _bytes: Counter[Direction] = field(factory=Counter, init=False)
    _kinds: Counter[Kind] = field(factory=Counter, init=False)
    _cuts: int = field(default=0, init=False)
    _joined: int = field(default=0, init=False)
    _late: int = field(default=0, init=False)
    _late_us: int = field(default=0, init=False)
    _latest_us: int = field(default=0, init=False)

    def crossing(self, crossing: Crossing) -> None:
        """Count bytes that pass."""
        self._sent[crossing.direction] += 1
        self._bytes[crossing.direction] += len(crossing.data)
        self._cuts += crossing.is_cut
        self._joined += crossing.joined
        late_us = crossing.at_us - crossing.came_us
        if late_us >= LATE_US_MIN:
            self._late += 1
            self._late_us += late_us
            self._latest_us = max(self._latest_us, late_us)

    def incident(self, incident: Incident) -> None:
        """Count what else happens."""
        self._kinds[incident.kind] += 1

    def lines(self) -> list[str]:
        """The summary, a fact a line."""
        opened = self._kinds[Kind.OPENED]
        lines = [_counted(opened, "connection")]
        lines += [
            f"to the {way.receiver}: {_counted(self._bytes[way], 'byte')}, {_counted(self._sent[way], 'send')}"
            for way in (Direction.TO_SERVER, Direction.TO_CLIENT)
        ]
        if self._late:
            mean_ms, most_ms = self._late_us / self._late / 1_000, self._latest_us / 1_000
            sends = _counted(self._late, "send")
            lines.append(f"delayed: {sends}, by {mean_ms:,.1f} ms on average and {most_ms:,.1f} ms at most")
        if self._cuts:
            lines.append(f"cut: in {_counted(self._cuts, 'place')}")
        if self._joined:
            lines.append(f"joined: {_counted(self._joined, 'read')} to the one before")
        return lines + [f"{text}: {self._kinds[kind]:,}" for kind, text in _KINDS.items() if self._kinds[kind]]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
