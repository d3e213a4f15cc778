"""The report as JUnit XML, which Jenkins, GitLab and GitHub show beside a build.

A test case fails only if the scenario keeps the client from being ready: so the build is red exactly when the command's
exit code is not 0. What else went wrong is a skipped case, whose message says what it is.
"""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gameserver.check.report import CheckReport, Outcome, ScenarioResult
from gameserver.check.reports import words

_LINES = "\n\t"


def junit(report: CheckReport) -> str:
    """The document, with its XML declaration."""
    name = f"gameserver check: {report.game} over {report.protocol}"
    totals = _totals(report)
    root = Element("testsuites", {"name": words.visible(name), **totals})
    suite = SubElement(root, "testsuite", {"name": words.visible(name), **totals, "skipped": _skipped(report)})
    properties = SubElement(suite, "properties")
    known = {"command": words.command_words(report), "gameserver": report.version, "seed": str(report.seed)}
    for key, known_value in known.items():
        SubElement(properties, "property", {"name": key, "value": words.visible(known_value)})
    for result in report.results:
        _case(suite, report, result)
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _totals(report: CheckReport) -> dict[str, str]:
    counts = {"tests": len(report.results), "failures": len(report.blocking), "errors": 0}
    return {**{key: str(count) for key, count in counts.items()}, "time": _seconds(report.took_ms)}


def _skipped(report: CheckReport) -> str:
    """The number of skipped cases. Jenkins' schema has it for a suite only, not for the whole."""
    return str(len(report.results) - len(report.passed) - len(report.blocking))


def _case(suite: Element, report: CheckReport, result: ScenarioResult) -> None:
    about = {
        "name": words.visible(result.title),
        "classname": words.visible(f"{report.protocol}.{result.name}"),
        "time": _seconds(result.took_ms),
    }
    case = SubElement(suite, "testcase", about)
    if result.outcome is not Outcome.PASSED:
        message = words.visible(f"{result.level}, {result.outcome}: {words.outcome_reason(result)}")
        if result.blocks:
            failure = SubElement(case, "failure", {"message": message, "type": str(result.outcome)})
            failure.text = words.visible(_explanation(result), _LINES)
        else:
            SubElement(case, "skipped", {"message": message})
    if text := _system_out(result):
        SubElement(case, "system-out").text = words.visible(text, _LINES)


def _explanation(result: ScenarioResult) -> str:
    lines = [text for what_and_where in words.happened(result) for text in what_and_where if text]
    if result.outcome is Outcome.FAILED:
        lines += [f"{label}: {text}" for label, text in words.explanation(result)]
    return "\n".join(lines)


def _system_out(result: ScenarioResult) -> str:
    """Facts for finding the fault: none for a scenario that went well without a warning."""
    lines = [f"warning: {warning}" for warning in dict.fromkeys(result.warnings)]
    if result.outcome is not Outcome.PASSED:
        if not result.blocks:
            lines += _explanation(result).splitlines()
        lines += [words.wire_line(heard) for heard in result.wire]
        lines += [f"| {line}" for line in result.output]
    return "\n".join(lines)


def _seconds(took_ms: int) -> str:
    return f"{took_ms / 1000:.3f}"
