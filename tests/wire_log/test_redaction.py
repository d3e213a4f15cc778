"""Secrets never get into a log, however the bytes are cut."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gameserver.wire_log.redaction import MASK, Redactor
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.strategic import PROTOCOL as STRATEGIC
from protocols.web import PROTOCOL as WEB
from tests.support.examples import examples
from tests.support.tables import lines

PATTERNS = (*STRATEGIC.secrets, *CONNECT_FOUR.secrets, *WEB.secrets)
SECRET = b"s3cr3t-Xyz"


@pytest.mark.parametrize("text", lines(__file__, "lines with the secret s3cr3t-Xyz"))
@given(data=st.data())
@settings(max_examples=examples(40))
def test_a_secret_is_masked_wherever_it_is_cut(text: str, data: st.DataObject) -> None:
    line = text.encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(line)), max_size=4)))
    redactor = Redactor(PATTERNS)
    pieces = [line[start:end] for start, end in zip([0, *cuts], [*cuts, len(line)], strict=True)]
    masked = b"".join(redactor.masked(piece) for piece in pieces)
    assert not any(SECRET[start : start + 3] in masked for start in range(len(SECRET) - 2)), masked
    assert masked.endswith(line[line.index(SECRET) + len(SECRET) :])
    if not cuts:
        assert masked == line.replace(SECRET, MASK)


@pytest.mark.parametrize("secret", ["apple pie", "fig, plum", 'a "quoted" one', "back\\slash", "b}race:d=", "Zoë"])
@pytest.mark.parametrize("field", ['{"name": "Ann", "secret": "SECRET"', '{"name": "Ann:SECRET"'])
@given(data=st.data())
@settings(max_examples=examples(40))
def test_all_of_a_secret_in_json_is_masked_whatever_is_in_it(field: str, secret: str, data: st.DataObject) -> None:
    written = json.dumps(secret).encode()
    line = field.encode().replace(b"SECRET", written[1:-1]) + b', "action": "connect"}\n'
    cut = data.draw(st.integers(0, len(line)))
    redactor = Redactor(PATTERNS)
    assert Redactor(PATTERNS).masked(line) == line.replace(written[1:-1], MASK)
    masked = redactor.masked(line[:cut]) + redactor.masked(line[cut:])
    assert not any(written[start : start + 4] in masked for start in range(1, len(written) - 4)), masked
    assert masked.endswith(b'", "action": "connect"}\n')


def test_a_line_that_never_ends_is_not_remembered_whole() -> None:
    redactor = Redactor(PATTERNS)
    for _ in range(100):
        assert redactor.masked(b"x" * 1_000) == b"x" * 1_000
    assert len(redactor._line) < 5_000
    assert json.loads(redactor.masked(b'\n{"token":"abc"}\n')) == {"token": "***"}
