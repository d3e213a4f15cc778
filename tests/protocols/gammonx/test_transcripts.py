"""Nothing of the GammonX protocol is without a transcript."""

import re

import pytest

from protocols.gammonx import PROTOCOL
from protocols.gammonx.profiles import WORDINGS
from protocols.gammonx.schema import LATER_METHODS
from tests.protocols.test_transcripts import TRANSCRIPTS as ALL

TRANSCRIPTS = {name: read for name, read in ALL.items() if name.startswith("gammonx_")}
TEXT = "".join(transcript.text for transcript in TRANSCRIPTS.values())
SAID = [line for transcript in TRANSCRIPTS.values() for line in transcript.said("gammonx")]
ASKED = [line for transcript in TRANSCRIPTS.values() for line in transcript.asked("gammonx")]
EVENTS = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| [^|]+ \| [^|]+ \|$", PROTOCOL.guide, re.MULTILINE)


@pytest.mark.parametrize("event", [event for names in EVENTS for event in re.findall(r"[a-z-]+", names)])
def test_every_event_has_a_transcript(event):
    assert any(line.startswith(f"{event} ") for line in SAID)


def test_the_guide_has_the_events():
    assert len(EVENTS) > 12


@pytest.mark.parametrize("method", [command.__name__ for command in LATER_METHODS])
def test_every_method_has_a_successful_and_a_refused_transcript(method):
    assert any(line.startswith(f"{method} ") for line in ASKED)
    assert f"{method} done" in SAID


@pytest.mark.parametrize("code", ["JOIN_ERROR", "QUEUE_ERROR", *(wording.code for wording in WORDINGS.values())])
def test_every_error_has_a_transcript(code):
    assert f'"code":"{code}"' in TEXT


@pytest.mark.parametrize(
    "what", ["gets /api/matches\n", "posts /api/matches/join", "posts /api/matches/queues/match1 "]
)
def test_every_request_has_a_transcript(what):
    assert what in TEXT
