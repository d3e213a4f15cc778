"""A tournament whose plan lets the server move for those who are late: their answers are waited for as in a room."""

import pytest
from attrs import evolve

from gameserver.core.messages.events import Accepted, By, MovePlayed, Rejected, TurnStarted
from gameserver.core.messages.rejections import Code
from gameserver.core.state.match import Match
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest
from gameserver.policies import LATE_PAUSE_MS, LatePolicy, Rules
from gameserver.tournaments import acts
from tests.support.games import Countdown, catalogue
from tests.support.journals import RowsOnly
from tests.support.tournament_hall import Hall

GAMES = catalogue(Countdown())
WAIT_MS = 10_000
TURN_MS = 5_000
RULES = Rules(first_move_pause_ms=0, room_game="Countdown", room_count=4, late_answer_ms=WAIT_MS)


def running(rules: Rules = RULES, enter: str = "enter", late: LatePolicy = LatePolicy.RANDOM_MOVE) -> Hall:
    """Two players in the first of two matches, before its first move."""
    hall = Hall(GAMES, rules)
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.sessions[name] = session
        getattr(hall, enter)(session, name)
    hall.create(late=late, turn_time_ms=TURN_MS, games=2)
    hall.act(acts.StartTournament(0))
    if enter == "enter_by_rooms":
        for session in (1, 2):
            hall.sit(session)
            hall.ready(session)
    hall.heard.clear()
    return hall


def match_of(hall: Hall) -> Match:
    (match,) = hall.matches
    return match


def session_of(hall: Hall, seat: int) -> int:
    return hall.sessions[match_of(hall).players[seat]]


def be_late(hall: Hall) -> None:
    hall.now_ms += TURN_MS + hall.rules.late_margin_ms
    assert hall.time_up(match_of(hall).id) == Accepted()


@pytest.mark.parametrize("enter", ["enter", "enter_by_rooms"])
def test_next_question_waits_for_late_answer(enter: str) -> None:
    hall = running(enter=enter)
    first, second = session_of(hall, 0), session_of(hall, 1)
    be_late(hall)
    (made,) = match_of(hall).moves
    assert made.by is By.SERVER
    assert hall.play(second, "1") == Accepted()
    assert [type(event) for event in hall.hear(first)] == [MovePlayed, MovePlayed], "the question waits"
    assert match_of(hall).clock.deadline_ms is None
    hall.now_ms += 3_000
    assert hall.play(first, "2") == Rejected(Code.TOO_LATE, {"move": made.text})
    (turn,) = hall.hear(first)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == hall.now_ms + TURN_MS
    assert [move.by for move in match_of(hall).moves] == [By.SERVER, By.PLAYER]


def test_question_is_put_when_the_wait_is_over() -> None:
    hall = running()
    first, second = session_of(hall, 0), session_of(hall, 1)
    be_late(hall)
    moved_ms = hall.now_ms
    hall.play(second, "1")
    hall.hear(first)
    assert match_of(hall).due_ms == moved_ms + WAIT_MS
    hall.now_ms = moved_ms + WAIT_MS
    assert hall.time_up(match_of(hall).id) == Accepted()
    assert [type(event) for event in hall.hear(first)] == [TurnStarted]
    assert hall.play(first, "1") == Accepted()


def test_next_match_of_the_tournament_owes_nothing() -> None:
    hall = running()
    late = match_of(hall).players[0]
    be_late(hall)
    assert match_of(hall).owed
    assert hall.resign(hall.sessions[late]) == Accepted()
    assert (match_of(hall).id, match_of(hall).owed) == (2, ())
    mover = match_of(hall).players[match_of(hall).turn.seats[0]]
    assert hall.play(hall.sessions[mover], "1") == Accepted()


def test_room_players_are_not_waited_for_if_lateness_costs_the_match() -> None:
    hall = running(enter="enter_by_rooms", late=LatePolicy.MATCH)
    be_late(hall)
    assert hall.row.state.pairings[0].reason == "late"
    assert all(not match.owed for match in hall.matches)


@pytest.mark.parametrize(("waits_ms", "pause_ms"), [(None, LATE_PAUSE_MS), (0, 0), (WAIT_MS, 0)])
@pytest.mark.parametrize("enter", ["enter", "enter_by_rooms"])
def test_terms_are_those_of_the_rules(waits_ms: int | None, pause_ms: int, enter: str) -> None:
    """None is what journals of older servers mean: a fixed pause before the late one's next turn."""
    hall = running(evolve(RULES, late_answer_ms=waits_ms), enter)
    policies = match_of(hall).policies
    assert (policies.late, policies.late_answer_ms, policies.late_pause_ms) == (
        LatePolicy.RANDOM_MOVE,
        waits_ms,
        pause_ms,
    )
    first, second = session_of(hall, 0), session_of(hall, 1)
    be_late(hall)
    hall.play(second, "1")
    turns = [event for event in hall.hear(first) if isinstance(event, TurnStarted)]
    pauses_ms = [max(0, turn.release_ms - hall.now_ms) for turn in turns]
    assert pauses_ms == ([] if waits_ms else [pause_ms])


def test_dropped_answer_of_a_tournament_is_replayed() -> None:
    hall = running()
    first, second = session_of(hall, 0), session_of(hall, 1)
    be_late(hall)
    hall.play(second, "1")
    hall.play(first, "2")
    journal = RowsOnly()
    journal.append(hall.rows)
    replayed = replay(journal, GAMES)
    assert replayed.skipped == ()
    assert digest(replayed.lobby) == digest(hall.lobby)
