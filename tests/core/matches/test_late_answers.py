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
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.policies import LatePolicy, Rules
from tests.support.games import BestOf, Countdown, CountdownState, Heap, catalogue
from tests.support.journals import RowsOnly
from tests.support.lobbies import Table

WAIT_MS = 10_000
TURN_MS = 15_000
LATE_MS = TURN_MS + 250
RULES = Rules(
    first_move_pause_ms=0,
    tables=3,
    table_game="Long",
    table_turn_time_ms=TURN_MS,
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


def table_of(rules: Rules = RULES) -> Table:
    table = Table(GAMES, rules)
    for session, name in ((ANN, "ann"), (BOB, "bob")):
        table.enter_by_tables(session, name)
        table.sit(session)
    for session in (ANN, BOB):
        table.ready(session)
    table.heard.clear()
    return table


@pytest.fixture
def table() -> Table:
    """Ann and Bob play at a table, Ann to move."""
    return table_of()


def be_late(table: Table) -> None:
    table.now_ms += LATE_MS
    assert table.time_up() == Accepted()


def kinds(events: Sequence[Event]) -> list[type]:
    return [type(event) for event in events]


def own_moves(match: Match, seat: int) -> list[str]:
    return [move.text for move in match.moves if move.seat == seat and move.by is By.PLAYER]


def test_the_question_waits_for_the_late_answer_and_is_put_when_it_comes(table: Table) -> None:
    be_late(table)
    for session, told in ((ANN, [MovePlayed]), (BOB, [MovePlayed, TurnStarted])):
        assert kinds(table.hear(session)) == told, "the move is told at once, to both"
    (played,) = table.match().moves
    table.play(BOB, "1")
    assert kinds(table.hear(ANN)) == [MovePlayed], "the question waits"
    assert table.match().clock.deadline_ms is None, "on nobody's clock"
    table.now_ms += 3_400
    assert table.play(ANN, "2") == Rejected(DROPPED, {"move": played.text})
    (turn,) = table.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == table.now_ms + TURN_MS
    assert own_moves(table.match(), 0) == []
    table.now_ms += TURN_MS
    assert table.play(ANN, "1") == Accepted()
    assert own_moves(table.match(), 0) == ["1"]
    assert table.match().moves[-1].think_ms == TURN_MS, "thinking began with the question"


def test_an_answer_that_comes_before_the_turn_is_dropped_and_nothing_waits(table: Table) -> None:
    be_late(table)
    assert table.play(ANN, "nonsense") == Rejected(DROPPED, {"move": table.match().moves[0].text})
    assert table.play(ANN, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": "ann"})
    table.hear(ANN)
    table.play(BOB, "1")
    assert kinds(table.hear(ANN)) == [MovePlayed, TurnStarted]


def test_the_wait_counts_from_the_move_and_ends(table: Table) -> None:
    be_late(table)
    table.now_ms += 4_000
    table.play(BOB, "1")
    table.hear(ANN)
    table.now_ms += WAIT_MS - 4_001
    assert table.time_up() == Rejected(Code.STALE)
    assert table.match().due_ms == table.now_ms + 1
    table.now_ms += 1
    assert table.time_up() == Accepted()
    (turn,) = table.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == table.now_ms + TURN_MS
    assert table.play(ANN, "1", stamp_ms=table.now_ms - 1) == Rejected(Code.TURN_NOT_BEGUN, {"player": "ann"})
    assert table.play(ANN, "1") == Accepted(), "from then on the next move counts"


def test_a_wait_that_ends_while_the_opponent_thinks_holds_nothing_up(table: Table) -> None:
    be_late(table)
    table.now_ms += WAIT_MS
    assert table.time_up() == Rejected(Code.STALE), "it is Bob's turn"
    table.play(BOB, "1")
    assert kinds(table.hear(ANN)) == [MovePlayed, MovePlayed, TurnStarted]
    assert table.match().unanswering == (0,)


def test_who_lets_a_whole_wait_pass_is_waited_for_again_after_a_move_that_counted(table: Table) -> None:
    be_late(table)
    table.play(BOB, "1")
    table.now_ms += WAIT_MS
    table.time_up()
    for _ in range(2):
        be_late(table)
        table.hear(ANN)
        table.play(BOB, "1")
        assert kinds(table.hear(ANN)) == [MovePlayed, TurnStarted], "not waited for"
    assert table.play(ANN, "1") == Accepted()
    table.play(BOB, "1")
    be_late(table)
    table.hear(ANN)
    table.play(BOB, "1")
    assert kinds(table.hear(ANN)) == [MovePlayed], "waited for again"


def test_the_pause_between_moves_is_kept_after_a_late_answer() -> None:
    table = table_of(evolve(RULES, table_move_pause_ms=1_000))
    be_late(table)
    table.now_ms += 1_000
    assert table.play(BOB, "1") == Accepted()
    pause_until_ms = table.now_ms + 1_000
    table.hear(ANN)
    table.now_ms += 300
    table.play(ANN, "1")
    (turn,) = table.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert (turn.release_ms, turn.deadline_ms) == (pause_until_ms, pause_until_ms + TURN_MS)


def test_giving_up_needs_no_answer_first(table: Table) -> None:
    be_late(table)
    table.play(BOB, "1")
    assert table.resign(ANN) == Accepted()
    assert table.lobby.matches == {}


def test_with_no_wait_the_question_is_put_at_once() -> None:
    table = table_of(evolve(RULES, late_answer_ms=0))
    be_late(table)
    table.hear(ANN)
    table.play(BOB, "1")
    assert kinds(table.hear(ANN)) == [MovePlayed, TurnStarted]
    assert table.play(ANN, "1") == Accepted()


def test_a_new_connection_owes_nothing() -> None:
    table = table_of(evolve(RULES, drop_grace_ms=60_000))
    be_late(table)
    table.play(BOB, "1")
    table.leave(ANN)
    table.now_ms += 1_000
    table.enter_by_tables(9, "ann")
    table.sit(9)
    table.ready(9)
    told = table.hear(9)
    assert [kind for kind in kinds(told) if kind in {MatchShown, TurnStarted}] == [MatchShown, TurnStarted]
    assert table.play(9, "1") == Accepted()


def test_the_opponent_s_return_does_not_start_the_clock_of_a_question_that_waits() -> None:
    table = table_of(evolve(RULES, drop_grace_ms=60_000))
    be_late(table)
    table.play(BOB, "1")
    table.leave(BOB)
    table.enter_by_tables(9, "bob")
    table.sit(9)
    table.ready(9)
    assert table.match().clock.deadline_ms is None
    assert table.play(ANN, "1") == Rejected(DROPPED, {"move": table.match().moves[0].text})
    assert table.match().clock.deadline_ms == table.now_ms + TURN_MS


def test_after_a_restart_of_the_server_nobody_owes_anything(table: Table) -> None:
    be_late(table)
    table.play(BOB, "1")
    table.start()
    for session, name in ((11, "ann"), (12, "bob")):
        table.enter_by_tables(session, name)
        table.sit(session)
        table.ready(session)
    assert TurnStarted in kinds(table.hear(11))
    assert table.play(11, "1") == Accepted()


def test_what_is_owed_survives_a_kill_and_a_snapshot(table: Table) -> None:
    be_late(table)
    table.play(BOB, "1")
    restored = read_snapshot(write_snapshot(table.lobby, 1, 1), GAMES)
    assert digest(restored) == digest(table.lobby)
    assert restored.matches[1].owed == table.match().owed != ()
    journal = RowsOnly()
    journal.append(table.rows)
    assert digest(replay(journal, GAMES).lobby) == digest(table.lobby)
    table.play(ANN, "1")
    journal = RowsOnly()
    journal.append(table.rows)
    replayed = replay(journal, GAMES)
    assert digest(replayed.lobby) == digest(table.lobby), "a dropped answer is in the journal"
    assert replayed.skipped == ()


def test_a_new_game_owes_nothing() -> None:
    table = Table(GAMES, RULES)
    match, first, second = table.opened("Best-of")
    random_move = evolve(match.policies, late=LatePolicy.RANDOM_MOVE, late_answer_ms=WAIT_MS)
    table.lobby.matches[1] = evolve(match, policies=random_move)
    be_late(table)
    assert table.match().owed
    while table.match().game_number == 1:
        seat = table.match().turn.seats[0]
        session = table.match().seats[seat].session
        assert session is not None
        table.play(session, "1")
    assert table.match().owed == ()


def test_in_a_new_game_everybody_is_waited_for_again() -> None:
    table = Table(GAMES, RULES)
    match, first, _ = table.opened("Best-of")
    table.lobby.matches[1] = evolve(match, unanswering=(0,))
    table.do(Resign(first, Scope.GAME))
    assert (table.match().game_number, table.match().unanswering) == (2, ())


def play_with(game: str) -> tuple[Table, int, int]:
    table = Table(GAMES, RULES)
    match, first, second = table.opened(game)
    random_move = evolve(match.policies, late=LatePolicy.RANDOM_MOVE, late_answer_ms=WAIT_MS, turn_time_ms=TURN_MS)
    table.lobby.matches[1] = evolve(match, policies=random_move)
    return table, first, second


def test_a_turn_of_several_steps_is_finished_at_once_and_owes_one_answer() -> None:
    table, first, second = play_with("Two steps")
    be_late(table)
    assert [move.by for move in table.match().moves] == [By.SERVER] * 2
    assert kinds(table.hear(first)) == [MovePlayed, MovePlayed]
    for _ in range(2):
        table.play(second, "1")
    assert [owed.seat for owed in table.match().owed] == [0]
    assert table.play(first, "1") == Rejected(DROPPED, {"move": table.match().moves[1].text})
    assert table.play(first, "1") == Accepted()


def test_in_a_simultaneous_game_only_the_late_one_waits() -> None:
    table, ann, bob = play_with("Together")
    assert table.play(bob, "1") == Accepted()
    be_late(table)
    assert kinds(table.hear(bob))[-1] is TurnStarted
    assert kinds(table.hear(ann))[-1] is MovePlayed
    assert table.match().clock.deadline_ms is None, "the turn's time begins when everybody has been asked"
    assert table.play(bob, "1") == Accepted()
    table.hear(ann)
    assert isinstance(table.play(ann, "2"), Rejected)
    assert kinds(table.hear(ann)) == [TurnStarted]
    assert table.match().clock.deadline_ms == table.now_ms + TURN_MS
    assert table.play(ann, "1") == Accepted()


def test_an_old_journal_has_the_pause_of_a_second() -> None:
    table = table_of(evolve(RULES, late_answer_ms=None))
    be_late(table)
    table.hear(ANN)
    table.play(BOB, "1")
    _, turn = table.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.release_ms == table.now_ms + 1_000
    assert table.match().owed == ()


def test_a_game_of_two_who_never_answer_comes_to_its_end() -> None:
    table = table_of(evolve(RULES, table_game="Heap"))
    for _ in range(20):
        if table.lobby.matches:
            be_late(table)
    assert table.lobby.matches == {}
    assert GameEnded in kinds(table.hear(ANN))
