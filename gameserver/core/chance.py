"""Chance that can be checked afterwards: every draw is a function of a journaled secret.

A draw is HMAC-SHA256(seed, purpose | key | n), so it depends on nothing but the seed, what it is
for, and how many draws the match has had. The key is the match's number, or a label under which two
matches of a tournament get the same draws. The seed never leaves the journal: nobody can foretell a
draw, and the teacher can recompute all of them. Python's own `random` was rejected because its
stream depends on every draw before, in whatever order unlike matches made them.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, TypeVar

T = TypeVar("T")

_BLOCK_BYTES = 64
"""SHA-256 takes in so many at once."""
_WORD_BYTES = 8
_WORDS_IN_DIGEST = 4
_WORD_SPAN = 1 << (8 * _WORD_BYTES)


@lru_cache(maxsize=64)
def _keyed(seed: str) -> tuple[Any, Any]:
    """The inner and the outer hash of an HMAC (RFC 2104) that have taken in its key, to make copies of.

    The library's own HMAC looks its algorithm up and takes the key in for each draw, which takes twice as long.
    """
    key = bytes.fromhex(seed)
    block = (key if len(key) <= _BLOCK_BYTES else sha256(key).digest()).ljust(_BLOCK_BYTES, b"\0")
    return sha256(bytes(byte ^ 0x36 for byte in block)), sha256(bytes(byte ^ 0x5C for byte in block))


def _digest(seed: str, label: str) -> bytes:
    keyed_inner, keyed_outer = _keyed(seed)
    inner, outer = keyed_inner.copy(), keyed_outer.copy()
    inner.update(label.encode())
    outer.update(inner.digest())
    digest: bytes = outer.digest()
    return digest


def number_below(limit: int, seed: str, purpose: str, key: int | str, n: int) -> int:
    """A number from 0 to `limit - 1`, each as likely as the other.

    Words beyond the last whole multiple of `limit` are passed over, which takes the bias of a plain
    remainder away.
    """
    fair_span = _WORD_SPAN - _WORD_SPAN % limit
    attempt = 0
    while True:
        digest = _digest(seed, f"{purpose}|{key}|{n}|{attempt}")
        for word in range(_WORDS_IN_DIGEST):
            value = int.from_bytes(digest[word * _WORD_BYTES : (word + 1) * _WORD_BYTES])
            if value < fair_span:
                return value % limit
        attempt += 1


def shuffled(items: Sequence[T], seed: str, purpose: str, match: int) -> tuple[T, ...]:
    """The items in a random order (Fisher and Yates)."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = number_below(last + 1, seed, purpose, match, last)
        order[last], order[other] = order[other], order[last]
    return tuple(order)
