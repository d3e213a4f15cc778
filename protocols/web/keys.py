"""The key by which a player takes the own name and seat back: 22 characters of base64url, 128 random bits.

The server makes it at the first login, and the client keeps it. The lobby is told its SHA-256 alone, so that neither
the journal nor a snapshot has what lets somebody in.
"""

import hashlib
import re

_KEY = re.compile("[A-Za-z0-9_-]{22}")


def is_key(text: str) -> bool:
    """True if the text looks like a key."""
    return _KEY.fullmatch(text) is not None


def hashed(key: str) -> str:
    """The key as the lobby knows it."""
    return hashlib.sha256(key.encode()).hexdigest()
