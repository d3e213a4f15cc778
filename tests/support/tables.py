"""Tables of plain text, in a file beside the tests that go through them row by row."""

import re
from ast import literal_eval
from pathlib import Path

_ESCAPED = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt\\])")
_PARTED = re.compile(r"(?<= )\|(?= )")


def table(test_file: str, heading: str) -> list[tuple[str, ...]]:
    r"""The rows under a heading of the text file of a test file.

    A heading is a line `# heading`. The cells of a row are parted by `|` between spaces; what no editor shows is
    written as in Python, also a space at either end of a cell: `\n`, `\x20`, `\u2028`, `\\`.
    """
    text = Path(test_file).with_suffix(".txt").read_text("utf-8")
    parts = dict(part.split("\n", 1) for part in f"\n{text}".split("\n# ")[1:])
    return [tuple(map(_read, _PARTED.split(f" {line} "))) for line in parts[heading].splitlines() if line]


def lines(test_file: str, heading: str) -> list[str]:
    """The same of a table with one column."""
    return [cell for (cell,) in table(test_file, heading)]


def _read(cell: str) -> str:
    return _ESCAPED.sub(lambda found: str(literal_eval(f"'{found[0]}'")), cell.strip(" "))
