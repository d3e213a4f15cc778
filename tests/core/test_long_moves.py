"""Long moves: what is kept and told of them, and that a replay takes each for what it was."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from games.mastermind import GAME as MASTERMIND
from gameserver.core.commands import Challenge, Command, Enter, Play, Say, Seek
from gameserver.core.events import Accepted, Code, Rejected
from gameserver.game import Game
from gameserver.journal.codec import read_row
from gameserver.policies import IllegalPolicy, LatePolicy
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness

LONG = "x" * 16_000
CUT = "x" * 97 + "..."


class Lenient(Countdown):
    """Countdown that reads numbers with noughts in front, and a number before `x...`."""

    name = "Lenient"

    def read_move(self, text: str) -> int:
        head = text.split("x", 1)[0]
        return int(head) if text.endswith("...") or text == head else super().read_move(text)


def playing(game: Game[Any]) -> tuple[LobbyHarness, int]:
    """A harness with a match of this game, and the session that is to move."""
    harness = LobbyHarness(catalogue(game))
    match, first, _ = harness.opened(game.name)
    return harness, first


def kept(harness: LobbyHarness) -> Play:
    """The last move in the journal."""
    command, _ = read_row(harness.rows[-1])
    assert isinstance(command, Play)
    return command


def test_a_cut_makes_no_illegal_move_legal() -> None:
    """The rest of the move would be a legal 1 here; a replay ends the match all the same."""
    harness, first = playing(Lenient())
    assert harness.play(first, f"1{LONG}") == Accepted()
    assert Lenient().read_move(kept(harness).move) == 1
    assert harness.lobby.matches == {}
    harness.check_restored()


def test_a_refused_move_is_repeated_cut() -> None:
    harness, first = playing(Countdown())
    match = harness.match()
    harness.lobby.matches[1] = evolve(match, policies=evolve(match.policies, illegal=IllegalPolicy.REFUSAL))
    rows = len(harness.rows)
    answer = harness.play(first, LONG)
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.facts["move"]) == (Code.ILLEGAL_MOVE, CUT)
    assert len(harness.rows) == rows


def test_a_legal_move_is_kept_as_its_game_writes_it() -> None:
    harness, first = playing(Lenient())
    assert harness.play(first, "0" * 4000 + "2") == Accepted()
    assert kept(harness) == Play(first, "2")
    assert [step.text for step in harness.match().moves] == ["2"]
    harness.check_restored()


def test_a_long_legal_move_is_kept_whole() -> None:
    """A code of a hundred pegs, of a thousand colours each."""
    harness = LobbyHarness(catalogue(MASTERMIND))
    harness.enter(1, "ann")
    options = {"code_length": 100, "value_count": 1000, "secret_is_drawn": True}
    assert harness.practise(1, "Mastermind", "house-random", **options) == Accepted()
    code = MASTERMIND.write_move(tuple(range(900, 1000)))
    assert harness.play(1, code) == Accepted()
    assert kept(harness).move == code
    assert harness.match().moves[-1].text == code
    harness.check_restored()


@pytest.mark.parametrize("late", [LONG, "2\ud800"])
def test_a_late_answer_that_is_dropped_is_kept_cut(late: str) -> None:
    harness, first = playing(Countdown())
    match = harness.match()
    policies = evolve(match.policies, late=LatePolicy.RANDOM_MOVE, late_answer_ms=60_000)
    harness.lobby.matches[1] = evolve(match, policies=policies)
    harness.now_ms += 11_000
    assert harness.time_up() == Accepted()
    answer = harness.play(first, late)
    assert isinstance(answer, Rejected)
    assert answer.code is Code.TOO_LATE
    assert len(kept(harness).move) <= 100
    assert harness.match().owed == ()


@pytest.mark.parametrize("policy", IllegalPolicy)
def test_a_lone_surrogate_is_a_mistake_of_its_player(policy: IllegalPolicy) -> None:
    """JSON lets it in as an escape; nothing that holds one can be written down."""
    harness, first = playing(Countdown())
    match = harness.match()
    harness.lobby.matches[1] = evolve(match, policies=evolve(match.policies, illegal=policy))
    answer = harness.play(first, "2\ud800")
    if policy is IllegalPolicy.REFUSAL:
        assert isinstance(answer, Rejected)
        assert answer.code is Code.ILLEGAL_MOVE
        assert answer.facts["move"] == "2?"
        assert "lone surrogate" in answer.facts["why"]
    else:
        assert answer == Accepted()
        assert kept(harness).move == "2?"
        assert "lone surrogate" in kept(harness).illegal
        assert harness.lobby.matches == {}


@pytest.mark.parametrize(
    "command",
    [
        Enter(9, "zoe\ud800", "strategic", "::1"),
        Seek(1, "Chess\ud800"),
        Challenge(1, "bob\ud800", "Countdown"),
        Say(1, "bob\ud800", "hello"),
    ],
)
def test_a_refusal_repeats_no_lone_surrogate(command: Command) -> None:
    harness, _ = playing(Countdown())
    harness.leave(2)
    answer = harness.do(command)
    assert isinstance(answer, Rejected)
    assert answer.code is not Code.SERVER_FAULT
    assert "\ud800" not in "".join(answer.facts.values())


@given(st.text(st.characters(), max_size=300) | st.text("0123", max_size=300))
def test_replaying_any_move_gives_the_same_position(said: str) -> None:
    harness, first = playing(Countdown())
    harness.play(first, said)
    assert all(len(row.body) < 2000 for row in harness.rows if row.tag == "play")
    harness.check_restored()
