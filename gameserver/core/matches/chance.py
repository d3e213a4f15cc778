"""Chance that can be checked afterwards: every draw is a function of a journaled secret.

A draw is HMAC-SHA256(seed, purpose | key | n), so it depends only on the seed, its purpose, and the number of draws
before it in the match. The key is the match's number, or a label under which two matches of a tournament get the same
draws. The seed never leaves the journal: nobody can predict a draw, and the teacher can recompute all of them.
Rejected: Python's own `random`, because its stream depends on every earlier draw of all matches, in the order in which
they came.
"""

import hmac
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_WORD_BYTES = 8
_WORDS_IN_DIGEST = 4
_WORD_SPAN = 1 << (8 * _WORD_BYTES)


def number_below(limit: int, seed: str, purpose: str, key: int | str, n: int) -> int:
    """A number from 0 to `limit - 1`, all equally likely.

    Words beyond the last whole multiple of `limit` are skipped, which removes the bias of a plain remainder.
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
