"""Matches of several games, and players who have to say that they are ready for each."""

import attrs
import pytest

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Enter, Ready, Resign, Scope
from gameserver.core.messages.events import (
    Accepted,
    EndReason,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    Rejected,
    SeatReady,
    SeatReturned,
    TurnStarted,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.state.match import MatchPhase
from gameserver.game import NoOptions
from gameserver.policies import Rules
from tests.support.games import BestOf, BestOfOptions, Countdown, catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Countdown(), BestOf())
RULES = Rules(first_move_pause_ms=0)


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, RULES)


def enter(harness: LobbyHarness, session: int, name: str) -> None:
    """Enter by a protocol whose clients say when they are ready."""
    harness.do(Enter(session, name, "hub", "10.0.0.1", (Capability.CHALLENGE, Capability.READY)))


def paired(harness: LobbyHarness) -> tuple[int, int]:
    """Ann and bob have a match of three games, which waits for both. The sessions of seat 0 and seat 1."""
    for session, name in ((1, "ann"), (2, "bob")):
        enter(harness, session, name)
        harness.seek(session, "Best-of")
    return (1, 2) if harness.match().players[0] == "ann" else (2, 1)


def win_for_first(harness: LobbyHarness, *sessions: int) -> None:
    """Play a game of Countdown that seat 0 wins."""
    one, two = sessions
    for session, move in ((one, "2"), (two, "1"), (one, "2")):
        assert harness.play(session, move) == Accepted()


def play_games(harness: LobbyHarness, count: int, *sessions: int) -> None:
    """Play so many games."""
    for _ in range(count):
        for session in sessions:
            harness.do(Ready(session))
        win_for_first(harness, *sessions)


def test_a_match_waits_until_both_are_ready(harness: LobbyHarness) -> None:
    one, two = paired(harness)
    assert harness.hear(one) == [
        MatchPaired(1, "Best-of", BestOfOptions(), harness.match().players, 0, 10_000, ("", ""), 11_000)
    ]
    assert harness.play(one, "1") == Rejected(Code.NOT_STARTED)
    assert harness.do(Ready(two)) == Accepted()
    assert harness.hear(one) == [SeatReady(1, 1)]
    assert harness.do(Ready(two)) == Rejected(Code.READY_ALREADY, {"room": ""})
    harness.hear(two)
    harness.do(Ready(one))
    ready, opened, turn = harness.hear(one)
    assert ready == SeatReady(1, 0)
    assert opened == MatchOpened(1, "Countdown", harness.match().players, 0, 0, 10_000, options=NoOptions())
    assert isinstance(turn, TurnStarted)


def test_games_follow_each_other_and_the_points_add_up(harness: LobbyHarness) -> None:
    one, two = paired(harness)
    for number in (1, 2, 3):
        for session in (one, two):
            assert harness.do(Ready(session)) == Accepted()
        harness.heard.clear()
        win_for_first(harness, one, two)
        events = harness.hear(two)
        ended = GameEnded(1, (1, -1), (0,), EndReason.PLAYED, reason_text="last one taken", number=number)
        assert attrs.evolve(ended, ready_by_ms=11_000 if number < 3 else None) in events
        if number < 3:
            assert harness.match().phase is MatchPhase.READYING
            assert not any(isinstance(event, MatchEnded) for event in events)
    assert events[-1] == MatchEnded(1, EndReason.PLAYED, (3, -3), (0,))
    assert harness.lobby.matches == {}
    (record,) = harness.records
    assert (record.game, record.options) == ("Best-of", '{"games":3}')
    assert [move.game for move in record.moves] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert [move.number for move in record.moves] == list(range(1, 10))
    assert [seat.points for seat in record.seats] == [3, -3]


@pytest.mark.parametrize("before", [0, 1])
def test_player_who_is_not_ready_in_time_forfeits_the_match(harness: LobbyHarness, before: int) -> None:
    one, two = paired(harness)
    play_games(harness, before, one, two)
    harness.do(Ready(one))
    harness.heard.clear()
    harness.now_ms += 10_249
    assert harness.time_up() == Rejected(Code.STALE)
    harness.now_ms += 1
    assert harness.time_up() == Accepted()
    assert harness.hear(one) == [MatchEnded(1, EndReason.LATE, (9, -9), (0,), 1)]


