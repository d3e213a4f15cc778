"""Delivers the answers and events of a batch, once it is durable."""

from collections.abc import Callable, Sequence

from gameserver.core.events import Event
from gameserver.engine.batch import Receiver, Release


def release(outputs: Sequence[Release], find: Callable[[int], Receiver | None]) -> None:
    """Deliver a batch's answers and events, in order; each receiver sends once, and then goes on with its input."""
    touched: dict[Receiver, None] = {}
    answered: list[Receiver] = []
    for output in outputs:
        sender = output.sender
        told: dict[Receiver, list[Event]] = {}
        for session, event in output.deliveries:
            receiver = find(session)
            if receiver is None:
                continue  # a player who has left hears nothing more
            if receiver in told:
                told[receiver].append(event)
            else:
                told[receiver] = [event]
        if sender is not None:
            answered.append(sender)
            touched[sender] = None
            sender.deliver(output.answer, told.pop(sender, ()))
        for receiver, events in told.items():
            touched[receiver] = None
            receiver.deliver(None, events)
        for session, why in output.dismissed:
            _dismiss(find(session), why)
    for receiver in touched:
        receiver.flush()
    for sender in answered:
        sender.resume()


def _dismiss(receiver: Receiver | None, why: str) -> None:
    if receiver is not None:
        receiver.dismiss(why)
