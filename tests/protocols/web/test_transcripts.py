"""Nothing of the protocol is without a transcript, over both transports."""

import inspect
import json
import re

import pytest

from protocols.web import handlers, rendering
from protocols.web.schema import REQUESTS
from tests.protocols.test_transcripts import TRANSCRIPTS
from tests.support.transcripts import MANNERS, to_bytes

SAID = [json.loads(to_bytes(line)) for transcript in TRANSCRIPTS.values() for line in transcript.said("web")]
ASKED = [line for transcript in TRANSCRIPTS.values() for line in transcript.asked("web")]


@pytest.mark.parametrize("do", REQUESTS)
def test_every_message_of_a_client_has_a_transcript(do: str) -> None:
    assert any(f'"do":"{do}"' in line for line in ASKED)


def test_every_message_of_the_server_has_a_transcript() -> None:
    """Also one that is added some day: they are taken from the source."""
    source = "".join(inspect.getsource(module) for module in (rendering, handlers))
    written = set(re.findall(r'tell="([^"]+)"', source)) | {"hello", "goodbye", "said"}
    assert {"match", "game over", "error"} <= written
    assert written - {message["tell"] for message in SAID} == {"own draw"}, "it falls where dice are rolled by hand"


@pytest.mark.parametrize("code", [handlers.BAD_KEY, handlers.BAD_MESSAGE, handlers.TOO_MANY])
def test_every_error_of_its_own_has_a_transcript(code: str) -> None:
    assert any(message.get("code") == code for message in SAID)


def test_all_transcripts_but_the_exempt_ones_run_over_websocket() -> None:
    own = {name for name, transcript in TRANSCRIPTS.items() if transcript.said("web")}
    assert len(own) > 12
    over = {
        name for name in own for manner in MANNERS if manner.name == "WebSocket" and manner.suits(TRANSCRIPTS[name])
    }
    assert own - over == {"web_too_long", "web_late_login"}, "one differs, and in one no client says anything"
