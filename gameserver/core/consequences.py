"""What follows from a decision by itself, in a fixed order: tournaments, rooms, players who search again.

Handlers add follow-ups to the draft; `drain` draws them once the command is decided, rank by rank. What comes too
late for its rank waits for the next round: so a room that changes because a player found an opponent comes last.
Journals are replayed by this order.
"""

from collections.abc import Callable
from typing import Any

from gameserver.core.matchmaking import room_reconciler, seeks
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
    SeekResumed: seeks.resume,
}
"""What draws each kind, in the order of their ranks."""


def drain(draft: Draft) -> None:
    """Draw what follows by itself until nothing is left, each kind first come first."""
    follow_ups = draft.follow_ups
    while follow_ups:
        for kind, handler in RANK.items():
            if kind not in follow_ups:
                continue
            waiting = follow_ups[kind]
            while waiting:
                # A player whom two tournaments keep plays in the older one first.
                follow_up = min(waiting) if kind is TournamentChanged else next(iter(waiting))
                handler(draft, follow_up)
                del waiting[follow_up]
            del follow_ups[kind]
