"""REASON of a LOSS: what it says, that no client's parser breaks on it, and who is told."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import EndReason, GameEnded, Result, Why
from gameserver.time_control import TimeControl
from protocols.strategic.profiles import PROFILES
from protocols.strategic.rendering import BYTES_MAX, fitted
from tests.clients.strategic import Ended, read_line
from tests.support.strategic_client import StrategicClient

TEN_SECONDS = Why(clock=TimeControl(10_000))


def lost(reason: EndReason, why: Why | None, reason_text: str = "") -> GameEnded:
    return GameEnded(1, Result(reason, (2, 3), (1,), 0, reason_text), why=why)


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        (lost(EndReason.ILLEGAL, Why("cell 4 is taken, play a free one")), "cell 4 is taken"),
        (
            lost(EndReason.ILLEGAL, Why("cell 4 is taken, play a free one", after_restart=True)),
            "after the restart all moves (your own too) were told again: cell 4 is taken",
        ),
        (
            lost(EndReason.ILLEGAL, Why("a disc on cell 0 would turn nothing over", after_restart=True)),
            "after the restart all moves (your own too) were told again",
        ),
        (lost(EndReason.LATE, TEN_SECONDS), "no move came within 10 s of YOURTURN"),
        (lost(EndReason.LATE, Why("", TimeControl(1_500), 412)), "the move came 0.412 s after the 1.5 s of the turn"),
        (
            lost(EndReason.LATE, Why("", TimeControl.read("2m, 3 x 10s, turn 5s"), is_bank=True)),
            "no move came before the bank of 2m and 3 x 10s was used up",
        ),
        (
            lost(EndReason.LATE, Why("", TimeControl.read("3m+2s"), 412, is_bank=True)),
            "the move came 0.412 s after the bank of 3m+2s was used up",
        ),
        (lost(EndReason.RESIGNED, TEN_SECONDS), "the match was forfeited"),
        (lost(EndReason.DROPPED, TEN_SECONDS), "the connection was lost"),
        (lost(EndReason.PLAYED, TEN_SECONDS), "the game was played to its end"),
        (lost(EndReason.PLAYED, TEN_SECONDS, "The code 0123 was found"), "The code 0123 was found"),
    ],
)
def test_the_loser_is_told_why(ended, said):
    (line,) = StrategicClient().play(seat=0).hears(ended)
    assert line.endswith(f', REASON: "{said}"}}')


@pytest.mark.parametrize("reason", [EndReason.ILLEGAL, EndReason.PLAYED, EndReason.RESIGNED])
def test_nobody_else_is_told(reason):
    why = Why("cell 4 is taken")
    assert "REASON" not in StrategicClient().play(seat=1).hears(lost(reason, why))[0]
    drawn = GameEnded(1, Result(EndReason.VOID, (0, 0), ()), why=why)
    assert "REASON" not in StrategicClient().play(seat=0).hears(drawn)[0]
    assert "REASON" not in StrategicClient().play(seat=0).hears(lost(reason, None))[0]


@pytest.mark.parametrize("profile", [profile for profile in PROFILES if profile != "document"])
def test_no_original_said_why(profile):
    said, unsaid = (StrategicClient(profile).play().hears(lost(EndReason.ILLEGAL, why)) for why in (Why("no"), None))
    assert said == unsaid


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("a disc on cell 0 would turn nothing over, play elsewhere", "a disc on cell 0 would turn nothing over"),
        ("19 is blocked; possible with 4 2: 24/20", "19 is blocked"),
        (
            "that does not fit (all dice have to be played, if they can)",
            "that does not fit: all dice have to be played",
        ),
        ("h,9,9 is not a legal move here; h,0,0 would be", "h 9 9 is not a legal move here"),
        ("that does not fit (all of it)", "that does not fit (all of it)"),
        ('say "a" or {b}', "say a or b"),
        ("the move must be a column: " + "a letter and a digit " * 3, "the move must be a column"),
        ("é" * 60, "é" * 40),
        ("word " * 17, "word " * 15 + "word"),
        (", nothing", ""),
        ("\ud800", "\ud800"),
    ],
)
def test_a_sentence_is_cut_to_what_fits(sentence, said):
    assert fitted(sentence) == said


@given(st.text())
def test_whatever_a_game_says_the_line_can_be_parsed(rule):
    (line,) = StrategicClient().play(seat=0).hears(lost(EndReason.ILLEGAL, Why(rule)))
    assert isinstance(read_line(line), Ended)
    found = re.search(r'REASON: "(.*)"\}$', line)
    assert found is not None
    assert not set(found[1]) & set(',"{}')
    assert len(found[1].encode()) <= BYTES_MAX
