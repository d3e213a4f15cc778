"""CSV for spreadsheets: the separators that a country's spreadsheet expects, and texts that stay texts.

A spreadsheet set to Dutch or German separates columns with semicolons and writes 7,5. Given 7.5 it shows the 7th of
May. So the style says how numbers are written, and callers pass numbers as numbers: `int`, or `Decimal`.

A name is what a student chose, and a spreadsheet runs a cell that begins like a formula, makes dates of `1-2`, `8/5` or
`dec5`, and shows 7 for `007`, 100000 for `1e5` and WAHR for `wahr`: such a text gets an apostrophe in front. A sign
alone, as in a crosstable, is none of these, and a whole number reads the same either way. The tests name the texts that
LibreOffice 7.4 reads so, under all three locales.

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
    """The country whose spreadsheets a CSV text is for: its separator and its decimal sign."""

    ENGLISH = "english"
    DUTCH = "dutch"
    GERMAN = "german"

    @property
    def separator(self) -> str:
        """The character between two columns of a CSV text, comma or semicolon by country."""
        return "," if self is CsvStyle.ENGLISH else ";"

    @property
    def decimal_sign(self) -> str:
        """The character before the decimals of a number in a CSV text, by country."""
        return "." if self is CsvStyle.ENGLISH else ","


# The first characters of what a spreadsheet runs (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_MONTHS = (
    "jan(?:uary|uari|uar)?|feb(?:ruary|ruari|ruar)?|mar(?:ch)?|mrt|maart|märz?|mrz|apr(?:il)?|may|mei|mai|june?|juni"
    "|july?|juli|aug(?:ust|ustus)?|sept?(?:ember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?|dez(?:ember)?"
)
_WEEKDAY = r"(?:[a-zäöü]{2,9}\.?,?\s+)?"
_CURRENCY = r"(?:[€$£]|EUR|USD)"
_TIME = r"\d{1,4}:\d{1,2}(?::\d{1,2})?(?:[.,]\d+)?"
_AT_RISK = re.compile(
    r"\s*(?:"
    r"\d{1,4}\s*[-/.]\s*\d{1,4}(?:\s*[-/.]\s*(?:\d{1,4})?)?"  # 1-2, 8/5, 3.5, 1.2.2026
    rf"|{_TIME}(?:\s*[ap]m)?|\d{{1,2}}\s*[ap]m"  # 12:30, 3 pm
    rf"|{_WEEKDAY}\d{{1,4}}[-/. ]*(?:{_MONTHS})\.?(?:[-/. ]*\d{{1,4}})?"  # 5 may, ma 5 mei
    rf"|(?:{_MONTHS})[-/. ]*\d{{1,4}}(?:[-/., ]+\d{{1,4}})?"  # dec5
    rf"|\(?{_CURRENCY}?\s*(?:\d[\d.,]*|[.,]\d+)(?:e[+-]?\d+)?\s*(?:%|{_CURRENCY})?\)?"  # 007, 1e5, 1.000, €5, 5 %, (5)
    r"|\d+\s+\d+/\d+"  # 3 1/2
    r"|true|false|waar|onwaar|wahr|falsch"
    r")\s*",
    re.IGNORECASE,
)
"""Texts that Excel or LibreOffice takes for a date, a time, a number or a truth value in English, Dutch or German."""
_WHOLE = re.compile(r"0|[1-9]\d{0,14}")
"""Numbers that stay what they are. A spreadsheet keeps 15 digits."""


def csv_text(lines: Iterable[Sequence[object]], style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """The lines of a whole table as CSV text for a spreadsheet of this country."""
    return "".join(csv_line(line, style) for line in lines)


def csv_line(cells: Iterable[object], style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """One line of CSV text with its CRLF, its texts kept from becoming formulas or dates."""
    line = io.StringIO()
    csv.writer(line, delimiter=style.separator).writerow([_cell(cell, style) for cell in cells])
    return line.getvalue()


def _cell(cell: object, style: CsvStyle) -> object:
    if isinstance(cell, Decimal | float):
        return str(cell).replace(".", style.decimal_sign)
    if isinstance(cell, str) and is_at_risk(cell):
        return f"'{cell}"
    return cell


def is_at_risk(text: str) -> bool:
    """True if a spreadsheet that opens CSV would run a text, or show something else in its place."""
    # A sign alone is a cell of the crosstable, and no formula.
    if len(text) > 1 and text.startswith(_FORMULA):
        return True
    return _AT_RISK.fullmatch(text) is not None and _WHOLE.fullmatch(text) is None
