"""The consequences of a decision, in a fixed order: tournaments, rooms, players who search again.

Handlers add follow-ups to the draft; `drain` handles them once the command is decided, rank by rank. A follow-up that
comes too late for its rank waits for the next round. So a room that changes because a player found an opponent comes
last. Journals are replayed by this order.
"""

from collections.abc import Callable
from typing import Any

from gameserver.core.matchmaking import matchmaker, room_reconciler
from gameserver.core.organizer import conduct, scheduling
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import (
    FollowUp,
    MatchFinished,
    PlayerAvailable,
    RoomChanged,
    SeekResumed,
    TournamentChanged,
)

RANK: dict[type[FollowUp], Callable[[Draft, Any], None]] = {
    MatchFinished: scheduling.report_finished,
    RoomChanged: room_reconciler.reconcile,
    PlayerAvailable: conduct.welcome,
    TournamentChanged: scheduling.begin_matches,
    SeekResumed: matchmaker.resume_seek,
}
"""The handler of each kind of follow-up, in the order of their ranks."""


def drain(draft: Draft) -> None:
    """Handle follow-ups until none is left; within a kind, first come first served."""
    follow_ups = draft.follow_ups
    while follow_ups:
        for kind, handler in RANK.items():
            if kind not in follow_ups:
                continue
            waiting = follow_ups[kind]
            while waiting:
                # A player whom two tournaments reserve plays in the older one first.
                follow_up = min(waiting) if kind is TournamentChanged else next(iter(waiting))
                handler(draft, follow_up)
                del waiting[follow_up]
            del follow_ups[kind]
