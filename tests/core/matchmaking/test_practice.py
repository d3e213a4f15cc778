"""Practice with the house, and players without a name: no clock, nothing to lose, and nothing left but the record."""

from typing import Any

import pytest

from games.mastermind import GAME as MASTERMIND
from gameserver.core.messages.commands import HOUSE_SESSION, Accept, Challenge, Enter, ListPlayers, Play
from gameserver.core.messages.events import (
    Accepted,
    EndReason,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MovePlayed,
    PlayersListed,
    Rejected,
    TurnStarted,
)
from gameserver.core.messages.rejections import Code
from gameserver.policies import Rules
from tests.support.games import Broken, Countdown, Heap, HeapOptions, catalogue
from tests.support.lobbies import LobbyHarness

DAY_MS = 24 * 3600 * 1000
GAMES = catalogue(Countdown(), Heap(), MASTERMIND, Broken("start"), Broken("play"))
SMALL = {"code_length": 2, "value_count": 3, "max_turns": 2, "secret_is_drawn": True}


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, Rules(first_move_pause_ms=0, turn_time_ms=1_000, drop_grace_ms=5_000))


@pytest.fixture
def practising(harness: LobbyHarness) -> LobbyHarness:
    """Session 1 practises a code of two values, and has heard of it."""
    harness.enter_anonymously(1)
    assert harness.practise(1, "Mastermind", **SMALL) == Accepted()
    harness.heard.clear()
    return harness


def secret_of(harness: LobbyHarness, match: int = 1) -> str:
    return MASTERMIND.write_move(harness.match(match).state.table.secret_code)


def refused(answer: Accepted | Rejected) -> Code:
    assert isinstance(answer, Rejected), answer
    return answer.code


# The match.


def test_the_house_has_the_first_seat_and_the_guest_the_other(harness: LobbyHarness) -> None:
    harness.enter(1, "ann")
    for number in range(1, 9):
        assert harness.practise(1, "Countdown") == Accepted()
        opened = next(event for event in harness.hear(1) if isinstance(event, MatchOpened))
        assert (opened.match, opened.players, opened.seat) == (number, ("house-random", "ann"), 1)


def test_the_options_are_those_asked_for(harness: LobbyHarness) -> None:
    harness.enter(1, "ann")
    harness.practise(1, "Heap", heap=3)
    assert harness.match().options == HeapOptions(3)
    assert harness.do(Play(HOUSE_SESSION, "2", 1, 0, 0)) == Accepted()
    assert harness.play(1, "2") == Rejected(Code.ILLEGAL_MOVE, {"move": "2", "why": "you cannot take 2 of 1"})
    assert harness.play(1, "1") == Accepted()
    assert [record.reason for record in harness.records] == [EndReason.PLAYED]


def test_there_is_no_clock(practising: LobbyHarness) -> None:
    for _ in range(3):
        practising.now_ms += DAY_MS
        assert refused(practising.time_up()) is Code.STALE
    assert practising.play(1, "00") == Accepted()
    turns = [event for event in practising.hear(1) if isinstance(event, TurnStarted)]
    assert [turn.deadline_ms for turn in turns] == [None] * len(turns)


def test_nobody_is_told_of_a_clock(harness: LobbyHarness) -> None:
    harness.enter_anonymously(1)
    harness.practise(1, "Mastermind", **SMALL)
    opened, turn = harness.hear(1)
    assert isinstance(opened, MatchOpened)
    assert isinstance(turn, TurnStarted)
    assert (opened.turn_time_ms, turn.deadline_ms) == (None, None)


@pytest.mark.parametrize("move", ["012", "05", "x", ""])
def test_an_illegal_move_costs_nothing(practising: LobbyHarness, move: str) -> None:
    assert refused(practising.play(1, move)) is Code.ILLEGAL_MOVE
    (turn,) = practising.hear(1)
    assert isinstance(turn, TurnStarted)
    assert practising.play(1, "00") == Accepted()


