"""Lots that can be checked: each is a keyed digest of what it is drawn for, whatever was drawn before."""

import hmac
from collections.abc import Iterable


def lot(seed: str, purpose: str, name: str) -> int:
    """A number that nobody can foretell without the seed; players are ordered by it."""
    return int.from_bytes(hmac.digest(bytes.fromhex(seed), f"{purpose}|{name}".encode(), "sha256"))


def by_lot(names: Iterable[str], seed: str, purpose: str) -> tuple[str, ...]:
    """The names in an order drawn by lot, the same for any order in which they are given."""
    return tuple(sorted(names, key=lambda name: (lot(seed, purpose, name), name)))
