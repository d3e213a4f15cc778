"""A line of Markdown for a README that says how a client did in its check.

One form is a picture of shields.io's static badges, the other needs no outside service.
"""

from urllib.parse import quote

from gameserver.check.report import CheckReport
from gameserver.check.reports import words

SHIELDS_URL = "https://img.shields.io/badge"
LABEL = "gameserver check"


def picture_badge(report: CheckReport) -> str:
    """A Markdown image: `![gameserver check: ready for Reversi](https://img.shields.io/badge/...)`."""
    colour = "brightgreen" if report.is_ready else "lightgrey" if report.went_well else "red"
    message = _message(report)
    parts = "-".join(_shields(part) for part in (LABEL, message, colour))
    return f"![{LABEL}: {_markdown(message)}]({SHIELDS_URL}/{parts})"


def text_badge(report: CheckReport) -> str:
    """A line of Markdown without a picture."""
    levels = ", ".join(f"{passed} of {count} {level}" for level, passed, count in words.level_counts(report))
    return (
        f"**{LABEL}** {_markdown(report.version)}: {_state(report)} for {_markdown(report.game)} over"
        f" {_markdown(report.protocol)} ({levels or 'no scenarios'} passed)"
    )


def badge(report: CheckReport) -> str:
    """Both forms, a line each: take one of them."""
    return f"{picture_badge(report)}\n{text_badge(report)}\n"


def _message(report: CheckReport) -> str:
    return f"{_state(report)} for {report.game}, {len(report.passed)}/{len(report.results)}"


def _state(report: CheckReport) -> str:
    if report.is_ready:
        return "ready"
    return "checked in part" if report.went_well else "not ready"


def _shields(text: str) -> str:
    """A part of a static badge's path: https://shields.io/badges says that `-` and `_` are written twice."""
    return quote(text.replace("-", "--").replace("_", "__"), safe="")


def _markdown(text: str) -> str:
    """The text with the characters escaped that mean something in Markdown."""
    return "".join(f"\\{char}" if char in "\\`*_[]<>#|" else char for char in words.visible(text))
