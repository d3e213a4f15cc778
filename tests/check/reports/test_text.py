"""The report for a terminal."""

from pathlib import Path

import attrs
import click
import pytest

from gameserver.check.report import Heard
from gameserver.check.reports import CHARACTERS_IN_TEXT_MAX, OUTPUT_LINES_SHOWN, WIRE_LINES_SHOWN, text_report
from tests.check.reports import samples


def test_report_is_short_where_all_is_well() -> None:
    assert text_report(samples.WELL).splitlines() == [
        "java -jar 'My Bot.jar' '{host}': Reversi over strategic",
        "",
        "  required    2 of 2 passed   (a server does this in every event)",
        "2 passed, in 1.5 s; seed 7",
        "Ready for an event: every required scenario passed.",
    ]


def test_failure_is_explained() -> None:
    known = Path(__file__).with_suffix(".txt").read_text("utf-8")
    assert text_report(samples.report_of(samples.FAILED)) == known


def test_required_scenarios_come_first_and_advised_ones_do_not_block() -> None:
    text = text_report(samples.MIXED)
    order = [text.index(f"; {name})") for name in ("line_in_two_packets", "pass", "names")]
    assert order == sorted(order)
    assert text.endswith("Mend these first: line_in_two_packets, pass\n")


def test_scenario_that_was_not_reached_has_its_reason_and_no_advice() -> None:
    text = text_report(samples.report_of(samples.NOT_REACHED))
    assert "NOT REACHED  The program is skipped  (required; pass)" in text
    assert "The program was not skipped in 10 matches." in text
    assert "what to change" not in text


def test_line_that_a_finding_names_comes_before_the_last_one() -> None:
    findings = (attrs.evolve(samples.FAILED.findings[0], sent="SVR GAME MATCH {}"),)
    assert "sent last       SVR GAME MATCH {}\n" in text_report(
        samples.report_of(attrs.evolve(samples.FAILED, findings=findings))
    )


def test_step_of_several_findings_is_told_once() -> None:
    (first,) = samples.FAILED.findings
    findings = (first, attrs.evolve(first, what="The program ended with exit code 1."), attrs.evolve(first, line=15))
    text = text_report(samples.report_of(attrs.evolve(samples.FAILED, findings=findings)))
    assert text.count("what happened") == 1
    assert text.count("in line 14 of") == 1
    assert "\n                  The program ended with exit code 1.\n" in text
    assert text.count("in line 15 of") == 1


def test_warning_is_told_once_with_its_scenarios() -> None:
    many = [attrs.evolve(samples.WARNED, name=f"s{number}") for number in range(5)]
    assert text_report(samples.report_of(*many)).count("The server refused") == 1
    assert "The server refused `hello`. (in s0, s1, s2 and 2 more)" in text_report(samples.report_of(*many))


def test_long_lines_and_long_wires_are_cut() -> None:
    wire = tuple(Heard(number, to_client=True, text="x" * 5_000) for number in range(40))
    cut = attrs.evolve(samples.FAILED, wire=wire, output=tuple(f"out {number}" for number in range(40)))
    text = text_report(samples.report_of(cut))
    assert text.count(" > xxx") == WIRE_LINES_SHOWN
    assert text.count("| out") == OUTPUT_LINES_SHOWN
    assert "| out 39" in text
    assert "(5,000 characters)" in text
    assert all(len(line) < CHARACTERS_IN_TEXT_MAX + 40 for line in text.splitlines())


@pytest.mark.parametrize("is_coloured", [False, True])
def test_client_cannot_write_to_the_terminal(is_coloured: bool) -> None:
    text = text_report(samples.MIXED, is_coloured=is_coloured)
    assert ("\x1b" in text) is is_coloured
    assert click.unstyle(text) == text_report(samples.MIXED)
    assert "\x1b[2J" not in text
    assert "\x1b[31m " not in text
    assert r"\x1b[2J\x07" in text
    text.encode()
