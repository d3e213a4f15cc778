"""Long moves: what is kept and told of them, and that a replay takes each for what it was."""

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from games.mastermind import GAME as MASTERMIND
from gameserver.core.messages.commands import Challenge, Command, Enter, Play, Say, Seek
from gameserver.core.messages.events import Accepted, MoveRefused, Rejected, Said
from gameserver.core.messages.rejections import Code
from gameserver.game import Game
from gameserver.journal.codec import read_row
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest
from gameserver.policies import IllegalPolicy, LatePolicy
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import Table

LONG = "x" * 16_000
CUT = "x" * 97 + "..."


class Lenient(Countdown):
    """Countdown that reads numbers with noughts in front, and a number before `x...`."""

    name = "Lenient"

    def read_move(self, text: str) -> int:
        head = text.split("x", 1)[0]
        return int(head) if text.endswith("...") or text == head else super().read_move(text)


def playing(game: Game[Any]) -> tuple[Table, int]:
    """A table at which a match of this game is on, and the session that is to move."""
    table = Table(catalogue(game))
    match, first, _ = table.opened(game.name)
    return table, first


def replayed(table: Table) -> str:
    journal = MemoryJournal()
    journal.append(table.rows, table.records)
    found = replay(journal, table.games)
    assert found.skipped == ()
    return digest(found.lobby)


def kept(table: Table) -> Play:
    """The last move in the journal."""
    command, _ = read_row(table.rows[-1])
    assert isinstance(command, Play)
    return command


def test_an_illegal_move_is_cut_wherever_it_is_kept_or_told() -> None:
    table, first = playing(Countdown())
    table.hear(first)
    assert table.play(first, LONG) == Accepted()
    (refused,) = [event for event in table.hear(first) if isinstance(event, MoveRefused)]
    assert refused.said == CUT
    (record,) = table.records
    assert record.why.startswith(f"'{CUT}': ")
    assert record.games[0].why == record.why
    assert len(record.why) < 400
    assert kept(table) == Play(first, CUT, illegal=refused.why)
    assert len(table.rows[-1].body) < 600
    assert replayed(table) == digest(table.lobby)


def test_a_cut_makes_no_illegal_move_legal() -> None:
    """What is left of the move would be a legal 1 here; a replay ends the match all the same."""
    table, first = playing(Lenient())
    assert table.play(first, f"1{LONG}") == Accepted()
    assert Lenient().read_move(kept(table).move) == 1
    assert table.lobby.matches == {}
    assert replayed(table) == digest(table.lobby)


def test_a_refused_move_is_repeated_cut() -> None:
    table, first = playing(Countdown())
    match = table.match()
    table.lobby.matches[1] = evolve(match, policies=evolve(match.policies, illegal=IllegalPolicy.REFUSAL))
    rows = len(table.rows)
    answer = table.play(first, LONG)
    assert isinstance(answer, Rejected)
    assert (answer.code, answer.facts["move"]) == (Code.ILLEGAL_MOVE, CUT)
    assert len(table.rows) == rows


def test_a_legal_move_is_kept_as_its_game_writes_it() -> None:
    table, first = playing(Lenient())
    assert table.play(first, "0" * 4000 + "2") == Accepted()
    assert kept(table) == Play(first, "2")
    assert [step.text for step in table.match().moves] == ["2"]
    assert replayed(table) == digest(table.lobby)


def test_a_long_legal_move_is_kept_whole() -> None:
    """A code of a hundred pegs, of a thousand colours each."""
    table = Table(catalogue(MASTERMIND))
    table.enter(1, "ann")
    options = {"code_length": 100, "value_count": 1000, "secret_is_drawn": True}
    assert table.practise(1, "Mastermind", "house-random", **options) == Accepted()
    code = MASTERMIND.write_move(tuple(range(900, 1000)))
    assert table.play(1, code) == Accepted()
    assert kept(table).move == code
    assert table.match().moves[-1].text == code
    assert replayed(table) == digest(table.lobby)


@pytest.mark.parametrize("late", [LONG, "2\ud800"])
def test_a_late_answer_that_is_dropped_is_kept_cut(late: str) -> None:
    table, first = playing(Countdown())
    match = table.match()
    policies = evolve(match.policies, late=LatePolicy.RANDOM_MOVE, late_answer_ms=60_000)
    table.lobby.matches[1] = evolve(match, policies=policies)
    table.now_ms += 11_000
    assert table.time_up() == Accepted()
    answer = table.play(first, late)
    assert isinstance(answer, Rejected)
    assert answer.code is Code.TOO_LATE
    assert len(kept(table).move) <= 100
    assert table.match().owed == ()


@pytest.mark.parametrize("policy", IllegalPolicy)
def test_a_lone_surrogate_is_a_mistake_of_its_player(policy: IllegalPolicy) -> None:
    """JSON lets it in as an escape; nothing that holds one can be written down."""
    table, first = playing(Countdown())
    match = table.match()
    table.lobby.matches[1] = evolve(match, policies=evolve(match.policies, illegal=policy))
    answer = table.play(first, "2\ud800")
    if policy is IllegalPolicy.REFUSAL:
        assert isinstance(answer, Rejected)
        assert answer.code is Code.ILLEGAL_MOVE
        assert answer.facts["move"] == "2?"
        assert "lone surrogate" in answer.facts["why"]
    else:
        assert answer == Accepted()
        assert kept(table).move == "2?"
        assert "lone surrogate" in kept(table).illegal
        assert table.lobby.matches == {}


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
    table, _ = playing(Countdown())
    table.leave(2)
    answer = table.do(command)
    assert isinstance(answer, Rejected)
    assert answer.code is not Code.SERVER_FAULT
    assert "\ud800" not in "".join(answer.facts.values())


def test_a_message_carries_no_lone_surrogate() -> None:
    table, _ = playing(Countdown())
    assert table.do(Say(1, "bob", "hi\ud800")) == Accepted()
    assert [event.text for event in table.hear(2) if isinstance(event, Said)] == ["hi?"]


@given(st.text(st.characters(), max_size=300) | st.text("0123", max_size=300))
def test_any_move_replays_to_what_it_led_to(said: str) -> None:
    table, first = playing(Countdown())
    table.play(first, said)
    assert all(len(row.body) < 2000 for row in table.rows if row.tag == "play")
    assert replayed(table) == digest(table.lobby)
