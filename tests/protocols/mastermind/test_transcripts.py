"""Nothing of the Mastermind protocol is without a transcript, over both transports."""

import pytest

from protocols.mastermind.profiles import BROKEN, FAREWELLS
from protocols.mastermind.schema import ErrorType, ParseFault, Type, read_request
from tests.protocols.test_transcripts import TRANSCRIPTS
from tests.support.transcripts import to_bytes

SAID = [line for transcript in TRANSCRIPTS.values() for line in transcript.said("mastermind")]
ASKED = [to_bytes(line) for transcript in TRANSCRIPTS.values() for line in transcript.asked("mastermind")]


@pytest.mark.parametrize("kind", [Type.ANSWER, Type.GAME_END, Type.ACCEPT, Type.ERROR])
def test_every_message_of_the_server_has_a_transcript(kind):
    assert any(line.startswith(f"{int(kind)}|") for line in SAID)


@pytest.mark.parametrize("kind", ErrorType)
def test_every_error_type_has_a_transcript(kind):
    assert any(line.endswith(f'"ErrorType":{int(kind)}}}') for line in SAID)


def test_every_misreading_has_a_transcript():
    texts = set()
    for line in ASKED:
        try:
            read_request(line)
        except ParseFault as fault:
            texts.add(str(fault))
    assert len(texts) == 5
    for text in (*texts, BROKEN, *FAREWELLS.values()):
        assert any(f'"{text}"' in line for line in SAID), text
