"""Cuts what a player said, before it is kept or repeated to others.

A line may have 16 KB. A client that sent such moves as fast as the server takes them would fill 36 GB a day
with records, rows and log lines, and have all of it sent to the opponent. The wire log alone keeps the
whole.
"""

SAID_LENGTH_MAX = 100
WHY_LENGTH_MAX = 240
"""Characters of a reason: a game may repeat the move in it."""


def quoted(said: str, length_max: int = SAID_LENGTH_MAX) -> str:
    """The text as it is kept and repeated: cut with three dots at its end, and without lone surrogates."""
    return as_text(said if len(said) <= length_max else f"{said[: length_max - 3]}...")


def as_text(said: str) -> str:
    """The text with a question mark for each lone surrogate."""
    return said if is_text(said) else said.encode("utf-8", "replace").decode()


def is_text(said: str) -> bool:
    r"""True if the text can be written down. JSON lets half a surrogate pair in, as `"\ud800"`; UTF-8 does not."""
    if said.isascii():
        return True
    try:
        said.encode()
    except UnicodeEncodeError:
        return False
    return True
