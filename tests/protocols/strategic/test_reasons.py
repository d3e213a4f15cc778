"""REASON of a LOSS: what it says, that no client's parser breaks on it, and who is told."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import EndReason, GameEnded, Result, Why
from gameserver.time_control import TimeControl
from protocols.strategic.profiles import PROFILES
from protocols.strategic.rendering import BYTES_MAX, fitted
from tests.clients.strategic import Ended, read_line
from tests.support.strategic_client import StrategicClient
from tests.support.tables import table


def lost(reason: EndReason, why: Why | None, reason_text: str = "") -> GameEnded:
    return GameEnded(1, Result(reason, (2, 3), (1,), 0, reason_text), why=why)


def read_why(words: str) -> Why:
    given = dict(word.partition("=")[::2] for word in words.split("; "))
    read: dict[str, Callable[[str], Any]] = {"rule": str, "clock": TimeControl.read, "late_ms": int}
    return Why(**{name: read.get(name, lambda _: True)(text) for name, text in given.items()})


@pytest.mark.parametrize(("reason", "why", "said"), table(__file__, "losses, why, and what the loser is told"))
def test_the_loser_is_told_why(reason: str, why: str, said: str) -> None:
    (line,) = StrategicClient().play(seat=0).hears(lost(EndReason[reason.upper()], read_why(why)))
    assert line.endswith(f', REASON: "{said}"}}')


def test_the_loser_is_told_how_the_game_says_it_ended() -> None:
    ended = lost(EndReason.PLAYED, Why(clock=TimeControl(10_000)), "The code 0123 was found")
    said = "The code 0123 was found"
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


LONG = [("é" * 60, "é" * 40), ("word " * 17, "word " * 15 + "word")]


@pytest.mark.parametrize(("sentence", "said"), [*table(__file__, "sentences, and what of them fits"), *LONG])
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
