"""Words that the forms of a report share."""

import attrs
import pytest

from gameserver.check.report import command_words, moment, seconds, verdict, visible
from tests.check.reports import samples


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ☃ 囲碁", "plain ☃ 囲碁"),
        ("a\tb\r\n", r"a\tb\r\n"),
        ("\x00\x1b\x85", r"\x00\x1b\x85"),
        ("\ud800\uffff", r"\ud800\uffff"),
        ("\u202emoc\u2066", r"\u202emoc\u2066"),
        ("👩\u200d💻", "👩\u200d💻"),
    ],
)
def test_control_characters_become_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_kept_characters_stay() -> None:
    assert visible("\ta\x07", kept="\t") == "\ta\\x07"


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (samples.WELL, "Ready for an event: every required scenario passed."),
        (samples.MIXED, "Not ready for an event: 2 required scenarios did not pass."),
        (
            samples.report_of(samples.PASSED, samples.NOT_PLAYABLE),
            "Ready for an event: every required scenario that could be played passed.",
        ),
        (samples.report_of(), "No scenario was run, so nothing is known."),
    ],
)
def test_verdict(report, sentence) -> None:
    assert verdict(report) == sentence


def test_client_started_by_hand_has_no_command() -> None:
    assert command_words(samples.WELL) == "java -jar 'My Bot.jar' '{host}'"
    by_hand = attrs.evolve(samples.WELL, command=())
    assert command_words(by_hand) == "a client started by hand"


def test_times_are_seconds() -> None:
    assert [seconds(400), seconds(9_990), seconds(41_200)] == ["0.4 s", "10.0 s", "41 s"]
    assert moment(samples.FAILED.wire[0]) == "0.012"
