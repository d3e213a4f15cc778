"""A tournament whose plan lets the server move for those who are late: their answers are waited for as in a room."""

from collections.abc import Callable

import pytest
from attrs import evolve

from gameserver.core.messages.commands import Play, Void
from gameserver.core.messages.events import Accepted, Rejected, TurnStarted
from gameserver.core.messages.rejections import Code
from gameserver.core.messages.tournament_commands import TournamentTimeUp
from gameserver.core.state.match import Match
from gameserver.policies import LATE_PAUSE_MS, LatePolicy, Rules
from gameserver.tournaments import acts
from tests.support.games import Countdown, catalogue
from tests.support.tournament_hall import Hall

GAMES = catalogue(Countdown())
WAIT_MS = 10_000
TURN_MS = 5_000
RULES = Rules(first_move_pause_ms=0, room_game="Countdown", room_count=4, late_answer_ms=WAIT_MS)


def running(
    rules: Rules = RULES, enter: str = "enter", late: LatePolicy = LatePolicy.RANDOM_MOVE, **changes: int
) -> Hall:
    """Two players in the first of two matches, before its first move."""
    hall = Hall(GAMES, rules)
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.sessions[name] = session
        getattr(hall, enter)(session, name)
    hall.create(late=late, turn_time_ms=TURN_MS, **{"games": 2} | changes)
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


def one_is_late(hall: Hall) -> int:
    """The second player loses the first match on time, and begins in the next one; returns the session."""
    first, second = session_of(hall, 0), session_of(hall, 1)
    assert hall.play(first, "1") == Accepted()
    be_late(hall)
    return second


def turns_told(hall: Hall, session: int) -> int:
    return sum(isinstance(event, TurnStarted) for event in hall.hear(session))


def test_first_question_of_next_match_waits_for_late_answer_to_lost_one() -> None:
    hall = running(late=LatePolicy.MATCH)
    late = one_is_late(hall)
    assert (match_of(hall).id, session_of(hall, 0)) == (2, late)
    assert turns_told(hall, late) == 1, "the turn that was lost"
    assert match_of(hall).clock.deadline_ms is None, "on nobody's clock"
    hall.check_restored()
    hall.now_ms += 3_000
    assert hall.play(late, "1") == Rejected(Code.NOT_IN_MATCH)
    assert match_of(hall).moves == ()
    assert turns_told(hall, late) == 1
    assert match_of(hall).clock.deadline_ms == hall.now_ms + TURN_MS
    assert hall.play(late, "1") == Accepted()
    hall.check_restored()


def test_question_after_lost_match_waits_no_longer_than_for_rooms() -> None:
    hall = running(late=LatePolicy.MATCH, games=4)
    late = one_is_late(hall)
    hall.hear(late)
    hall.now_ms += WAIT_MS
    assert match_of(hall).due_ms == hall.now_ms
    assert hall.time_up(match_of(hall).id) == Accepted()
    assert turns_told(hall, late) == 1
    be_late(hall)
    assert hall.play(session_of(hall, 0), "1") == Accepted()
    be_late(hall)
    assert (match_of(hall).id, session_of(hall, 0)) == (4, late)
    assert turns_told(hall, late) == 2, "a player who let a whole wait pass is not waited for again"
    assert hall.play(late, "1") == Accepted()


def test_late_answer_that_comes_before_the_next_match_is_not_waited_for() -> None:
    hall = running(late=LatePolicy.MATCH, pause_ms=1_000)
    late = one_is_late(hall)
    assert hall.matches == []
    assert hall.play(late, "1") == Rejected(Code.NOT_IN_MATCH)
    hall.hear(late)
    hall.now_ms += 1_000
    assert hall.do(TournamentTimeUp(1)) == Accepted()
    assert turns_told(hall, late) == 1
    hall.check_restored()


def test_late_answer_that_was_read_before_the_next_match_is_not_waited_for() -> None:
    """An adapter names the match that the player knew of when the line was read."""
    hall = running(late=LatePolicy.MATCH)
    late = one_is_late(hall)
    hall.hear(late)
    assert hall.do(Play(late, "1", match=1)) == Rejected(Code.NOT_IN_MATCH)
    assert turns_told(hall, late) == 1
    hall.check_restored()


def resigned(hall: Hall) -> None:
    assert hall.resign(session_of(hall, 1)) == Accepted()


def voided(hall: Hall) -> None:
    assert hall.do(Void(match_of(hall).id, "the wrong game", "teacher")) == Accepted()


def illegal(hall: Hall) -> None:
    assert hall.play(session_of(hall, 1), "99") == Accepted()


@pytest.mark.parametrize(
    ("end", "waits"),
    [(be_late, True), (voided, True), (resigned, False), (illegal, False)],
)
def test_answers_are_owed_after_ends_that_the_player_did_not_bring_about(
    end: Callable[[Hall], None], *, waits: bool
) -> None:
    hall = running(late=LatePolicy.MATCH)
    hall.play(session_of(hall, 0), "1")
    thinking = session_of(hall, 1)
    end(hall)
    seat = match_of(hall).seat_of("ann" if thinking == 1 else "bob")
    assert [owed.seat for owed in match_of(hall).owed] == ([seat] if waits else [])


def test_winner_who_was_thinking_is_waited_for_too() -> None:
    hall = running(late=LatePolicy.MATCH)
    thinking = session_of(hall, 0)
    resigned(hall)
    assert [match_of(hall).seats[owed.seat].session for owed in match_of(hall).owed] == [thinking]


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
