"""Mutations of bytes that were right."""

from collections.abc import Callable
from random import Random

MEGABYTE = 1 << 20
MUTATIONS_MAX = 3
TOKENS = (
    *(b"\x00", b"\r", b"\n", b"\r\n\r\n", b"\x1e", b"\x1e\x1e", b"\x1b[2J"),
    *(b"\xff", b"\xff\xfa", b"\xff\xf4\xff\xfd\x06"),  # of telnet
    *(b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", "٤½é\u2028🎲".encode()),
    *(b'"\\ud800"', b"\\u0000", b"{", b"}", b"[[", b'"', b"|", b":", b",", b'{"a":1,"a":2}', b"null", b"true"),
    *(b"-1", b"1e999", b"NaN", b"9" * 400, b"-9223372036854775809", b"0.1"),
    *(b"%s%n{0}", b"../../etc/passwd"),
)
"""Pieces that readers of text and JSON stumble over."""


def _span(chance: Random, data: bytes) -> tuple[int, int]:
    start, end = sorted(chance.randrange(len(data) + 1) for _ in "12")
    return start, end


def _cut(chance: Random, data: bytes) -> bytes:
    start, end = _span(chance, data)
    return data[:start] + data[end:]


def _doubled(chance: Random, data: bytes) -> bytes:
    start, end = _span(chance, data)
    return data[:end] + data[start:end] * chance.randint(1, 4) + data[end:]


def _flipped(chance: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4) if data else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _with_token(chance: Random, data: bytes) -> bytes:
    start, instead_of = chance.randrange(len(data) + 1), chance.choice((0, chance.randint(1, 8)))
    return data[:start] + chance.choice(TOKENS) + data[start + instead_of :]


def _with_noise(chance: Random, data: bytes) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.randbytes(chance.randint(1, 20)) + data[place:]


def _deep(chance: Random, data: bytes) -> bytes:
    opening = chance.choice((b"[", b'{"a":', b'[{"type":'))
    place = chance.randrange(len(data) + 1)
    return data[:place] + opening * chance.choice((50, 500, 5_000)) + data[place:]


def _in_other_case(_: Random, data: bytes) -> bytes:
    return data.swapcase()


_MUTATIONS: tuple[Callable[[Random, bytes], bytes], ...] = (
    *(_cut, _doubled, _flipped, _with_noise, _in_other_case),
    *(_with_token,) * 4,
)
_RARE = 0.02
_WHOLE = 0.7


def bent(chance: Random, data: bytes) -> bytes:
    """The bytes with a few mistakes."""
    if chance.random() < _RARE:
        return _deep(chance, data)
    for _ in range(chance.randint(1, MUTATIONS_MAX)):
        data = chance.choice(_MUTATIONS)(chance, data)
    return data


def flood(chance: Random, data: bytes) -> bytes:
    """A megabyte that begins well and does not end."""
    fillings = (b"x", b"[", b'{"a":', b"9", b"\x00", b" ", b"\xff\xfa", b"\xf0\x9f\x8e\xb2", data[:-1] or b"x")
    filling = chance.choice(fillings)
    return data[: chance.randrange(len(data) + 1)] + filling * (MEGABYTE // len(filling))


def in_pieces(chance: Random, data: bytes) -> tuple[bytes, ...]:
    """The bytes as a network may bring them."""
    if chance.random() < _WHOLE:
        return (data,)
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randint(1, 5)))
    pieces = (data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True))
    return tuple(piece for piece in pieces if piece)