def test_it_is_played_to_its_end_and_the_secret_is_told_then(practising: LobbyHarness) -> None:
    secret = secret_of(practising)
    wrong = next(code for code in ("00", "01") if code != secret)
    practising.play(1, wrong)
    assert not any(isinstance(event, GameEnded) for event in practising.hear(1))
    practising.play(1, secret)
    moved, ended, over = practising.hear(1)
    assert isinstance(moved, MovePlayed)
    assert ended == GameEnded(
        1, (-1, 1), (1,), EndReason.PLAYED, reason_text=f"The code {secret} was found in 2 guesses", revealed=secret
    )
    assert over == MatchEnded(1, EndReason.PLAYED, (-1, 1), (1,))
    (record,) = practising.records
    assert [seat.result for seat in record.seats] == ["loss", "win"]


def test_giving_up_tells_the_secret_and_is_a_loss(practising: LobbyHarness) -> None:
    secret = secret_of(practising)
    practising.resign(1)
    ended = practising.hear(1)[0]
    assert isinstance(ended, GameEnded)
    assert (ended.reason, ended.winners, ended.by, ended.revealed) == (EndReason.RESIGNED, (0,), 1, secret)


# How it is abandoned.


def abandoned(harness: LobbyHarness) -> list[int]:
    """The matches on record as abandoned; whoever they were played by, nobody lost or won."""
    found = [record for record in harness.records if record.reason == EndReason.ABANDONED]
    for record in found:
        assert [seat.result for seat in record.seats] == ["void", "void"]
        assert [seat.points for seat in record.seats] == [0, 0]
    return [record.match for record in found]


def test_leaving_abandons_it(practising: LobbyHarness) -> None:
    practising.play(1, "00")
    practising.leave(1)
    assert practising.lobby.matches == {}
    assert abandoned(practising) == [1]
    (record,) = practising.records
    assert [move.move for move in record.moves][1:] == ["00"]


def test_leaving_abandons_practice_without_grace(harness: LobbyHarness) -> None:
    harness.enter(1, "ann")
    harness.practise(1, "Countdown")
    harness.leave(1)
    assert abandoned(harness) == [1]
    assert harness.enter(2, "ann") == Accepted()
    assert harness.hear(2) == []


def test_the_next_one_abandons_it(practising: LobbyHarness) -> None:
    practising.play(1, "00")
    practising.heard.clear()
    assert practising.practise(1, "Heap", heap=4) == Accepted()
    ended, over, opened = practising.hear(1)
    assert ended == GameEnded(1, (0, 0), (), EndReason.ABANDONED, by=1)
    assert over == MatchEnded(1, EndReason.ABANDONED, (0, 0), (), by=1)
    assert isinstance(opened, MatchOpened)
    assert opened.match == 2
    assert abandoned(practising) == [1]
    assert list(practising.lobby.matches) == [2]


def test_a_restart_abandons_it(practising: LobbyHarness) -> None:
    practising.start()
    assert practising.lobby.matches == {}
    assert abandoned(practising) == [1]
    practising.enter_anonymously(1)
    assert practising.practise(1, "Mastermind", **SMALL) == Accepted()
    assert list(practising.lobby.matches) == [2]


def test_a_restart_abandons_no_other_match(practising: LobbyHarness) -> None:
    practising.enter(2, "ann")
    practising.challenge(2, "house-random", "Countdown")
    practising.start()
    assert list(practising.lobby.matches) == [2]
    assert abandoned(practising) == [1]


def test_the_secret_of_an_abandoned_one_is_not_told(practising: LobbyHarness) -> None:
    practising.practise(1, "Mastermind", **SMALL)
    ended = practising.hear(1)[0]
    assert isinstance(ended, GameEnded)
    assert ended.revealed == ""


def test_abandoned_match_is_the_same_after_a_replay(practising: LobbyHarness) -> None:
    practising.practise(1, "Heap", heap=4)
    practising.start()
    practising.enter_anonymously(2)
    practising.practise(2, "Mastermind", **SMALL)
    practising.check_restored()


