"""Bytes as people read them, and back."""

import re
from collections.abc import Iterable

_ESCAPED = re.compile(rb"\\(?:x([0-9a-f]{2})|\\)")
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]| $")

_SEAL = re.compile(r"(?<=/own\?link=)[\w-]+")
"""The seal of a link to a page of one's own, which holds the millisecond of the login."""

_COMMITMENT = re.compile('(?<="commitment":")[0-9a-f]{64}')
"""The SHA-256 of a match's secret, in the protocol `web`."""


def to_bytes(text: str) -> bytes:
    """The bytes that a line of a transcript stands for."""
    return _ESCAPED.sub(lambda found: bytes.fromhex(found[1].decode()) if found[1] else b"\\", text.encode())


def to_text(data: bytes) -> str:
    """Bytes as a line of a transcript."""
    text = data.replace(b"\\", b"\\\\").decode(errors="backslashreplace")
    visible = _INVISIBLE.sub(lambda found: "".join(f"\\x{byte:02x}" for byte in found[0].encode()), text)
    return _COMMITMENT.sub("SHA256", _SEAL.sub("LINK", visible))


def joined(lines: Iterable[str]) -> str:
    """The lines as a file."""
    return "".join(f"{line}\n" for line in lines)
