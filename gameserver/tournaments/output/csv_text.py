"""CSV for spreadsheets: the separators that a country's spreadsheet expects, and texts that stay texts.

A spreadsheet set to Dutch or German separates columns with semicolons and writes 7,5. Given 7.5 it shows the 7th of
May. So the style says how numbers are written, and callers pass numbers as numbers: `int`, or `Decimal`.

A name is what a student chose, and a spreadsheet runs a cell that begins like a formula and makes dates of `1-2`, `8/5`
or `dec5`: such a text gets an apostrophe in front. A sign alone, as in a crosstable, is neither.

Lines end in CRLF, as RFC 4180 has it; write the text as UTF-8 with a byte order mark (`utf-8-sig`), or Excel takes it
for something else.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import StrEnum


class CsvStyle(StrEnum):
    """The country whose spreadsheets a file is for."""

    ENGLISH = "english"
    DUTCH = "dutch"
    GERMAN = "german"

    @property
    def separator(self) -> str:
        """The character between two columns."""
        return "," if self is CsvStyle.ENGLISH else ";"

    @property
    def decimal_sign(self) -> str:
        """The character before the decimals of a number."""
        return "." if self is CsvStyle.ENGLISH else ","


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MONTHS = (
    "jan(?:uary|uari|uar)?|feb(?:ruary|ruari|ruar)?|mar(?:ch)?|mrt|maart|märz?|mrz|apr(?:il)?|may|mei|mai|june?|juni"
    "|july?|juli|aug(?:ust|ustus)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?|dez(?:ember)?"
)
_DATE = re.compile(
    r"\s*(?:"
    r"\d{1,4}\s*[-/.]\s*\d{1,4}(?:\s*[-/.]\s*(?:\d{1,4})?)?"  # 1-2, 8/5, 3.5, 1.2.2026
    r"|\d{1,4}:\d{1,2}(?::\d{1,2})?"  # 12:30
    rf"|\d{{1,4}}[-/. ]*(?:{_MONTHS})\.?(?:[-/. ]*\d{{1,4}})?"  # 5 may
    rf"|(?:{_MONTHS})[-/. ]*\d{{1,4}}(?:[-/., ]+\d{{1,4}})?"  # dec5
    r")\s*",
    re.IGNORECASE,
)
"""Texts that Excel or LibreOffice takes for a date or a time in English, Dutch or German."""


def csv_line(cells: Iterable[object], style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """One line, ended."""
    line = io.StringIO()
    csv.writer(line, delimiter=style.separator).writerow([_cell(cell, style) for cell in cells])
    return line.getvalue()


def csv_text(lines: Iterable[Sequence[object]], style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """A whole file."""
    return "".join(csv_line(line, style) for line in lines)


def _cell(cell: object, style: CsvStyle) -> object:
    if isinstance(cell, Decimal | float):
        return str(cell).replace(".", style.decimal_sign)
    if isinstance(cell, str) and is_at_risk(cell):
        return f"'{cell}"
    return cell


def is_at_risk(text: str) -> bool:
    """True if a spreadsheet would run a text, or make a date of it."""
    is_formula = len(text) > 1 and text.startswith(_FORMULA)
    return is_formula or _DATE.fullmatch(text) is not None
