"""The rule by which chance falls: pure functions, so that players can check afterwards that nothing was chosen.

    S = 32 bytes from `secrets`: the seed of an epoch of the server, or of a tournament
    K = HMAC-SHA256(S, "match|" + key)           the secret of a match, by its number or by the label of its pair
    D = HMAC-SHA256(K, contributions)            the key of its draws
    a draw = HMAC-SHA256(D, "purpose|n|attempt")

Whatever is secret is committed to before it can be of use: SHA-256(S) is told before anybody comes in, SHA-256(K) when
the match opens. Players may add bytes of their own, which the server does not know when it commits to S. K is told when
no match can use it any more, S when no match of it is left. So each draw depends on its place alone, not on what was
drawn before it or in other matches, as the stream of Python's `random` would.

Contributions are written, in the order of the bytes of the names in UTF-8, as the length of the name in two bytes, big
end first, the name, the length of the bytes in two bytes, and the bytes. Without any, D = HMAC-SHA256(K, "").

The purposes are `seats` (the order of the players), `draw` (a number for each die) and `late` (a move in a player's
place); `n` counts each from 0 through all games of the match. A draw's 32 bytes are four words, big end first. A word
counts modulo the number of sides; words from the last whole multiple of that on are skipped, which removes the bias of
a plain remainder, and after four of them the next attempt draws again.

The choices of house players are HMAC-SHA256(S, "house|..."), and lots of tournaments HMAC-SHA256(S, "lot|..."): no
label of one kind can be one of another.
"""

import hashlib
import hmac
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

Contributions = tuple[tuple[str, str], ...]
"""The bytes that players have added to the chance of a match: each name, with its bytes in hex."""

_WORDS = Struct(">4Q")
"""The words of a SHA-256 digest, of which nearly always the first counts."""

_WORD_SPAN = 1 << 64

SIDES_MAX = _WORD_SPAN
"""The most numbers from which a draw can be."""


# A match's opening, its record and its pages ask for the same few again and again.
@lru_cache(256)
def commitment(secret: str) -> str:
    """The SHA-256 of a secret, both in hex: it can be told before the secret is, and binds to it."""
    return hashlib.sha256(bytes.fromhex(secret)).hexdigest()


def match_key(seed: str, key: int | str) -> str:
    """The secret K of a match in hex, by the seed and the match's number or the label of its pair."""
    return _keyed(seed, f"match|{key}".encode()).hex()


def draw_key(key: str, contributions: Contributions) -> str:
    """The key D of a match's draws in hex, by its secret K and what its players have added."""
    added = sorted([(name.encode(), bytes.fromhex(data)) for name, data in contributions])
    return _keyed(key, b"".join([_sized(part) for one in added for part in one])).hex()


def lot(seed: str, purpose: str, name: str) -> int:
    """The lot of a player in a tournament: a number that nobody can foretell without the seed."""
    # Keyed, so that no player can try names until one draws a good number.
    return int.from_bytes(_keyed(seed, f"lot|{purpose}|{name}".encode()))


def number_below(limit: int, key: str, purpose: str, n: int) -> int:
    """Draws by chance a number from 0 to `limit - 1`, all equally likely, by key, purpose and place alone."""
    fair_span = _WORD_SPAN - _WORD_SPAN % limit
    attempt = 0
    while True:
        value: int
        for value in _WORDS.unpack(_keyed(key, f"{purpose}|{n}|{attempt}".encode())):
            if value < fair_span:
                return value % limit
        attempt += 1


def drawn_lots(count: int, key: str, purpose: str) -> tuple[int, ...]:
    """Draws the lots by which so many items are put in order: one from 1 to `count`, then one fewer each, down to 2."""
    return tuple([1 + number_below(count - n, key, purpose, n) for n in range(count - 1)])


def in_drawn_order(items: Sequence[T], lots: Sequence[int]) -> tuple[T, ...]:
    """Puts items in the order of the lots drawn for them, each order equally likely (Fisher and Yates).

    The item in the place that a lot names, from 1, changes places with the last that no lot has moved yet.
    """
    order = list(items)
    for n, place in enumerate(lots):
        last, other = len(order) - 1 - n, place - 1
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def _keyed(key: str, message: bytes) -> bytes:
    # One call of C; `hmac.new` makes an object of Python first.
    return hmac.digest(bytes.fromhex(key), message, "sha256")


def _sized(part: bytes) -> bytes:
    return len(part).to_bytes(2) + part
