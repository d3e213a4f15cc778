"""Queries about one's own match: how it stands, and what its board looks like."""

from typing import Any

import pytest

from gameserver.core.messages.commands import ShowBoard, ShowMatch
from gameserver.core.messages.events import Accepted, BoardShown, MatchStanding, Rejected
from gameserver.core.messages.rejections import Code
from tests.support.games import Countdown, CountdownState, catalogue
from tests.support.lobbies import Table


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
def table() -> Table:
    table = Table(catalogue(Hidden(), Countdown()))
    for session, name in enumerate(("ann", "bob"), start=1):
        table.enter(session, name)
    for session in (1, 2):
        table.seek(session, "Hidden")
    return table


def session_at(table: Table, seat: int) -> int:
    session = table.match().seats[seat].session
    assert session is not None
    table.hear(session)
    return session


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_is_shown_the_board_of_the_own_seat(table: Table, seat: int) -> None:
    session, rows = session_at(table, seat), len(table.rows)
    assert table.do(ShowBoard(session)) == Accepted()
    assert table.hear(session) == [BoardShown(1, (f"for seat {seat}", "5 left"))]
    assert len(table.rows) == rows


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_is_told_whose_turn_it_is_and_what_is_left_of_it(table: Table, seat: int) -> None:
    session, rows = session_at(table, seat), len(table.rows)
    table.now_ms += 2_500
    assert table.do(ShowMatch(session)) == Accepted()
    match = table.match()
    assert table.hear(session) == [MatchStanding(1, "Hidden", match.players, seat, match.turn.seats, 7_500)]
    assert len(table.rows) == rows


def test_a_clock_that_stands_is_told_as_it_stands(table: Table) -> None:
    table.now_ms += 2_500
    table.start()
    table.enter(9, "ann")
    table.hear(9)
    table.now_ms += 3_000
    table.do(ShowMatch(9))
    (standing,) = table.hear(9)
    assert isinstance(standing, MatchStanding)
    assert standing.left_ms in {7_500, 4_500}  # it stands for bob, and runs on for ann, who is back
    assert (standing.left_ms == 4_500) == (standing.players[standing.awaited[0]] == "ann")


def test_a_board_that_fails_ends_no_match(table: Table) -> None:
    for _ in range(2):
        match = table.match()
        table.play(session_at(table, match.turn.seats[0]), "2")
    answer = table.do(ShowBoard(1))
    assert isinstance(answer, Rejected)
    assert answer.code is Code.SERVER_FAULT
    assert table.match().id == 1


@pytest.mark.parametrize("query", [ShowMatch, ShowBoard])
def test_without_a_match_there_is_nothing_to_show(query: type) -> None:
    table = Table(catalogue(Countdown()))
    assert table.do(query(5)) == Rejected(Code.NOT_ENTERED)
    table.enter(5, "ann")
    assert table.do(query(5)) == Rejected(Code.NOT_IN_MATCH, {"player": "ann"})
