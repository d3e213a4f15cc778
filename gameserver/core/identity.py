"""Names that a player may have, the person behind one, and what is kept of what they say.

There is one namespace for the whole lobby, whatever the protocol, and it is exact in case. Quotes, braces and brackets
are refused because the text protocol puts names between them without any escape. Names outside ASCII are judged further
by `gameserver.authentication.names`, whose tables change with Unicode and so are kept out of replays.

A roster binds names to secrets. It is looked at outside the core, where the secret stays: the core is told the outcome,
and the journal keeps no more than that.

Text of a player is cut before it is kept or repeated to others. A line may have 16 KB: a client that sent such moves
as fast as the server takes them would fill 36 GB a day with records, rows and log lines, and have all of it sent to the
opponent. The wire log alone keeps the whole.
"""

import re
from enum import StrEnum

# The text protocol writes names between these as they are. No server of it escapes anything, and clients cut lines at
# them.
FORBIDDEN = frozenset('"{}[]')

_GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
NO_GUID = "00000000-0000-0000-0000-000000000000"
"""The GUID that stands for none."""
# The first two are what Connect Four clients read as an empty place in a room.
RESERVED_NAMES = ("no player1 yet", "no player2 yet", "server")
"""Names that mean something to a protocol, in lower case."""

HOUSE_PREFIX = "house-"
"""The beginning of the names of house players, which nobody else has."""
# Of Mastermind's players, who have no names; of names made of GammonX's GUIDs.
_RESERVED_PREFIXES = ("mm-", "gx-", HOUSE_PREFIX)


def is_allowed_name(name: str, length_max: int) -> bool:
    """True if a player may have this name as their identity: it is well-formed, and not reserved."""
    return name_problem(name, length_max) is None and not is_reserved_name(name)


def is_reserved_name(name: str) -> bool:
    """True for an identity nobody may choose: it means something to a protocol, or is for our own players."""
    folded = name.casefold()
    return folded in RESERVED_NAMES or folded.startswith(_RESERVED_PREFIXES) or is_guid(name)


def is_guid(name: str) -> bool:
    """True if a player's name has the shape of a GUID, as the identity of each of GammonX's players has."""
    return _GUID.fullmatch(name) is not None


def name_problem(name: str, length_max: int) -> str | None:
    """The reason why this name can be no person's identity in the lobby; None if it can be somebody's.

    The name is trimmed already.
    """
    if not name.strip():
        return "a name needs at least one visible character"
    if name != name.strip():
        return "a name must not begin or end with a space"
    if len(name) > length_max:
        return f"a name has at most {length_max} characters, this one has {len(name)}"
    # A line break in a name would make two lines of one in every protocol of lines.
    if not name.isprintable():
        return "a name must not contain control or invisible characters"
    if FORBIDDEN.intersection(name):
        return 'a name must not contain " { } [ or ]'
    return None


class Proof(StrEnum):
    """The roster's judgement of a person who wants to come in."""

    OPEN = "open"
    """Nothing: the name belongs to the first player who takes it."""
    PROVEN = "proven"
    """The name is bound, and this is its player."""
    UNPROVEN = "unproven"
    """The name is bound, and no secret came with it."""
    WRONG = "wrong"
    TOO_OFTEN = "too often"
    """The secret is wrong, after others on the same connection, which ends with this answer."""
    SLIP = "slip"
    """A secret came with a name one letter away from a bound one. It must not become part of a public name."""
    STRANGER = "stranger"
    """Only names on the roster may come in, and this one is not on it."""


# Judgement: enough for a student to recognize what the program sent.
SAID_LENGTH_MAX = 100
# SAID_LENGTH_MAX, and a sentence of the game around it.
WHY_LENGTH_MAX = 240
"""Characters of a reason: a game may repeat the move in it."""


def quoted(said: str, length_max: int = SAID_LENGTH_MAX) -> str:
    """Shortens what a player said to the length that is kept of it, and replaces its lone surrogates."""
    return as_text(said if len(said) <= length_max else f"{said[: length_max - 3]}...")


def as_text(said: str) -> str:
    """Makes what a player said fit to be kept: each lone surrogate in it becomes a question mark."""
    return said if is_text(said) else said.encode("utf-8", "replace").decode()


def is_text(said: str) -> bool:
    r"""True if what a player said can be written down.

    JSON lets half a surrogate pair in, as `"\ud800"`; UTF-8 does not.
    """
    # Nearly all text is ASCII. CPython keeps that as a flag of the string; encoding would copy it.
    if said.isascii():
        return True
    try:
        said.encode()
    except UnicodeEncodeError:
        return False
    return True
