"""What follows from a decision by itself, in a fixed order: tournaments, rooms, players who search again.

Handlers note on the draft what changed; `follow_up` draws the consequences once the command is decided.
"""

from gameserver.core.matches import referee
from gameserver.core.matchmaking import room_reconciler, seeks
from gameserver.core.organizer import conduct, scheduling
from gameserver.core.state.draft import Draft


def follow_up(draft: Draft) -> None:
    """Draw what follows by itself: at the tables, in tournaments, then for those who look for a match again."""
    scheduling.report_finished(draft)
    _settle_tables(draft)
    for name in draft.called:
        conduct.open_entries(draft, name)
    scheduling.call(draft)
    _pair_freed(draft)
    _settle_tables(draft)


def _settle_tables(draft: Draft) -> None:
    while draft.unsettled:
        room_reconciler.reconcile(draft, draft.unsettled.pop(0))


def _pair_freed(draft: Draft) -> None:
    """Pair those whose match this decision ended and who look for the next one.

    If the next game's code fails, they wait in its queue: it must not cost the move that freed them.
    """
    for name in () if draft.server.drains else draft.freed:
        try:
            seeks.pair_or_wait(draft, name)
        except referee.GameFault as fault:
            draft.faults.append(fault.why)
            seeks.wait(draft, name)
