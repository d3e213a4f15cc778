"""Limits how many chat lines a connection may send."""

from attrs import Factory, define

WINDOW_MS = 10_000


@define
class MessagePace:
    """Counts the chat lines of the last ten seconds."""

    messages_max: int
    _sent_ms: list[int] = Factory(list)

    def allows(self, at_ms: int) -> bool:
        """True if one more may be sent now; if so, it counts as sent."""
        sent_ms = self._sent_ms
        if len(sent_ms) == self.messages_max:
            if at_ms - sent_ms[0] < WINDOW_MS:
                return False
            del sent_ms[0]
        sent_ms.append(at_ms)
        return True
