"""The report as JSON, for programs.

The object has `format` and `version`; fields may be added within a version, so a reader ignores those that it does not
know. `version` grows when a field goes or changes its meaning. docs/check.md describes the fields.
"""

import json
from typing import Any

from gameserver.check.report import CheckReport, ScenarioResult

FORMAT = "gameserver-check"
VERSION = 1


def json_report(report: CheckReport) -> str:
    """The report as one JSON object, in ASCII: so any console and file can take it, whatever its encoding."""
    return json.dumps(_report(report), indent=2) + "\n"


def _report(report: CheckReport) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "gameserver": report.version,
        "command": list(report.command),
        "protocol": report.protocol,
        "game": report.game,
        "seed": report.seed,
        "ready": report.is_ready,
        "unplayed": report.unplayed,
        "passed": len(report.passed),
        "failed": len(report.failed),
        "not_reached": len(report.not_reached),
        "could_not_be_played": len(report.not_playable),
        "took_ms": report.took_ms,
        "starting_ms": report.starting_ms,
        "scenarios": [_scenario(result) for result in report.results],
    }


def _scenario(result: ScenarioResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "title": result.title,
        "level": str(result.level),
        "outcome": str(result.outcome).replace(" ", "_"),
        "blocks": result.blocks,
        "findings": [
            {"what": finding.what, "step": finding.step, "line": finding.line, "sent": finding.sent}
            for finding in result.findings
        ],
        "warnings": list(result.warnings),
        "wire": [{"at_us": heard.at_us, "to_client": heard.to_client, "text": heard.text} for heard in result.wire],
        "output": list(result.output),
        "faults": result.faults,
        "document": result.document,
        "failure": result.failure and str(result.failure),
        "change": result.change,
        "often": result.often,
        "source": result.source,
        "same_as": result.same_as,
        "took_ms": result.took_ms,
        "starting_ms": result.starting_ms,
        "file": result.file,
    }
