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
from tests.support.lobbies import LobbyHarness

GRACE = Rules(first_move_pause_ms=0, drop_grace_ms=30_000)


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown(), Dice()))


def ended(events: list[object]) -> GameEnded:
    (end,) = [event for event in events if isinstance(event, GameEnded)]
    return end


def test_a_move_is_told_to_both_and_passes_the_turn(harness: LobbyHarness) -> None:
    match, first, second = harness.opened()
    harness.now_ms += 700
    assert harness.play(first, "2") == Accepted()
    move = MovePlayed(1, 0, match.players[0], "2", 2, "3 remain", details_words="3 remain")
    assert harness.hear(first) == [move]
    assert harness.hear(second) == [move, TurnStarted(1, 1, (1,), "3 left", harness.now_ms + 10_000)]
    assert harness.match().moves[0].think_ms == 700


def test_the_last_move_ends_the_match_and_is_recorded(harness: LobbyHarness) -> None:
    match, first, second = harness.opened()
    for session, move in ((first, "2"), (second, "2"), (first, "1")):
        harness.hear(session)
        harness.play(session, move)
    events = harness.hear(second)
    assert events[-2:] == [
        GameEnded(1, (1, -1), (0,), EndReason.PLAYED, None, "last one taken"),
        MatchEnded(1, EndReason.PLAYED, (1, -1), (0,)),
    ]
    assert harness.lobby.matches == {}
    assert harness.lobby.seated == {}
    (record,) = harness.records
    assert [seat.result for seat in record.seats] == ["win", "loss"]
    assert [move.move for move in record.moves] == ["2", "2", "1"]
    assert record.seats[0].player == match.players[0]


