"""Consequences of a decision are drawn in the order of the ranks, each once, until nothing is left."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gameserver.core import consequences
from gameserver.core.consequences import RANK, drain
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import (
    FollowUp,
    MatchFinished,
    PlayerAvailable,
    RoomChanged,
    SeekResumed,
    TournamentChanged,
)
from gameserver.core.state.lobby import At, Lobby

FREED = SeekResumed("ann", ("matches", 7))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[FollowUp]]:
    """Draws these follow-ups, and says which were drawn. `leads_to` are those that the handler of one adds."""

    def draw(*added: FollowUp, leads_to: dict[FollowUp, tuple[FollowUp, ...]] | None = None) -> list[FollowUp]:
        found: list[FollowUp] = []
        draft = Draft(Lobby({}), At(0, 0))

        def handler(_: Draft, follow_up: Any) -> None:
            found.append(follow_up)
            for more in (leads_to or {}).get(follow_up, ()):
                draft.follow_ups.add(more)

        monkeypatch.setattr(consequences, "RANK", dict.fromkeys(RANK, partial(handler)))
        for follow_up in added:
            draft.follow_ups.add(follow_up)
        drain(draft)
        assert not draft.follow_ups
        return found

    return draw


def test_ranks_are_the_order_by_which_journals_replay(drawn: Callable[..., list[FollowUp]]) -> None:
    ranked = [MatchFinished(7), RoomChanged(2), PlayerAvailable("ann"), TournamentChanged(1), FREED]
    assert drawn(*reversed(ranked)) == ranked


def test_follow_up_added_twice_is_drained_once(drawn: Callable[..., list[FollowUp]]) -> None:
    assert drawn(RoomChanged(2), RoomChanged(1), RoomChanged(2)) == [RoomChanged(2), RoomChanged(1)]


def test_player_freed_by_two_rows_seeks_twice(drawn: Callable[..., list[FollowUp]]) -> None:
    again = SeekResumed("ann", ("tournaments", 1))
    assert drawn(FREED, again, FREED) == [FREED, again]


def test_a_late_room_comes_last(drawn: Callable[..., list[FollowUp]]) -> None:
    after = drawn(PlayerAvailable("ann"), FREED, leads_to={PlayerAvailable("ann"): (RoomChanged(2),)})
    assert after == [PlayerAvailable("ann"), FREED, RoomChanged(2)]


def test_a_room_that_changes_again_is_seen_to_again(drawn: Callable[..., list[FollowUp]]) -> None:
    assert drawn(RoomChanged(2), FREED, leads_to={FREED: (RoomChanged(2),)}) == [RoomChanged(2), FREED, RoomChanged(2)]


def test_row_changed_by_its_own_handler_is_not_looked_at_again(drawn: Callable[..., list[FollowUp]]) -> None:
    changed = TournamentChanged(1)
    assert drawn(changed, leads_to={changed: (changed,)}) == [changed]


def test_the_older_tournament_comes_first(drawn: Callable[..., list[FollowUp]]) -> None:
    assert drawn(TournamentChanged(3), TournamentChanged(2)) == [TournamentChanged(2), TournamentChanged(3)]
