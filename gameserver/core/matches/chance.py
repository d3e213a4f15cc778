"""Chance that can be checked afterwards: every draw is a function of a journaled secret.

A draw is HMAC-SHA256(seed, purpose | key | n), so it depends on nothing but the seed, what it is
for, and how many draws the match has had. The key is the match's number, or a label under which two
matches of a tournament get the same draws. The seed never leaves the journal: nobody can foretell a
draw, and the teacher can recompute all of them. Python's own `random` was rejected because its
stream depends on every draw before, in whatever order unlike matches made them.
"""

import hmac
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_WORD_BYTES = 8
_WORDS_IN_DIGEST = 4
_WORD_SPAN = 1 << (8 * _WORD_BYTES)


def number_below(limit: int, seed: str, purpose: str, key: int | str, n: int) -> int:
    """A number from 0 to `limit - 1`, each as likely as the other.

    Words beyond the last whole multiple of `limit` are passed over, which takes the bias of a plain
    remainder away.
    """
    fair_span = _WORD_SPAN - _WORD_SPAN % limit
    attempt = 0
    while True:
        label = f"{purpose}|{key}|{n}|{attempt}".encode()
        digest = hmac.digest(bytes.fromhex(seed), label, "sha256")
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
