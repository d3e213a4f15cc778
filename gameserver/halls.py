"""Names of halls: servers side by side over one database, each the leader of a journal of its own.

A hall plays its own matches and tournaments; records, ratings and the roster are of all halls. The first hall needs no
name, and is called `first` in addresses.
"""

import re
from typing import TYPE_CHECKING

from attrs import field

from gameserver.values import value

if TYPE_CHECKING:
    from attrs import Attribute

FIRST_WORD = "first"
"""The hall without a name, in addresses."""
# Characters that need no quoting in a URL, in lower case alone.
_NAME = re.compile(r"[a-z0-9-]{1,32}")


def _is_name(_instance: object, attribute: "Attribute[str]", name: str) -> None:
    if name == FIRST_WORD:
        message = f"{name!r} means the hall without a name; leave it out, or take another name"
        raise ValueError(message, attribute)
    if name and not _NAME.fullmatch(name):
        message = f"{name!r} is not a name of a hall; take 1 to 32 of the letters a to z, digits and hyphens"
        raise ValueError(message, attribute)


@value
class HallSettings:
    """The settings of this server's hall, where several servers share a PostgreSQL database."""

    name: str = field(default="", validator=_is_name)
    """The hall's name: 1 to 32 of the letters a to z, digits and hyphens, but not `first`, which the first hall is
    called in addresses. Servers of one name are one hall: one leads, the others stand by. Empty for the first hall, and
    with a data file."""


def hall_word(name: str) -> str:
    """The word for a hall in addresses."""
    return name or FIRST_WORD


def hall_of_word(word: str) -> str | None:
    """The name of the hall for which a word stands in an address; None if no hall can have that name."""
    if word == FIRST_WORD:
        return ""
    return word if _NAME.fullmatch(word) else None


def hall_title(name: str) -> str:
    """The title of a hall, as people read it."""
    return f"Hall {name}" if name else "First hall"


def hall_phrase(name: str) -> str:
    """The phrase for a hall within a sentence."""
    return f"hall {name}" if name else "the first hall"
