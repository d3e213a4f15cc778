"""The report as JSON."""

import json

from gameserver.check.reports import json_report
from tests.check.reports import samples


def test_fields_of_a_report() -> None:
    told = json.loads(json_report(samples.MIXED))
    scenarios = told.pop("scenarios")
    assert told == {
        "format": "gameserver-check",
        "version": 1,
        "gameserver": "1.2.3",
        "command": ["java", "-jar", "My Bot.jar", "{host}"],
        "protocol": "strategic",
        "game": "Reversi",
        "seed": 7,
        "ready": False,
        "unplayed": 0,
        "passed": 2,
        "failed": 2,
        "not_reached": 1,
        "could_not_be_played": 0,
        "took_ms": 53_200,
        "starting_ms": 800,
    }
    assert [one["name"] for one in scenarios] == [result.name for result in samples.MIXED.results]
    assert [one["outcome"] for one in scenarios] == ["passed", "failed", "failed", "not_reached", "passed"]
    assert [one["blocks"] for one in scenarios] == [False, True, False, True, False]


def test_fields_of_a_scenario() -> None:
    (told,) = json.loads(json_report(samples.report_of(samples.FAILED)))["scenarios"]
    assert told == {
        "name": "line_in_two_packets",
        "title": "A line in two packets",
        "level": "required",
        "outcome": "failed",
        "blocks": True,
        "findings": [
            {"what": "It made no move within 10 s of its turn.", "step": "3 moves are played", "line": 14, "sent": ""}
        ],
        "warnings": [],
        "wire": [
            {"at_us": 12_000, "to_client": True, "text": 'SVR GAME MATCH {PLAYERTOMOVE: "you"}'},
            {"at_us": 12_500, "to_client": True, "text": 'SVR GAME YOURTURN {TURNMESSAGE: ""}'},
            {"at_us": 10_013_000, "to_client": False, "text": "forfeit"},
        ],
        "output": ["Exception in thread <main>", "\tat Bot.run(Bot.java:7)"],
        "faults": "split",
        "document": samples.FAILED.document,
        "failure": "made no move",
        "change": samples.FAILED.change,
        "often": samples.FAILED.often,
        "source": "TCP is a stream of bytes",
        "same_as": "",
        "took_ms": 10_400,
        "starting_ms": 400,
        "file": "protocols/strategic/scenarios/line_in_two_packets.scenario",
    }


def test_any_text_survives_any_console() -> None:
    text = json_report(samples.MIXED)
    assert text.isascii()
    assert json.loads(text)["scenarios"][2]["wire"][0]["text"] == samples.ADVISED.wire[0].text
