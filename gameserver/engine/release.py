"""Delivers the answers and events of a batch, once it is durable."""

from collections.abc import Callable, Sequence

from gameserver.core.messages.events import Event
from gameserver.engine.batch import Receiver, Release


def release(outputs: Sequence[Release], find: Callable[[int], Receiver | None]) -> None:
    """Deliver a batch's answers and events, in order; each receiver sends once, and then goes on with its input."""
    touched: dict[Receiver, None] = {}
    answered: list[Receiver] = []
    for output in outputs:
        sender, told = output.sender, _by_receiver(output, find)
        if sender is not None:
            answered.append(sender)
            touched[sender] = None
            sender.deliver(output.answer, told.pop(sender, ()))
        for receiver, events in told.items():
            touched[receiver] = None
            receiver.deliver(None, events)
        for session, why in output.dismissed:
            dismissed = find(session)
            if dismissed is not None:
                dismissed.dismiss(why)
    for receiver in touched:
        receiver.flush()
    for sender in answered:
        sender.resume()


def _by_receiver(output: Release, find: Callable[[int], Receiver | None]) -> dict[Receiver, Sequence[Event]]:
    """The events of one command, by receiver, for the receivers that are still connected."""
    told: dict[Receiver, Sequence[Event]] = {}
    by_session: dict[int, list[Event]] = {}
    for session, event in output.deliveries:
        events = by_session.get(session)
        if events is None:
            events = by_session[session] = []
            receiver = find(session)
            if receiver is not None:
                told[receiver] = events
        events.append(event)
    return told