# What is refused.


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"heap": 0}, "'heap' must be in range(1, 10) (got 0)"),
        ({"heap": "5"}, "'heap' must be <class 'int'>"),
        ({"size": 5}, "size"),
    ],
)
def test_options_that_a_game_does_not_have(harness: LobbyHarness, options: dict[str, Any], why: str) -> None:
    harness.enter_anonymously(1)
    answer = harness.practise(1, "Heap", **options)
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.facts["game"]) == (Code.BAD_OPTIONS, "Heap")
    assert why in answer.facts["why"]
    assert harness.lobby.matches == {}


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (Challenge(1, "house-random", "Heap", options={"heap": 0}, practice=True), Code.BAD_OPTIONS),
        (Challenge(1, "house-random", "Chess", practice=True), Code.UNKNOWN_GAME),
        (Challenge(1, "house-best", "Heap", practice=True), Code.UNKNOWN_PLAYER),
        (Challenge(1, "house-knuth", "Heap", practice=True), Code.GAME_NOT_PLAYED),
        (Challenge(1, "house-random", "Broken-start", practice=True), Code.SERVER_FAULT),
        (Challenge(1, "house-random", "Heap"), Code.IN_MATCH),
        (Accept(1), Code.IN_MATCH),
    ],
)
def test_refused_challenge_leaves_the_running_match_alone(practising: LobbyHarness, wanted: Any, code: Code) -> None:
    assert refused(practising.do(wanted)) is code
    assert practising.hear(1) == []
    assert list(practising.lobby.matches) == [1]
    assert practising.play(1, "00") == Accepted()


def test_a_match_that_counts_is_not_left_for_practice(harness: LobbyHarness) -> None:
    match, first, _ = harness.opened()
    assert refused(harness.practise(first, "Countdown")) is Code.IN_MATCH
    assert list(harness.lobby.matches) == [match.id]


@pytest.mark.parametrize("terms", [{"practice": True}, {"options": {}}, {"options": {"heap": 3}}])
def test_only_the_house_plays_so(harness: LobbyHarness, terms: dict[str, Any]) -> None:
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    assert harness.do(Challenge(1, "bob", "Heap", **terms)) == Rejected(Code.HOUSE_ONLY, {"player": "bob"})
    assert harness.lobby.challenges == {}


def test_a_seek_waits_for_the_end_and_comes_true(practising: LobbyHarness) -> None:
    practising.seek(1, "Countdown")
    practising.enter(2, "ann")
    practising.seek(2, "Countdown")
    assert list(practising.lobby.matches) == [1]
    practising.resign(1)
    assert list(practising.lobby.matches) == [2]


# Players without a name.


def test_a_name_is_made_up_and_nobody_sees_it(harness: LobbyHarness) -> None:
    harness.enter(1, "ann")
    harness.enter_anonymously(2)
    harness.enter_anonymously(3)
    assert [name for name in harness.lobby.players if name.startswith("mm-")] == ["mm-1-2", "mm-1-3"]
    harness.do(ListPlayers(1))
    (listed,) = harness.hear(1)
    assert isinstance(listed, PlayersListed)
    assert [player.name for player in listed.players if not player.house] == ["ann"]


def test_no_name_is_ever_used_again(harness: LobbyHarness) -> None:
    names: list[str] = []
    for _ in range(3):
        for session in (1, 2, 3):
            harness.enter_anonymously(session)
            names += [name for name in harness.lobby.players if name not in names]
            harness.leave(session)
        harness.start()
    assert len(names) == 9


def test_nobody_comes_in_under_such_a_name(practising: LobbyHarness) -> None:
    assert refused(practising.enter(2, "mm-1-1")) is Code.NAME_RESERVED
    practising.leave(1)
    assert refused(practising.enter(2, "mm-1-1")) is Code.NAME_RESERVED


@pytest.mark.parametrize("prefix", ["ann", "", "mm", "x-mm-"])
def test_a_made_up_name_begins_with_a_reserved_prefix(harness: LobbyHarness, prefix: str) -> None:
    assert refused(harness.do(Enter(1, prefix, "mastermind", "10.0.0.1", anonymous=True))) is Code.NAME_INVALID
    assert harness.lobby.players == {}


def test_player_who_has_entered_cannot_enter_again(practising: LobbyHarness) -> None:
    assert refused(practising.enter_anonymously(1)) is Code.ALREADY_ENTERED


def test_they_can_be_neither_challenged_nor_written_to(practising: LobbyHarness) -> None:
    practising.enter(2, "ann")
    assert refused(practising.challenge(2, "mm-1-1", "Countdown")) is Code.OTHER_IN_MATCH
    practising.resign(1)
    assert refused(practising.challenge(2, "mm-1-1", "Countdown")) is Code.NO_CHALLENGES
