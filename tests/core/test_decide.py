"""Consequences of a decision are drawn in the order of the ranks, each once, until nothing is left."""

from typing import Any

import pytest

from gameserver.core import decide
from gameserver.core.decide import RANK, drain
from gameserver.core.draft import (
    Draft,
    FollowUp,
    MatchFinished,
    PlayerAvailable,
    RoomChanged,
    SeekResumed,
    TournamentChanged,
)
from gameserver.core.lobby import At, Lobby

ANN, ROOM = PlayerAvailable("ann"), RoomChanged(2)
FREED, AGAIN = SeekResumed("ann", ("matches", 7)), SeekResumed("ann", ("tournaments", 1))
OLDER, NEWER = TournamentChanged(2), TournamentChanged(3)


@pytest.mark.parametrize(
    ("added", "leads_to", "drawn"),
    [
        ([FREED, OLDER, ANN, ROOM, MatchFinished(7)], {}, [MatchFinished(7), ROOM, ANN, OLDER, FREED]),
        ([ROOM, RoomChanged(1), ROOM], {}, [ROOM, RoomChanged(1)]),
        ([NEWER, OLDER], {}, [OLDER, NEWER]),
        ([FREED, AGAIN, FREED], {}, [FREED, AGAIN]),
        ([ANN, FREED], {ANN: ROOM}, [ANN, FREED, ROOM]),
        ([ROOM, FREED], {FREED: ROOM}, [ROOM, FREED, ROOM]),
        ([OLDER], {OLDER: OLDER}, [OLDER]),
    ],
    ids=["by rank", "once", "older first", "freed twice", "late room", "room again", "own change"],
)
def test_follow_ups_are_drawn_in_the_order_by_which_journals_replay(
    monkeypatch: pytest.MonkeyPatch, added: list[FollowUp], leads_to: dict[FollowUp, FollowUp], drawn: list[FollowUp]
) -> None:
    found: list[FollowUp] = []

    def handler(draft: Draft, follow_up: Any) -> None:
        found.append(follow_up)
        if follow_up in leads_to:
            draft.follow_ups.add(leads_to[follow_up])

    monkeypatch.setattr(decide, "RANK", dict.fromkeys(RANK, handler))
    draft = Draft(Lobby({}), At(0, 0))
    for follow_up in added:
        draft.follow_ups.add(follow_up)
    drain(draft)
    assert found == drawn
