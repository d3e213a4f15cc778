"""The steps of scenarios, as the part of docs/check.md that `make_reference` keeps up to date."""

import inspect
import re
from pathlib import Path

from gameserver.check.steps import FORMS, REPEAT, StepForm

PAGE = Path(__file__).parents[1] / "docs" / "check.md"
TOP = """\
| step | what it does |
|---|---|
"""


def check_page() -> str:
    """Writes docs/check.md anew, with its table of the steps of scenarios."""
    kept = PAGE.read_text(encoding="utf-8")
    before, begin, rest = kept.partition("<!-- steps -->\n")
    _, end, after = rest.partition("<!-- end -->")
    assert begin, "the page has lost the mark in front of its steps"
    assert end, "the page has lost the mark behind its steps"
    return f"{before}{begin}{step_table()}{end}{after}"


def step_table() -> str:
    """Writes the rows of docs/check.md: one for each way to write a step; the ways of one step share the meaning."""
    rows = {form.text: _meaning(form) for form in (*FORMS, REPEAT)}
    return TOP + "".join(f"| `{_written(text)}` | {meaning} |\n" for text, meaning in rows.items())


def _written(text: str) -> str:
    """A form with its fields as words: `CLIENT meets PLAYER[, WHO first]`."""
    return re.sub(r"\{(\w+)\}", lambda field: field[1].removesuffix("_s").upper(), text).replace("|", "\\|")


def _meaning(form: StepForm) -> str:
    return " ".join((inspect.getdoc(form.step) or "").split()).replace("|", "\\|")
