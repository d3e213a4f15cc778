"""Queries about one's own match: how it stands, and what its board looks like."""

from typing import Any

import pytest

from gameserver.core.messages.commands import ShowBoard, ShowMatch
from gameserver.core.messages.events import Accepted, BoardShown, MatchStanding, Rejected
from gameserver.core.messages.rejections import Code
from tests.support.games import Countdown, CountdownState, catalogue
from tests.support.lobbies import LobbyHarness


class HiddenState(CountdownState):
    """Shows each seat a board of its own."""

    def board(self, viewer: int | None) -> str:
        if self.heap == 1:
            raise ZeroDivisionError("no board")
        return f"for seat {viewer}\n{self.heap} left"


class Hidden(Countdown):
    """A game whose board depends on who looks."""

    name = "Hidden"

    def start(self, options: Any) -> HiddenState:
        return HiddenState()


@pytest.fixture
def harness() -> LobbyHarness:
    harness = LobbyHarness(catalogue(Hidden(), Countdown()))
    for session, name in enumerate(("ann", "bob"), start=1):
        harness.enter(session, name)
    for session in (1, 2):
        harness.seek(session, "Hidden")
    return harness


def session_at(harness: LobbyHarness, seat: int) -> int:
    session = harness.match().seats[seat].session
    assert session is not None
    harness.hear(session)
    return session


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_is_shown_the_board_of_the_own_seat(harness: LobbyHarness, seat: int) -> None:
    session, rows = session_at(harness, seat), len(harness.rows)
    assert harness.do(ShowBoard(session)) == Accepted()
    assert harness.hear(session) == [BoardShown(1, (f"for seat {seat}", "5 left"))]
    assert len(harness.rows) == rows


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_is_told_whose_turn_it_is_and_what_is_left_of_it(harness: LobbyHarness, seat: int) -> None:
    session, rows = session_at(harness, seat), len(harness.rows)
    harness.now_ms += 2_500
    assert harness.do(ShowMatch(session)) == Accepted()
    match = harness.match()
    assert harness.hear(session) == [MatchStanding(1, "Hidden", match.players, seat, match.turn.seats, 7_500)]
    assert len(harness.rows) == rows


def test_a_clock_that_stands_is_told_as_it_stands(harness: LobbyHarness) -> None:
    harness.now_ms += 2_500
    harness.start()
    harness.enter(9, "ann")
    harness.hear(9)
    harness.now_ms += 3_000
    harness.do(ShowMatch(9))
    (standing,) = harness.hear(9)
    assert isinstance(standing, MatchStanding)
    assert standing.left_ms in {7_500, 4_500}  # it stands for bob, and runs on for ann, who is back
    assert (standing.left_ms == 4_500) == (standing.players[standing.awaited[0]] == "ann")


def test_a_board_that_fails_ends_no_match(harness: LobbyHarness) -> None:
    for _ in range(2):
        match = harness.match()
        harness.play(session_at(harness, match.turn.seats[0]), "2")
    answer = harness.do(ShowBoard(1))
    assert isinstance(answer, Rejected)
    assert answer.code is Code.SERVER_FAULT
    assert harness.match().id == 1


@pytest.mark.parametrize("query", [ShowMatch, ShowBoard])
def test_without_a_match_there_is_nothing_to_show(query: type) -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    assert harness.do(query(5)) == Rejected(Code.NOT_ENTERED)
    harness.enter(5, "ann")
    assert harness.do(query(5)) == Rejected(Code.NOT_IN_MATCH, {"player": "ann"})
