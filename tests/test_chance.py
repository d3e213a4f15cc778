"""The rule of chance, worked out by hand beside it: what was published must never be drawn otherwise."""

import hashlib
import hmac

import pytest

from gameserver import chance
from gameserver.chance import draw_key, drawn_lots, in_drawn_order, lot, match_key, number_below

SEED = "ab" * 32


def keyed(key: bytes, message: bytes) -> bytes:
    return hmac.new(key, message, hashlib.sha256).digest()


def test_draws_follow_from_the_seed_by_hand() -> None:
    match = keyed(bytes.fromhex(SEED), b"match|17")
    # "bob" comes before "Åsa" by the bytes of UTF-8, whoever contributed first.
    added = b"\x00\x03bob\x00\x02\x2a\xff" + b"\x00\x04\xc3\x85sa\x00\x01\x00"
    key = keyed(match, added)
    assert match_key(SEED, 17) == match_key(SEED, "17") == match.hex()
    assert draw_key(match.hex(), (("Åsa", "00"), ("bob", "2aff"))) == key.hex()
    assert draw_key(match.hex(), ()) == keyed(match, b"").hex()
    for n in range(20):
        word = int.from_bytes(keyed(key, f"draw|{n}|0".encode())[:8], "big")
        assert number_below(6, key.hex(), "draw", n) == word % 6
    assert chance.commitment(match.hex()) == hashlib.sha256(match).hexdigest()
    assert lot(SEED, "tie", "Åsa") == int.from_bytes(keyed(bytes.fromhex(SEED), "lot|tie|Åsa".encode()), "big")


def test_a_word_beyond_the_last_whole_multiple_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """2^64 is 4 beyond a multiple of 6: the last 4 values of a word would favour four of the six sides."""
    most = (1 << 64) - 1
    words = {"draw|0|0": [most, most - 3, most - 4, 0], "draw|0|1": [9, 0, 0, 0], "draw|1|0": [most] * 4}
    words["draw|1|1"] = words["draw|0|1"]

    def digest(_key: bytes, message: bytes, _name: str) -> bytes:
        return b"".join(word.to_bytes(8, "big") for word in words[message.decode()])

    monkeypatch.setattr(hmac, "digest", digest)
    assert number_below(6, SEED, "draw", 0) == (most - 4) % 6
    assert number_below(6, SEED, "draw", 1) == 9 % 6


def test_lots_put_in_order() -> None:
    # The item in the place of the lot changes places with the last that no lot has moved yet.
    assert in_drawn_order("abcd", (1, 3, 2)) == ("d", "b", "c", "a")
    assert in_drawn_order("ab", (2,)) == ("a", "b")
    assert drawn_lots(4, SEED, "seats") == tuple(1 + number_below(4 - n, SEED, "seats", n) for n in range(3))
    orders = {in_drawn_order("abc", (first, second)) for first in (1, 2, 3) for second in (1, 2)}
    assert len(orders) == 6, "each order by one pair of lots"


def test_published_draws_never_change() -> None:
    """Old journals are replayed, and old matches verified, with new code: the functions must never change."""
    key = draw_key(match_key(SEED, 1), ())
    assert [number_below(6, key, "draw", n) for n in range(10)] == [3, 5, 3, 2, 2, 3, 0, 0, 3, 2]
    assert in_drawn_order("abcdefgh", drawn_lots(8, key, "seats")) == tuple("hagfcbed")
