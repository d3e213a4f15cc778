"""Matches in a room: late, illegal and last moves, and another game between the same players."""

import pytest

from gameserver.core.messages.commands import Depart
from gameserver.core.messages.events import (
    Accepted,
    By,
    EndReason,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MovePlayed,
    Rejected,
    TurnStarted,
    Unseated,
    UnseatedWhy,
)
from gameserver.core.messages.rejections import Code
from tests.core.matchmaking.rooms.room_lobby import ANN, BOB, GAMES, RULES, arrive, kinds, over, started
from tests.support.lobbies import LobbyHarness


def test_a_late_turn_is_played_by_lot_and_the_next_one_waits_a_second(harness: LobbyHarness) -> None:
    started(harness)
    harness.now_ms += 15_249
    assert harness.time_up() == Rejected(Code.STALE)
    harness.now_ms += 1
    assert harness.time_up() == Accepted()
    for session in (ANN, BOB):
        moved, *rest = harness.hear(session)
        assert isinstance(moved, MovePlayed)
        assert (moved.player, moved.by) == ("ann", By.SERVER)
        assert kinds(rest) == ([TurnStarted] if session == BOB else [])
    assert harness.play(ANN, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": "ann"})
    harness.play(BOB, "1")
    _, turn = harness.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.release_ms == harness.now_ms + 1_000
    assert turn.deadline_ms == turn.release_ms + 15_000, "the pause is on nobody's clock"
    harness.now_ms += 999
    assert harness.play(ANN, "1") == Rejected(Code.TURN_NOT_BEGUN, {"player": "ann"})
    harness.now_ms += 1
    assert harness.play(ANN, "1") == Accepted()
    harness.hear(BOB)


def test_leaving_before_one_could_know_of_the_match_loses_nothing(harness: LobbyHarness) -> None:
    """The line crossed the other's start."""
    started(harness)
    harness.play(ANN, "2")
    assert harness.do(Depart(BOB, match=0)) == Accepted()
    assert [record.reason for record in harness.records] == [EndReason.VOID]
    assert kinds(harness.hear(ANN))[-2:] == [GameEnded, MatchEnded]
    assert kinds(harness.hear(BOB))[-1] is Unseated
    harness.ready(ANN)
    assert kinds(harness.hear(ANN)) == [Unseated]


@pytest.mark.parametrize("match", [None, 0, 1])
def test_leaving_after_an_own_move_loses_whatever_is_said(harness: LobbyHarness, match: int | None) -> None:
    """Or else who came back after a restart could call off what they were losing."""
    started(harness)
    harness.play(ANN, "2")
    harness.do(Depart(ANN, match=match))
    assert [record.reason for record in harness.records] == [EndReason.RESIGNED]


# Playing again.


def test_both_ask_for_another_game_and_the_first_mover_is_drawn() -> None:
    firsts = set()
    for boot in range(20):
        harness = LobbyHarness(GAMES, RULES)
        harness.lobby.server[""] = harness.lobby.server[""].__class__(seed=f"{boot:064x}", rules=RULES)
        over(started(arrive(harness)))
        harness.ready(BOB)
        assert harness.heard == {}
        harness.ready(ANN)
        assert isinstance(harness.hear(ANN)[0], MatchOpened)
        firsts.add(harness.match(2).players[0])
    assert firsts == {"ann", "bob"}


def test_three_minutes_after_a_game_both_go_back_to_the_lobby(harness: LobbyHarness) -> None:
    over(started(harness))
    harness.ready(ANN)
    harness.now_ms += 180_000
    assert harness.room_time_up() == Accepted()
    for session in (ANN, BOB):
        assert [event.why for event in harness.hear(session) if isinstance(event, Unseated)] == [
            UnseatedWhy.NOT_RESTARTED
        ]
    assert harness.lobby.rooms == {}
