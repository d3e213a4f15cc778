"""Texts that players and broken clients send for a move."""

import random

JUNK = (
    "",
    " ",
    "-1",
    "+1",
    "01",
    "1.0",
    "1e3",
    "1_0",
    "0x1",
    "-0",
    "--1",
    "99999999999999999999",
    "9" * 5000,
    "x" * 5000,
    "٤",
    "\uff14",
    "²",
    "½",
    "é",
    "🎲",
    "\ud800",
    "\x00",
    "\n",
    "\r\n",
    "\t1",
    "1\n",
    '"',
    '"1"',
    "'",
    "\\",
    "%s",
    "{0}",
    "{}",
    "[]",
    "[1]",
    "1 2",
    "1,2",
    "a1",
    "A",
    "(0, 0)",
    "None",
    "null",
    "true",
    "nan",
    "inf",
    "pass",
    "resign",
    "?",
)

_ALPHABET = "0123456789 abcxyzABC+-.,:;/'\"{}[]()?!\n\t\x00é٤\uff14²🎲"


def bent(text: str, chance: random.Random) -> str:
    """A move's text with one mistake."""
    place = chance.randrange(len(text) + 1)
    letter = chance.choice(_ALPHABET)
    return chance.choice(
        (
            text[:place] + letter + text[place:],
            text[:place] + text[place + 1 :],
            text + text,
            text.upper(),
            text.lower(),
            text[::-1],
            " " + text,
            text + " ",
            "0" + text,
            text + ".0",
        )
    )


def noise(chance: random.Random) -> str:
    """A few letters out of nowhere."""
    return "".join(chance.choices(_ALPHABET, k=chance.randrange(1, 9)))
