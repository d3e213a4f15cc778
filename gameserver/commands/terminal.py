"""The terminal, for tables and lines with names in them: what a student chose is shown as it is.

rich reads `[/b]` and `:smile:` in any text as its own language, and fails over a tag that closes nothing.
"""

from typing import IO

from rich.console import Console


def plain_console(file: IO[str] | None = None) -> Console:
    """A console that takes every text as it is; standard output unless a file is given."""
    return Console(file=file, markup=False, emoji=False, highlight=False)
