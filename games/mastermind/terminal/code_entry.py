"""Reading a code that a person typed: `red blue green yellow`, `r b g y`, `rbgy`, `0123`, or any mixture."""

import difflib
import re

from games.mastermind import Code, CodeError, Configuration, check_code
from games.mastermind.terminal.palette import Palette

_WORDS = re.compile(r"[\s,;-]+")
TEXT_LENGTH_MAX = 1_000


class EntryError(ValueError):
    """This cannot be read as a code; the text tells the person what was wrong and what would do."""


def read_entry(text: str, palette: Palette, configuration: Configuration) -> Code:
    """The code that was typed; raises `EntryError` where it is none of this game."""
    if len(text) > TEXT_LENGTH_MAX:
        raise EntryError(f"That is too long for a code of {_colours(configuration.code_length)}.")
    words = [word for word in _WORDS.split(text.casefold()) if word]
    if not words:
        raise EntryError(f"Type {_colours(configuration.code_length)}, such as: {_example(palette, configuration)}")
    alone = len(words) == 1
    code = tuple(value for word in words for value in _values_of(word, palette, alone=alone))
    try:
        return check_code(configuration, code)
    except CodeError:
        wanted, got = configuration.code_length, len(code)
        example = _example(palette, configuration)
        raise EntryError(f"The code has {_colours(wanted)} and not {got}. Type for example: {example}") from None


def _value_of_mark(mark: str, palette: Palette) -> int | None:
    """The value of a letter or a digit."""
    for value, colour in enumerate(palette.colours):
        if mark in {colour.letter.casefold(), str(value)}:
            return value
    return None


def _values_of(word: str, palette: Palette, *, alone: bool) -> tuple[int, ...]:
    """The values of letters and digits in a row, or of one colour.

    A word such as `or` can be both: alone it is letters, among other words the beginning of a name.
    """
    values = tuple(value for mark in word if (value := _value_of_mark(mark, palette)) is not None)
    is_row = len(values) == len(word) > 1
    if is_row and (alone or not any(colour.name.startswith(word) for colour in palette.colours)):
        return values
    return (_value_of(word, palette),)


def _value_of(word: str, palette: Palette) -> int:
    """The value of a letter, a digit, a name, or the beginning of one name alone."""
    value = _value_of_mark(word, palette)
    if value is not None:
        return value
    names = [colour.name for colour in palette.colours]
    meant = [name for name in names if name.startswith(word)]
    if len(meant) == 1:
        return names.index(meant[0])
    if meant:
        raise EntryError(f"{word!r} could be {' or '.join(meant)}; type a letter more.")
    if word.isdecimal():
        raise EntryError(f"{word!r} is none of the numbers here, which go from 0 to {len(names) - 1}.")
    close = difflib.get_close_matches(word, names, n=1)
    advice = f"did you mean {close[0]}?" if close else f"there are {', '.join(names)}."
    raise EntryError(f"{word[:30]!r} is not a colour here; {advice}")


def _example(palette: Palette, configuration: Configuration) -> str:
    colours = palette.colours
    return " ".join(colours[place % len(colours)].letter for place in range(configuration.code_length)).casefold()


def _colours(count: int) -> str:
    return "1 colour" if count == 1 else f"{count} colours"
