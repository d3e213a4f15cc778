"""What happens in a match: moves, illegal ones, lateness, drops, returns, faults."""

import itertools

import pytest
from attrs import evolve

from gameserver.core.matches import playing, reconnect
from gameserver.core.messages.commands import HOUSE_SESSION, Play, Ready, Resign, TimeUp, Void
from gameserver.core.messages.events import (
    Accepted,
    By,
    EndReason,
    GameEnded,
    MatchEnded,
    MatchShown,
    MovePlayed,
    MoveRefused,
    Rejected,
    SeatDropped,
    SeatReturned,
    TurnStarted,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import At
from gameserver.core.state.match import MatchPhase, TurnClock
from gameserver.policies import IllegalPolicy, LatePolicy, Rules
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import Table

GRACE = Rules(first_move_pause_ms=0, drop_grace_ms=30_000)


@pytest.fixture
def table() -> Table:
    return Table(catalogue(Countdown(), Dice()))


def ended(events: list[object]) -> GameEnded:
    (end,) = [event for event in events if isinstance(event, GameEnded)]
    return end


def test_a_move_is_told_to_both_and_passes_the_turn(table: Table) -> None:
    match, first, second = table.opened()
    table.now_ms += 700
    assert table.play(first, "2") == Accepted()
    move = MovePlayed(1, 0, match.players[0], "2", 2, "3 remain")
    assert table.hear(first) == [move]
    assert table.hear(second) == [move, TurnStarted(1, 1, (1,), "3 left", table.now_ms + 10_000)]
    assert table.match().moves[0].think_ms == 700


def test_the_last_move_ends_the_match_and_is_recorded(table: Table) -> None:
    match, first, second = table.opened()
    for session, move in ((first, "2"), (second, "2"), (first, "1")):
        table.hear(session)
        table.play(session, move)
    events = table.hear(second)
    assert events[-2:] == [
        GameEnded(1, (1, -1), (0,), EndReason.PLAYED, None, "last one taken"),
        MatchEnded(1, EndReason.PLAYED, (1, -1), (0,)),
    ]
    assert table.lobby.matches == {}
    assert table.lobby.seated == {}
    (record,) = table.records
    assert [seat.result for seat in record.seats] == ["win", "loss"]
    assert [move.move for move in record.moves] == ["2", "2", "1"]
    assert record.seats[0].player == match.players[0]


def test_out_of_turn_is_refused_and_costs_nothing(table: Table) -> None:
    match, _, second = table.opened()
    assert table.play(second, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": match.players[1]})
    assert table.match() == match


def test_an_illegal_move_costs_the_match(table: Table) -> None:
    match, first, second = table.opened()
    assert table.play(first, "7") == Accepted()
    events = table.hear(second)
    assert events[0] == MoveRefused(1, 0, match.players[0], "7", "take 1 or 2")
    assert ended(events) == GameEnded(1, (-1, 1), (1,), EndReason.ILLEGAL, 0)
    assert table.records[0].why == "'7': take 1 or 2"


def test_an_illegal_move_costs_nothing_where_the_policy_says_so(table: Table) -> None:
    match, first, second = table.opened()
    table.lobby.matches[1] = match = evolve(match, policies=evolve(match.policies, illegal=IllegalPolicy.REFUSAL))
    rows = len(table.rows)
    assert table.play(first, "7") == Rejected(Code.ILLEGAL_MOVE, {"move": "7", "why": "take 1 or 2"})
    assert table.hear(first) == [TurnStarted(1, 0, (0,), "5 left", match.clock.deadline_ms)]
    assert table.hear(second) == []
    assert table.match() == match
    assert len(table.rows) == rows


def test_draws_follow_the_move_and_come_again_from_the_seed() -> None:
    def played() -> list[str]:
        table = Table(catalogue(Dice()))
        _, first, second = table.opened("Dice")
        for session in itertools.islice(itertools.cycle((first, second)), 20):
            if not table.lobby.matches:
                break
            table.play(session, "roll")
        return [move.move for move in table.records[0].moves]

    moves = played()
    assert moves[::2] == ["roll"] * (len(moves) // 2)
    assert {int(die) for die in moves[1::2]} <= set(range(1, 7))
    assert moves == played()


def test_late_is_after_deadline_and_margin(table: Table) -> None:
    match, first, second = table.opened()
    assert match.clock == TurnClock(deadline_ms=table.now_ms + 10_000, from_ms=table.now_ms)
    table.now_ms += 10_249
    assert table.time_up() == Rejected(Code.STALE)
    table.now_ms += 1
    assert table.time_up() == Accepted()
    assert ended(table.hear(first)) == GameEnded(1, (-1, 1), (1,), EndReason.LATE, 0)
    assert table.play(first, "1") == Rejected(Code.NOT_IN_MATCH)


def test_a_move_read_in_time_counts_however_late_it_is_decided(table: Table) -> None:
    _, first, _ = table.opened()
    in_time_ms = table.now_ms + 10_250
    table.now_ms += 60_000
    assert table.play(first, "1", stamp_ms=in_time_ms) == Accepted()
    assert table.match().moves[0].text == "1"


def test_a_move_read_late_proves_the_time_out(table: Table) -> None:
    _, first, second = table.opened()
    table.now_ms += 10_251
    assert table.play(first, "1") == Rejected(Code.NOT_IN_MATCH)
    assert ended(table.hear(second)).reason is EndReason.LATE


def test_the_other_players_late_chatter_proves_nothing(table: Table) -> None:
    _, first, second = table.opened()
    in_time_ms = table.now_ms + 5_000
    table.now_ms += 20_000
    assert table.play(second, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": table.match().players[1]})
    assert table.play(first, "1", stamp_ms=in_time_ms) == Accepted()


def test_a_roll_is_answered_with_what_the_dice_showed() -> None:
    table = Table(catalogue(Dice()))
    match, first, second = table.opened("Dice")
    table.play(first, "roll")
    roll, draw = (event for event in table.hear(second) if isinstance(event, MovePlayed))
    assert roll.details == f"rolled {draw.text}"


def test_late_costs_only_the_choice_where_the_policy_says_so(table: Table) -> None:
    match, first, second = table.opened()
    table.lobby.matches[1] = evolve(match, policies=evolve(match.policies, late=LatePolicy.RANDOM_MOVE))
    table.now_ms += 10_250
    table.time_up()
    move, turn = table.hear(second)
    assert isinstance(move, MovePlayed)
    assert move.by is By.SERVER
    assert move.text in {"1", "2"}
    assert isinstance(turn, TurnStarted)
    assert table.time_up() == Rejected(Code.STALE)


def test_what_was_meant_for_one_match_does_not_count_in_the_next(table: Table) -> None:
    _, first, second = table.opened()
    table.enter(3, "cyd")
    for session in (first, 3):
        table.seek(session, "Countdown")
    table.leave(second)
    match = table.match(2)
    mover = match.seats[0].session
    assert mover is not None
    for late in (Play(mover, "1", 1), Play(mover, "1", 0), Resign(mover, match=1)):
        assert table.do(late) == Rejected(Code.NOT_IN_MATCH)
    assert table.match(2) == match
    assert table.do(Play(mover, "1", 2)) == Accepted()


def test_resigning_works_out_of_turn(table: Table) -> None:
    match, _, second = table.opened()
    assert table.resign(second) == Accepted()
    assert table.records[0].reason == "resigned"
    assert table.records[0].seats[0].result == "win"
    assert match.players[1] == table.records[0].seats[1].player


def test_resigning_without_a_match(table: Table) -> None:
    assert table.resign(1) == Rejected(Code.NOT_IN_MATCH)
    table.enter(1, "ann")
    assert table.resign(1) == Rejected(Code.NOT_IN_MATCH)


def test_a_drop_costs_the_match_at_once(table: Table) -> None:
    _, first, second = table.opened()
    table.leave(first)
    assert ended(table.hear(second)).reason is EndReason.DROPPED
    assert table.hear(first) == []


def test_the_first_move_is_held_back_and_charged_to_nobody() -> None:
    table = Table(catalogue(Countdown()), Rules(first_move_pause_ms=100))
    match, first, second = table.opened()
    opened_ms = table.now_ms
    table.now_ms += 30
    table.play(first, "1")
    move, turn = table.hear(second)
    assert isinstance(move, MovePlayed)
    assert move.release_ms == opened_ms + 100
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == opened_ms + 100 + 10_000
    table.now_ms = opened_ms + 130
    table.play(second, "1")
    assert [event.release_ms for event in table.hear(first) if isinstance(event, MovePlayed)] == [opened_ms + 100, 0]


def test_a_grace_budget_keeps_the_seat_and_stops_the_clock() -> None:
    table = Table(catalogue(Countdown()), GRACE)
    match, first, second = table.opened()
    table.now_ms += 4_000
    table.leave(first)
    assert table.hear(second) == [SeatDropped(1, 0, match.players[0], table.now_ms + 30_000)]
    assert table.match().clock == TurnClock(left_ms=6_000)
    table.now_ms += 20_000
    assert table.enter(7, match.players[0]) == Accepted()
    shown, turn = table.hear(7)
    assert isinstance(shown, MatchShown)
    assert turn == TurnStarted(1, 0, (0,), "5 left", table.now_ms + 6_000)
    assert table.hear(second) == [SeatReturned(1, 0, match.players[0])]
    assert table.match().seats[0].grace_left_ms == 10_000
    table.leave(7)
    table.now_ms += 10_000
    table.time_up()
    assert ended(table.hear(second)).reason is EndReason.DROPPED


def test_a_match_that_everybody_left_is_void() -> None:
    table = Table(catalogue(Countdown()), GRACE)
    _, first, second = table.opened()
    table.leave(first)
    table.leave(second)
    table.now_ms += 30_000
    table.time_up()
    assert table.records[0].reason == "void"


def test_a_returning_player_is_shown_every_move(table: Table) -> None:
    table = Table(catalogue(Dice()), GRACE)
    match, first, second = table.opened("Dice")
    table.play(first, "roll")
    told = table.hear(first)[:2]
    table.leave(first)
    table.enter(9, match.players[0])
    shown = table.hear(9)[0]
    assert isinstance(shown, MatchShown)
    assert list(shown.moves) == told
    assert (shown.players, shown.seat, shown.first) == (match.players, 0, 0)


def test_nobody_else_takes_the_seat() -> None:
    table = Table(catalogue(Countdown()), GRACE)
    match, first, second = table.opened()
    name = match.players[0]
    assert table.enter(5, name) == Rejected(Code.NAME_TAKEN, {"name": name})
    table.leave(first)
    assert table.enter(5, name, "10.6.6.6") == Rejected(Code.NAME_HELD, {"name": name})
    assert table.enter(5, name) == Accepted()


def test_the_house_is_on_no_clock(table: Table) -> None:
    table.enter(1, "ann")
    for _ in range(8):
        table.challenge(1, "house-random", "Countdown")
        (match,) = table.lobby.matches.values()
        house_begins = match.seats[0].is_house
        assert (match.clock.deadline_ms is None) == house_begins
        if house_begins:
            move = Play(HOUSE_SESSION, "1", match.id, 0, 0)
            assert table.do(evolve(move, turn=3)) == Rejected(Code.STALE)
            assert table.do(move) == Accepted()
            assert table.do(move) == Rejected(Code.STALE)
        table.resign(1)


def test_no_client_moves_for_the_house(table: Table) -> None:
    table.enter(1, "ann")
    table.enter(2, "bob")
    table.challenge(1, "house-random", "Countdown")
    assert table.do(Play(2, "1", 1, 0)) == Rejected(Code.NOT_IN_MATCH)


@pytest.mark.parametrize("at", ["play", "prompt", "outcome", "half points", "huge points", "no reason"])
def test_a_game_that_fails_is_void_and_nobody_loses(at: str) -> None:
    table = Table(catalogue(Broken(at), Countdown()))
    _, first, second = table.opened(f"Broken-{at}")
    answer = Accepted()
    for session in itertools.cycle((first, second)):
        answer = table.play(session, "2" if table.match().state.heap > 1 else "1")
        if answer != Accepted():
            break
    assert isinstance(answer, Rejected)
    assert answer.code is Code.SERVER_FAULT
    for session in (first, second):
        end = ended(table.hear(session))
        assert (end.reason, end.winners, end.points) == (EndReason.VOID, (), (0, 0))
    assert table.records[0].reason == "void"
    assert table.seek(first, "Countdown") == Accepted()


@pytest.mark.parametrize("at", ["resigned", "resigned illegally"])
@pytest.mark.parametrize("how", ["leave", "time", "resign"])
def test_a_game_that_cannot_judge_a_forfeit_is_void(how: str, at: str) -> None:
    table = Table(catalogue(Broken(at)))
    _, first, second = table.opened(f"Broken-{at}")
    if how == "leave":
        assert table.leave(first) == Accepted()
        assert "ann" not in table.lobby.players or "bob" not in table.lobby.players
    elif how == "time":
        table.now_ms += 20_000
        table.time_up()
    else:
        table.resign(first)
    assert ended(table.hear(second)).reason is EndReason.VOID


def test_every_pair_of_phase_and_command_is_judged(table: Table) -> None:
    """Whatever comes in whatever phase: a legal answer, and no change where it is refused."""
    match, first, second = table.opened()
    commands = [
        Play(first, "1"),
        Ready(first),
        Resign(first),
        reconnect.SeatDrop(0),
        reconnect.SeatReconnect(0, 9, "10.0.0.1", "strategic"),
        TimeUp(1),
        Void(1, "test"),
    ]
    assert set(playing.TRANSITIONS) == set(MatchPhase)
    for phase, command in itertools.product(MatchPhase, commands):
        draft = Draft(table.lobby, At(table.now_ms, table.now_ms))
        answer = playing.act(draft, evolve(match, phase=phase), 0, command)
        if type(command) in playing.TRANSITIONS[phase]:
            refused = {TimeUp(1): Code.STALE} | (
                {Play(first, "1"): Code.NOT_STARTED} if phase is MatchPhase.READYING else {}
            )
            assert answer == (Rejected(refused[command]) if command in refused else Accepted())
        else:
            assert answer == Rejected(Code.NOT_IN_MATCH)
            assert draft.changes() == ()
