"""The report as one HTML file: nothing from elsewhere, no script, light and dark, readable on a phone."""

import re
from functools import partial

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gameserver.check.report import CheckReport, ScenarioResult
from gameserver.check.reports import words

CHARACTERS_IN_HTML_MAX = 2_000
"""Of a line of the wire or the output: a long list of players is there, a flood is not."""


def html_report(report: CheckReport) -> str:
    """The page. All texts in it are escaped: a client and its opponents chose many of them."""
    return _ENVIRONMENT.get_template("report.html").render(
        report=report,
        command=words.command_words(report),
        verdict=words.verdict(report),
        counts=words.counts(report),
        took=words.duration(report),
        levels=words.level_counts(report),
        meanings=words.LEVEL_MEANINGS,
        troubles=words.by_weight(report),
        warnings=words.warnings_of(report),
    )


def _explained(result: ScenarioResult) -> list[tuple[str, str, bool]]:
    """The parts of an explanation: a label, the text, and whether it is code."""
    return [
        (label, words.shortened(words.visible(text), CHARACTERS_IN_HTML_MAX), label in words.CODE_LABELS)
        for label, text in words.explanation(result)
    ]


def _prose(text: str) -> Markup:
    """A sentence; what stands between backticks in it is code."""
    escaped = str(escape(words.visible(text)))
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped))  # noqa: S704 - escaped in the line above


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("gameserver.check", "reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "prose": _prose,
        "visible": words.visible,
        "shortened": partial(words.shortened, characters_max=CHARACTERS_IN_HTML_MAX),
        "moment": words.moment,
        "seconds": words.seconds,
    }
    environment.globals |= {"happened": words.happened, "explained": _explained}
    return environment


_ENVIRONMENT = _environment()
