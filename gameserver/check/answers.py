"""Adapters around those of connections: one notes what the client is refused, one lets players sit in rooms."""

from collections.abc import Callable, Sequence

from attrs import define, evolve

from gameserver.core.events import Code
from gameserver.protocol import Answer, Capability, Command, Enter, Event, Output, Query, Rejected, Reply, Work
from gameserver.values import value
from gameserver.wire_log.recording_adapter import PassingAdapter

COMPLAINTS = (b"ERR", b"rror")
"""Parts of answers that protocols give without asking the lobby, where they refuse something."""


@value
class Refusal:
    """Something that the server refused. The code is None where the protocol did so without asking the lobby."""

    code: Code | None
    text: str


@define(eq=False)
class RefusalWatch(PassingAdapter):
    """An adapter that tells of refusals."""

    refused: Callable[[Refusal], None]

    def next(self) -> Command | Query | Reply | Work | None:
        """Look for a complaint in an answer that needs no lobby."""
        item = self.inner.next()
        if isinstance(item, Reply) and item.then is None and any(part in item.data for part in COMPLAINTS):
            self.refused(Refusal(None, item.data.decode("utf-8", "replace").strip()))
        return item

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Look for a refusal of the lobby."""
        outputs = self.inner.render(answer, events)
        if isinstance(answer, Rejected):
            said = b"".join(output.data for output in outputs).decode("utf-8", "replace").strip()
            self.refused(Refusal(answer.code, said.splitlines()[0] if said else str(answer.code)))
        return outputs


class WithRooms(PassingAdapter):
    """The adapter of a player of the check that may take a place in a room; its protocol knows none."""

    def next(self) -> Command | Query | Reply | Work | None:
        """Let the player enter as those do who know rooms."""
        item = self.inner.next()
        if isinstance(item, Enter):
            return evolve(item, capabilities=(*item.capabilities, Capability.ROOMS))
        return item
