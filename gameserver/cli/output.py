"""Standard output, whatever it can show.

A console of Windows shows every character. Its pipes and redirections have the encoding of the country, such as cp1252,
and so has a terminal in an old locale; a name in another script must not end a command there.
"""

import sys
from collections.abc import Iterable
from io import TextIOWrapper

import click


def replace_what_cannot_be_shown() -> None:
    """Has standard output show `?` from now on for a character that its encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        # In cp1252 one name in another script would end a command by an UnicodeEncodeError.
        if isinstance(stream, TextIOWrapper) and not stream.encoding.lower().startswith("utf"):
            stream.reconfigure(errors="replace")


def write_data(texts: Iterable[str]) -> None:
    """Writes to standard output what a program is to read.

    It is always UTF-8 with line ends as they are, unless a person sits before it.
    """
    if sys.stdout.isatty():
        for text in texts:
            click.echo(text, nl=False)
        return
    # Click's output still waits in the text layer above this buffer.
    sys.stdout.flush()
    for text in texts:
        sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
