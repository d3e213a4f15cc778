"""Masks secrets and tokens in the bytes of a connection, which must not get into a log.

The bytes come in pieces, cut anywhere. Each piece is looked at together with the line it goes on
with, so a secret that comes in two pieces is masked in both.
"""

import re
from collections.abc import Sequence

from attrs import define, field

MASK = b"***"
_LINE_BYTES_MAX = 4_096
"""Bytes of an unfinished line that are remembered."""

_TOKENS = re.compile(
    rb"(?i)(?:access_token|token|secret|password|authorization|(?<=[?&])link)\"?\s*[=:]\s*"
    rb"(?:\"((?:[^\"\\\r\n]|\\.|\\\Z)*)|(?:(?:bearer|basic)\s+)?([^\s\"&,}]*))"
)
"""A quoted secret, as in JSON, ends with its closing quote; any other at the next separator.

A `link` in a query opens a player's own page.
"""
# U+001E ends SignalR's messages.
_LINE_ENDS = re.compile(rb"[\n\x1e]")


@define
class Redactor:
    """The redaction of one direction of a connection. Of each pattern's match the group that it has is secret."""

    _patterns: Sequence[re.Pattern[bytes]]
    _line: bytes = field(default=b"", init=False)

    def masked(self, data: bytes) -> bytes:
        """A piece of a connection's bytes with its secrets masked."""
        known = len(self._line)
        whole = self._line + data
        found = (match for pattern in (_TOKENS, *self._patterns) for match in pattern.finditer(whole))
        secrets = (match.span(match.lastindex or 0) for match in found)
        spans = sorted((max(start, known), end) for start, end in secrets if end > max(start, known))
        parts, at = [], known
        for start, end in spans:
            if end > at:
                parts += [whole[at : max(start, at)], MASK]
                at = end
        parts.append(whole[at:])
        last = max((match.end() for match in _LINE_ENDS.finditer(whole)), default=0)
        self._line = whole[last:][-_LINE_BYTES_MAX:]
        return b"".join(parts)
