"""Answers that come after the server moved in somebody's place: they are waited for, dropped, and count for nothing."""

from collections.abc import Sequence
from typing import Any, Self

import pytest
from attrs import evolve, frozen

from gameserver.core.messages.commands import Resign, Scope
from gameserver.core.messages.events import (
    Accepted,
    By,
    Event,
    GameEnded,
    MatchShown,
    MovePlayed,
    Rejected,
    TurnStarted,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.state.match import Match
from gameserver.game import Outcome, Turn
from gameserver.policies import LatePolicy, Rules
from tests.support.games import BestOf, Countdown, CountdownState, Heap, catalogue
from tests.support.lobbies import LobbyHarness

WAIT_MS = 10_000
TURN_MS = 15_000
LATE_MS = TURN_MS + 250
RULES = Rules(
    first_move_pause_ms=0,
    room_count=3,
    room_game="Long",
    room_turn_time_ms=TURN_MS,
    late_margin_ms=250,
    late_answer_ms=WAIT_MS,
)
ANN, BOB = 1, 2
DROPPED = Code.TOO_LATE


class Long(Countdown):
    """A countdown that is not over after three moves."""

    name = "Long"

    def start(self, options: Any) -> CountdownState:
        return CountdownState(heap=40)


def play_with(game: str) -> tuple[LobbyHarness, int, int]:
    harness = LobbyHarness(GAMES, RULES)
    match, first, second = harness.opened(game)
    random_move = evolve(match.policies, late=LatePolicy.RANDOM_MOVE, late_answer_ms=WAIT_MS, turn_time_ms=TURN_MS)
    harness.lobby.matches[1] = evolve(match, policies=random_move)
    return harness, first, second


@frozen
class TwoStepsState(CountdownState):
    """Everybody takes twice."""

    @property
    def turn(self) -> Turn:
        number = self.number // 2
        return Turn(number, () if self.heap == 0 else (number % 2,))


class TwoSteps(Countdown):
    """A turn of two steps."""

    name = "Two steps"

    def start(self, options: Any) -> TwoStepsState:
        return TwoStepsState(heap=40)


@frozen
class TogetherState(CountdownState):
    """Both take at the same time; a round is over when both have."""

    moved: tuple[int, ...] = ()

    @property
    def turn(self) -> Turn:
        return Turn(self.number, tuple(seat for seat in (0, 1) if seat not in self.moved))

    def play(self, seat: int, move: int) -> Self:
        moved = (*self.moved, seat)
        if len(moved) < 2:
            return evolve(self, moved=moved, heap=self.heap - move)
        return evolve(self, moved=(), heap=self.heap - move, number=self.number + 1)

    @property
    def outcome(self) -> Outcome | None:
        return None


class Together(Countdown):
    """A simultaneous game."""

    name = "Together"

    def start(self, options: Any) -> TogetherState:
        return TogetherState(heap=40)


GAMES = catalogue(Long(), TwoSteps(), Together(), Heap(), BestOf())


def room_of(rules: Rules = RULES) -> LobbyHarness:
    harness = LobbyHarness(GAMES, rules)
    for session, name in ((ANN, "ann"), (BOB, "bob")):
        harness.enter_by_rooms(session, name)
        harness.sit(session)
    for session in (ANN, BOB):
        harness.ready(session)
    harness.heard.clear()
    return harness


@pytest.fixture
def harness() -> LobbyHarness:
    """Ann and Bob play in a room, Ann to move."""
    return room_of()


def be_late(harness: LobbyHarness) -> None:
    harness.now_ms += LATE_MS
    assert harness.time_up() == Accepted()


def kinds(events: Sequence[Event]) -> list[type]:
    return [type(event) for event in events]


def own_moves(match: Match, seat: int) -> list[str]:
    return [move.text for move in match.moves if move.seat == seat and move.by is By.PLAYER]


def test_the_question_waits_for_the_late_answer_and_is_put_when_it_comes(harness: LobbyHarness) -> None:
    be_late(harness)
    for session, told in ((ANN, [MovePlayed]), (BOB, [MovePlayed, TurnStarted])):
        assert kinds(harness.hear(session)) == told, "the move is told at once, to both"
    (played,) = harness.match().moves
    harness.play(BOB, "1")
    assert kinds(harness.hear(ANN)) == [MovePlayed], "the question waits"
    assert harness.match().clock.deadline_ms is None, "on nobody's clock"
    harness.now_ms += 3_400
    assert harness.play(ANN, "2") == Rejected(DROPPED, {"move": played.text})
    (turn,) = harness.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == harness.now_ms + TURN_MS
    assert own_moves(harness.match(), 0) == []
    harness.now_ms += TURN_MS
    assert harness.play(ANN, "1") == Accepted()
    assert own_moves(harness.match(), 0) == ["1"]
    assert harness.match().moves[-1].think_ms == TURN_MS, "thinking began with the question"


def test_an_answer_that_comes_before_the_turn_is_dropped_and_nothing_waits(harness: LobbyHarness) -> None:
    be_late(harness)
    assert harness.play(ANN, "nonsense") == Rejected(DROPPED, {"move": harness.match().moves[0].text})
    assert harness.play(ANN, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": "ann"})
    harness.hear(ANN)
    harness.play(BOB, "1")
    assert kinds(harness.hear(ANN)) == [MovePlayed, TurnStarted]


def test_the_wait_counts_from_the_move_and_ends(harness: LobbyHarness) -> None:
    be_late(harness)
    harness.now_ms += 4_000
    harness.play(BOB, "1")
    harness.hear(ANN)
    harness.now_ms += WAIT_MS - 4_001
    assert harness.time_up() == Rejected(Code.STALE)
    assert harness.match().due_ms == harness.now_ms + 1
    harness.now_ms += 1
    assert harness.time_up() == Accepted()
    (turn,) = harness.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == harness.now_ms + TURN_MS
    assert harness.play(ANN, "1", stamp_ms=harness.now_ms - 1) == Rejected(Code.TURN_NOT_BEGUN, {"player": "ann"})
    assert harness.play(ANN, "1") == Accepted(), "from then on the next move counts"


def test_wait_for_late_answers_resumes_after_a_move_that_counted(harness: LobbyHarness) -> None:
    be_late(harness)
    harness.play(BOB, "1")
    harness.now_ms += WAIT_MS
    harness.time_up()
    for _ in range(2):
        be_late(harness)
        harness.hear(ANN)
        harness.play(BOB, "1")
        assert kinds(harness.hear(ANN)) == [MovePlayed, TurnStarted], "not waited for"
    assert harness.play(ANN, "1") == Accepted()
    harness.play(BOB, "1")
    be_late(harness)
    harness.hear(ANN)
    harness.play(BOB, "1")
    assert kinds(harness.hear(ANN)) == [MovePlayed], "waited for again"


def test_the_pause_between_moves_is_kept_after_a_late_answer() -> None:
    harness = room_of(evolve(RULES, room_move_pause_ms=1_000))
    be_late(harness)
    harness.now_ms += 1_000
    assert harness.play(BOB, "1") == Accepted()
    pause_until_ms = harness.now_ms + 1_000
    harness.hear(ANN)
    harness.now_ms += 300
    harness.play(ANN, "1")
    (turn,) = harness.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert (turn.release_ms, turn.deadline_ms) == (pause_until_ms, pause_until_ms + TURN_MS)


def test_a_new_connection_owes_nothing() -> None:
    harness = room_of(evolve(RULES, drop_grace_ms=60_000))
    be_late(harness)
    harness.play(BOB, "1")
    harness.leave(ANN)
    harness.now_ms += 1_000
    harness.enter_by_rooms(9, "ann")
    harness.sit(9)
    harness.ready(9)
    told = harness.hear(9)
    assert [kind for kind in kinds(told) if kind in {MatchShown, TurnStarted}] == [MatchShown, TurnStarted]
    assert harness.play(9, "1") == Accepted()


def test_the_opponent_s_return_does_not_start_the_clock_of_a_question_that_waits() -> None:
    harness = room_of(evolve(RULES, drop_grace_ms=60_000))
    be_late(harness)
    harness.play(BOB, "1")
    harness.leave(BOB)
    harness.enter_by_rooms(9, "bob")
    harness.sit(9)
    harness.ready(9)
    assert harness.match().clock.deadline_ms is None
    assert harness.play(ANN, "1") == Rejected(DROPPED, {"move": harness.match().moves[0].text})
    assert harness.match().clock.deadline_ms == harness.now_ms + TURN_MS


def test_a_new_game_owes_nothing() -> None:
    harness = LobbyHarness(GAMES, RULES)
    match, first, second = harness.opened("Best-of")
    random_move = evolve(match.policies, late=LatePolicy.RANDOM_MOVE, late_answer_ms=WAIT_MS)
    harness.lobby.matches[1] = evolve(match, policies=random_move)
    be_late(harness)
    assert harness.match().owed
    while harness.match().game_number == 1:
        seat = harness.match().turn.seats[0]
        session = harness.match().seats[seat].session
        assert session is not None
        harness.play(session, "1")
    assert harness.match().owed == ()


def test_in_a_new_game_everybody_is_waited_for_again() -> None:
    harness = LobbyHarness(GAMES, RULES)
    match, first, _ = harness.opened("Best-of")
    harness.lobby.matches[1] = evolve(match, unanswering=(0,))
    harness.do(Resign(first, Scope.GAME))
    assert (harness.match().game_number, harness.match().unanswering) == (2, ())


def test_a_turn_of_several_steps_is_finished_at_once_and_owes_one_answer() -> None:
    harness, first, second = play_with("Two steps")
    be_late(harness)
    assert [move.by for move in harness.match().moves] == [By.SERVER] * 2
    assert kinds(harness.hear(first)) == [MovePlayed, MovePlayed]
    for _ in range(2):
        harness.play(second, "1")
    assert [owed.seat for owed in harness.match().owed] == [0]
    assert harness.play(first, "1") == Rejected(DROPPED, {"move": harness.match().moves[1].text})
    assert harness.play(first, "1") == Accepted()


def test_a_game_of_two_who_never_answer_comes_to_its_end() -> None:
    harness = room_of(evolve(RULES, room_game="Heap"))
    for _ in range(20):
        if harness.lobby.matches:
            be_late(harness)
    assert harness.lobby.matches == {}
    assert GameEnded in kinds(harness.hear(ANN))
