"""The advice that a failure leads to."""

import pytest

from gameserver.check.advice import CHANGES, advised, with_plain_first
from gameserver.check.report import Failure, Level, ScenarioOutcome, ScenarioResult
from tests.check.reports.samples import report_of


def failed(name: str, failure: Failure) -> ScenarioResult:
    return ScenarioResult(
        name=name,
        title=name,
        level=Level.REQUIRED,
        outcome=ScenarioOutcome.FAILED,
        failure=failure,
        document="document",
        source="source",
        change="Set the board up anew.",
    )


@pytest.mark.parametrize(
    ("failure", "often", "document"),
    [
        (Failure.SLOW, "", ""),
        (Failure.IDLE, "Set the board up anew.", "document"),
        (Failure.SILENT, "Set the board up anew.", "document"),
        (Failure.ILLEGAL, "Set the board up anew.", "document"),
    ],
)
def test_advice_is_that_of_the_failure(failure: Failure, often: str, document: str) -> None:
    """A bot that sleeps is told nothing about boards; one whose move was illegal, or that stands still, is."""
    told = advised(failed("ten_matches", failure))
    assert (told.change, told.often, told.document) == (CHANGES[failure], often, document)


def test_what_only_the_scenario_expects_has_its_own_advice() -> None:
    result = failed("challenge_accepted", Failure.UNEXPECTED)
    assert advised(result) == result


def test_failure_of_a_plain_match_is_mended_there() -> None:
    """Whatever else fails in the same way has the same cause."""
    plain, same, other = (
        failed("plays_first", Failure.SILENT),
        failed("ten_matches", Failure.SILENT),
        failed("chat", Failure.ENDED),
    )
    told = with_plain_first([plain, same, other])
    assert (told[0], told[2]) == (plain, other)
    assert told[1].change.startswith("It failed in the same way in `plays_first`")
    assert (told[1].often, told[1].document, told[1].source) == ("", "", "")
    report = report_of(*told)
    assert (report.blocking, report.first_to_mend) == (told, (plain, other))
