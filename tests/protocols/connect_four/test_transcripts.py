"""Nothing of the Connect Four protocol is without a transcript."""

import json

import pytest

from protocols.connect_four.schema import ACTIONS, EVENTS, Reason
from tests.protocols.test_transcripts import TRANSCRIPTS
from tests.support.transcripts import to_bytes

SAID = [json.loads(to_bytes(line)) for transcript in TRANSCRIPTS.values() for line in transcript.said("connect-four")]
ASKED = [line for transcript in TRANSCRIPTS.values() for line in transcript.asked("connect-four")]


def heard() -> set[str]:
    return {message["event"] for message in SAID} | {message["reason"] for message in SAID if "reason" in message}


@pytest.mark.parametrize("word", [*EVENTS.values(), *Reason])
def test_every_event_and_every_reason_has_a_transcript(word: str) -> None:
    assert word in heard()


@pytest.mark.parametrize("action", ACTIONS.values())
def test_every_action_has_a_transcript(action: str) -> None:
    assert any(f'"action":"{action}"' in line for line in ASKED)
