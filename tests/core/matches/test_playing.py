"""What happens in a match: moves, illegal ones, lateness, drops, returns, faults."""

import itertools

import pytest
from attrs import evolve

from gameserver.core.matches import playing, reconnect
from gameserver.core.messages.commands import HOUSE_SESSION, Play, Ready, Resign, TimeUp, Void
from gameserver.core.messages.events import Accepted, EndReason, GameEnded, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import At
from gameserver.core.state.match import MatchPhase
from gameserver.policies import Rules
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import LobbyHarness

GRACE = Rules(first_move_pause_ms=0, drop_grace_ms=30_000)


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown(), Dice()))


def ended(events: list[object]) -> GameEnded:
    (end,) = [event for event in events if isinstance(event, GameEnded)]
    return end


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


def test_a_match_that_everybody_left_is_void() -> None:
    harness = LobbyHarness(catalogue(Countdown()), GRACE)
    _, first, second = harness.opened()
    harness.leave(first)
    harness.leave(second)
    harness.now_ms += 30_000
    harness.time_up()
    assert harness.records[0].reason == "void"


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