def test_out_of_turn_is_refused_and_costs_nothing(harness: LobbyHarness) -> None:
    match, _, second = harness.opened()
    assert harness.play(second, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": match.players[1]})
    assert harness.match() == match


def test_an_illegal_move_costs_the_match(harness: LobbyHarness) -> None:
    match, first, second = harness.opened()
    assert harness.play(first, "7") == Accepted()
    events = harness.hear(second)
    assert events[0] == MoveRefused(1, 0, match.players[0], "7", "take 1 or 2")
    assert ended(events) == GameEnded(1, (-1, 1), (1,), EndReason.ILLEGAL, 0)
    assert harness.records[0].why == "'7': take 1 or 2"


def test_an_illegal_move_costs_nothing_where_the_policy_says_so(harness: LobbyHarness) -> None:
    match, first, second = harness.opened()
    harness.lobby.matches[1] = match = evolve(match, policies=evolve(match.policies, illegal=IllegalPolicy.REFUSAL))
    rows = len(harness.rows)
    assert harness.play(first, "7") == Rejected(Code.ILLEGAL_MOVE, {"move": "7", "why": "take 1 or 2"})
    assert harness.hear(first) == [TurnStarted(1, 0, (0,), "5 left", match.clock.deadline_ms)]
    assert harness.hear(second) == []
    assert harness.match() == match
    assert len(harness.rows) == rows


def test_draws_follow_the_move_and_come_again_from_the_seed() -> None:
    def played() -> list[str]:
        harness = LobbyHarness(catalogue(Dice()))
        _, first, second = harness.opened("Dice")
        for session in itertools.islice(itertools.cycle((first, second)), 20):
            if not harness.lobby.matches:
                break
            harness.play(session, "roll")
        return [move.move for move in harness.records[0].moves]

    moves = played()
    assert moves[::2] == ["roll"] * (len(moves) // 2)
    assert {int(die) for die in moves[1::2]} <= set(range(1, 7))
    assert moves == played()


def test_late_is_after_deadline_and_margin(harness: LobbyHarness) -> None:
    match, first, second = harness.opened()
    assert match.clock == TurnClock(deadline_ms=harness.now_ms + 10_000, from_ms=harness.now_ms)
    harness.now_ms += 10_249
    assert harness.time_up() == Rejected(Code.STALE)
    harness.now_ms += 1
    assert harness.time_up() == Accepted()
    assert ended(harness.hear(first)) == GameEnded(1, (-1, 1), (1,), EndReason.LATE, 0)
    assert harness.play(first, "1") == Rejected(Code.NOT_IN_MATCH)


def test_a_move_read_in_time_counts_however_late_it_is_decided(harness: LobbyHarness) -> None:
    _, first, _ = harness.opened()
    in_time_ms = harness.now_ms + 10_250
    harness.now_ms += 60_000
    assert harness.play(first, "1", stamp_ms=in_time_ms) == Accepted()
    assert harness.match().moves[0].text == "1"


def test_a_move_read_late_proves_the_time_out(harness: LobbyHarness) -> None:
    _, first, second = harness.opened()
    harness.now_ms += 10_251
    assert harness.play(first, "1") == Rejected(Code.NOT_IN_MATCH)
    assert ended(harness.hear(second)).reason is EndReason.LATE


def test_the_other_players_late_chatter_proves_nothing(harness: LobbyHarness) -> None:
    _, first, second = harness.opened()
    in_time_ms = harness.now_ms + 5_000
    harness.now_ms += 20_000
    assert harness.play(second, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": harness.match().players[1]})
    assert harness.play(first, "1", stamp_ms=in_time_ms) == Accepted()


def test_a_roll_is_answered_with_what_the_dice_showed() -> None:
    harness = LobbyHarness(catalogue(Dice()))
    match, first, second = harness.opened("Dice")
    harness.play(first, "roll")
    roll, draw = (event for event in harness.hear(second) if isinstance(event, MovePlayed))
    assert roll.details == f"rolled {draw.text}"


def test_late_costs_only_the_choice_where_the_policy_says_so(harness: LobbyHarness) -> None:
    match, first, second = harness.opened()
    harness.lobby.matches[1] = evolve(match, policies=evolve(match.policies, late=LatePolicy.RANDOM_MOVE))
    harness.now_ms += 10_250
    harness.time_up()
    move, turn = harness.hear(second)
    assert isinstance(move, MovePlayed)
    assert move.by is By.SERVER
    assert move.text in {"1", "2"}
    assert isinstance(turn, TurnStarted)
    assert harness.time_up() == Rejected(Code.STALE)


def test_command_meant_for_one_match_does_not_count_in_the_next(harness: LobbyHarness) -> None:
    _, first, second = harness.opened()
    harness.enter(3, "cyd")
    for session in (first, 3):
        harness.seek(session, "Countdown")
    harness.leave(second)
    match = harness.match(2)
    mover = match.seats[0].session
    assert mover is not None
    for late in (Play(mover, "1", 1), Play(mover, "1", 0), Resign(mover, match=1)):
        assert harness.do(late) == Rejected(Code.NOT_IN_MATCH)
    assert harness.match(2) == match
    assert harness.do(Play(mover, "1", 2)) == Accepted()


def test_resigning_without_a_match(harness: LobbyHarness) -> None:
    assert harness.resign(1) == Rejected(Code.NOT_IN_MATCH)
    harness.enter(1, "ann")
    assert harness.resign(1) == Rejected(Code.NOT_IN_MATCH)


def test_the_first_move_is_held_back_and_charged_to_nobody() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=100))
    match, first, second = harness.opened()
    opened_ms = harness.now_ms
    harness.now_ms += 30
    harness.play(first, "1")
    move, turn = harness.hear(second)
    assert isinstance(move, MovePlayed)
    assert move.release_ms == opened_ms + 100
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == opened_ms + 100 + 10_000
    harness.now_ms = opened_ms + 130
    harness.play(second, "1")
    assert [event.release_ms for event in harness.hear(first) if isinstance(event, MovePlayed)] == [opened_ms + 100, 0]


def test_a_grace_budget_keeps_the_seat_and_stops_the_clock() -> None:
    harness = LobbyHarness(catalogue(Countdown()), GRACE)
    match, first, second = harness.opened()
    harness.now_ms += 4_000
    harness.leave(first)
    assert harness.hear(second) == [SeatDropped(1, 0, match.players[0], harness.now_ms + 30_000)]
    assert harness.match().clock == TurnClock(left_ms=6_000)
    harness.now_ms += 20_000
    assert harness.enter(7, match.players[0]) == Accepted()
    shown, turn = harness.hear(7)
    assert isinstance(shown, MatchShown)
    assert turn == TurnStarted(1, 0, (0,), "5 left", harness.now_ms + 6_000)
    assert harness.hear(second) == [SeatReturned(1, 0, match.players[0])]
    assert harness.match().seats[0].grace_left_ms == 10_000
    harness.leave(7)
    harness.now_ms += 10_000
    harness.time_up()
    assert ended(harness.hear(second)).reason is EndReason.DROPPED


def test_a_match_that_everybody_left_is_void() -> None:
    harness = LobbyHarness(catalogue(Countdown()), GRACE)
    _, first, second = harness.opened()
    harness.leave(first)
    harness.leave(second)
    harness.now_ms += 30_000
    harness.time_up()
    assert harness.records[0].reason == "void"


def test_a_returning_player_is_shown_every_move(harness: LobbyHarness) -> None:
    harness = LobbyHarness(catalogue(Dice()), GRACE)
    match, first, second = harness.opened("Dice")
    harness.play(first, "roll")
    told = harness.hear(first)[:2]
    harness.leave(first)
    harness.enter(9, match.players[0])
    shown = harness.hear(9)[0]
    assert isinstance(shown, MatchShown)
    assert list(shown.moves) == told
    assert (shown.players, shown.seat, shown.first) == (match.players, 0, 0)


def test_nobody_else_takes_the_seat() -> None:
    harness = LobbyHarness(catalogue(Countdown()), GRACE)
    match, first, second = harness.opened()
    name = match.players[0]
    assert harness.enter(5, name) == Rejected(Code.NAME_TAKEN, {"name": name})
    harness.leave(first)
    assert harness.enter(5, name, "10.6.6.6") == Rejected(Code.NAME_HELD, {"name": name})
    assert harness.enter(5, name) == Accepted()


def test_the_house_is_on_no_clock(harness: LobbyHarness) -> None:
    harness.enter(1, "ann")
    for _ in range(8):
        harness.challenge(1, "house-random", "Countdown")
        (match,) = harness.lobby.matches.values()
        house_begins = match.seats[0].is_house
        assert (match.clock.deadline_ms is None) == house_begins
        if house_begins:
            move = Play(HOUSE_SESSION, "1", match.id, 0, 0)
            assert harness.do(evolve(move, turn=3)) == Rejected(Code.STALE)
            assert harness.do(move) == Accepted()
            assert harness.do(move) == Rejected(Code.STALE)
        harness.resign(1)


def test_no_client_moves_for_the_house(harness: LobbyHarness) -> None:
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    harness.challenge(1, "house-random", "Countdown")
    assert harness.do(Play(2, "1", 1, 0)) == Rejected(Code.NOT_IN_MATCH)


@pytest.mark.parametrize("at", ["play", "prompt", "outcome", "half points", "huge points", "no reason"])
def test_a_game_that_fails_is_void_and_nobody_loses(at: str) -> None:
    harness = LobbyHarness(catalogue(Broken(at), Countdown()))
    _, first, second = harness.opened(f"Broken-{at}")
    answer = Accepted()
    for session in itertools.cycle((first, second)):
        answer = harness.play(session, "2" if harness.match().state.heap > 1 else "1")
        if answer != Accepted():
            break
    assert isinstance(answer, Rejected)
    assert answer.code is Code.SERVER_FAULT
    for session in (first, second):
        end = ended(harness.hear(session))
        assert (end.reason, end.winners, end.points) == (EndReason.VOID, (), (0, 0))
    assert harness.records[0].reason == "void"
    assert harness.seek(first, "Countdown") == Accepted()


@pytest.mark.parametrize("at", ["resigned", "resigned illegally"])
@pytest.mark.parametrize("how", ["leave", "time", "resign"])
def test_a_game_that_cannot_judge_a_forfeit_is_void(how: str, at: str) -> None:
    harness = LobbyHarness(catalogue(Broken(at)))
    _, first, second = harness.opened(f"Broken-{at}")
    if how == "leave":
        assert harness.leave(first) == Accepted()
        assert "ann" not in harness.lobby.players or "bob" not in harness.lobby.players
    elif how == "time":
        harness.now_ms += 20_000
        harness.time_up()
    else:
        harness.resign(first)
    assert ended(harness.hear(second)).reason is EndReason.VOID


def test_every_pair_of_phase_and_command_is_judged(harness: LobbyHarness) -> None:
    """Whatever comes in whatever phase: a legal answer, and no change where it is refused."""
    match, first, second = harness.opened()
    commands = [
        Play(first, "1"),
        Ready(first),
        Resign(first),
        reconnect.SeatDrop(0),
        reconnect.SeatReconnect(0, 9, "10.0.0.1", "strategic", says_ready=False),
        TimeUp(1),
        Void(1, "test"),
    ]
    assert set(playing.TRANSITIONS) == set(MatchPhase)
    for phase, command in itertools.product(MatchPhase, commands):
        draft = Draft(harness.lobby, At(harness.now_ms, harness.now_ms))
        answer = playing.act(draft, evolve(match, phase=phase), 0, command)
        if type(command) in playing.TRANSITIONS[phase]:
            refused = {TimeUp(1): Code.STALE} | (
                {Play(first, "1"): Code.NOT_STARTED} if phase is MatchPhase.READYING else {}
            )
            assert answer == (Rejected(refused[command]) if command in refused else Accepted())
        else:
            assert answer == Rejected(Code.NOT_IN_MATCH)
            assert draft.changes() == ()
