"""GUIDs: how they are read, how the server makes them, and GUIDs that stand for names.

A match id is of version 4, random but for its last digit, which tells the modus it was joined with.
The lobby knows opponents and not modi, and a payload must name it in every event, after a restart
too; so the one thing that a client keeps of its search tells it.
"""

import re
from hashlib import sha1, sha256

from protocols.gammonx.numbers import MatchModus

NIL = "00000000-0000-0000-0000-000000000000"
"""The GUID that stands for none."""

PLAYER_PREFIX = "gx-"
"""The beginning of this protocol's names; twelve digits of the player's GUID follow."""

_GUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NAMESPACE = bytes.fromhex("5b0e5d9c3c6d4a7f9a54c2b7f0f6a1de")


def read_guid(text: object) -> str | None:
    """The GUID in its one spelling, lower case with hyphens; None where it is none."""
    found = text.lower() if isinstance(text, str) else ""
    return found if _GUID.fullmatch(found) else None


def player_name(guid: str) -> str:
    """The lobby's name for the player of a GUID: its two ends, because GUIDs made by hand differ in one of them."""
    digits = guid.replace("-", "")
    return f"{PLAYER_PREFIX}{digits[:6]}{digits[-6:]}"


def match_guid(new_id: str, modus: MatchModus) -> str:
    """The id of a new search; `new_id` is an id that nobody can guess."""
    digits = _digits(sha256(new_id.encode()).digest(), version=4)
    return _hyphenated(f"{digits[:-1]}{int(modus):x}")


def modus_of(match_id: str) -> MatchModus:
    """The modus that a search was begun with."""
    number = int(match_id[-1], 16)
    return MatchModus(number) if number in set(MatchModus) else MatchModus.NORMAL


def named_guid(name: str) -> str:
    """The GUID, of version 5, for a player or thing that has only a name."""
    # SHA-1 is what version 5 is made of; nothing is kept secret by it.
    return _hyphenated(_digits(sha1(_NAMESPACE + name.encode(), usedforsecurity=False).digest(), version=5))


def _digits(random: bytes, version: int) -> str:
    digits = random[:16].hex()
    variant = f"{int(digits[16], 16) & 3 | 8:x}"
    return f"{digits[:12]}{version}{digits[13:16]}{variant}{digits[17:]}"


def _hyphenated(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