def test_a_match_for_which_nobody_is_ready_has_no_loser(harness: LobbyHarness) -> None:
    paired(harness)
    harness.now_ms += 10_250
    harness.time_up()
    assert [record.reason for record in harness.records] == [EndReason.VOID]


def test_a_game_is_given_up_and_the_match_goes_on(harness: LobbyHarness) -> None:
    one, two = paired(harness)
    assert harness.do(Resign(one, Scope.GAME)) == Rejected(Code.NOT_STARTED)
    for session in (one, two):
        harness.do(Ready(session))
    harness.heard.clear()
    assert harness.do(Resign(one, Scope.GAME)) == Accepted()
    assert harness.hear(two) == [GameEnded(1, (-1, 1), (1,), EndReason.RESIGNED, 0, ready_by_ms=11_000)]
    assert harness.match().game_number == 2
    assert harness.do(Resign(one, Scope.MATCH)) == Accepted()
    assert harness.hear(two) == [MatchEnded(1, EndReason.RESIGNED, (-9, 9), (1,), 0)]


@pytest.mark.parametrize("stage", ["before", "playing", "between"])
def test_it_goes_on_after_a_restart(harness: LobbyHarness, stage: str) -> None:
    one, two = paired(harness)
    if stage != "before":
        for session in (one, two):
            harness.do(Ready(session))
        harness.play(one, "2")
    if stage == "between":
        harness.play(two, "1")
        harness.play(one, "2")
    names = {one: harness.match().players[0], two: harness.match().players[1]}
    harness.start()
    harness.heard.clear()
    for session, name in names.items():
        enter(harness, session, name)
    shown, *_ = (event for event in harness.hear(one) if not isinstance(event, SeatReturned))
    assert isinstance(shown, MatchShown)
    assert (shown.whole, shown.whole_options) == ("Best-of", BestOfOptions())
    assert shown.number == (2 if stage == "between" else 1)
    assert [ended.points for ended in shown.played] == ([(1, -1)] if stage == "between" else [])
    assert (shown.ready is None) is (stage == "playing")
    if stage == "playing":
        assert harness.play(two, "1") == Accepted()
    else:
        for session in (one, two):
            assert harness.do(Ready(session)) == Accepted()
        assert harness.match().phase is MatchPhase.PLAYING


@pytest.mark.parametrize("steps", range(12))
def test_snapshot_and_replay_tell_the_same(harness: LobbyHarness, steps: int) -> None:
    one, two = paired(harness)
    moves = [(one, None), (two, None), (one, "2"), (two, "1"), (one, "2")] * 3
    for session, move in moves[:steps]:
        harness.do(Ready(session)) if move is None else harness.play(session, move)
    harness.check_restored()


@pytest.mark.parametrize("before", [0, 1])
def test_a_restart_costs_nobody_the_time_for_being_ready(harness: LobbyHarness, before: int) -> None:
    one, two = paired(harness)
    play_games(harness, before, one, two)
    names = {one: harness.match().players[0], two: harness.match().players[1]}
    harness.do(Ready(one))
    harness.now_ms += 9_000
    harness.start()
    harness.now_ms += 50_000
    assert harness.time_up() == Rejected(Code.STALE), "who is not back yet has not been idle"
    harness.heard.clear()
    for session, name in names.items():
        enter(harness, session, name)
    assert harness.match().clock.deadline_ms == harness.now_ms + 1_000, "what was left of the time is left"
    (shown,) = (event for event in harness.hear(two) if isinstance(event, MatchShown))
    (returned,) = (event for event in harness.hear(one) if isinstance(event, SeatReturned))
    assert shown.ready_by_ms == returned.ready_by_ms == harness.now_ms + 1_000, "and both are told of it"
    assert harness.do(Ready(two)) == Accepted()
    assert harness.match().phase is MatchPhase.PLAYING
