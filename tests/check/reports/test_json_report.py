"""The report as JSON."""

import json
from pathlib import Path

from gameserver.check.reports import json_report
from tests.check.reports import samples


def test_report_has_these_fields() -> None:
    known = Path(__file__).with_suffix(".json").read_text("utf-8")
    assert json.loads(json_report(samples.MIXED)) == json.loads(known)


def test_any_text_survives_any_console() -> None:
    text = json_report(samples.MIXED)
    assert text.isascii()
    assert json.loads(text)["scenarios"][2]["wire"][0]["text"] == samples.ADVISED.wire[0].text
