"""Reads a wire log back: the lines of one session, or lines as values, each with what went wrong in it."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from gameserver.read_model.views import WireLineView

Words = Mapping[str, re.Pattern[bytes]]
"""A protocol's words for what went wrong, each with a sentence about it."""

_LINE = re.compile(
    r"(?P<at>\S+Z) +(?P<session>\d+) (?P<protocol>\S+) (?P<mark>[<>]) (?P<data>b(['\"]).*\6)(?P<more>.*)"
)
_ENDED = b"(end)"
"""Noted where a player's side of a connection ends."""
_ENDED_WORDS = "The player's side ended the connection."


def of_session(log: str, session: int, since_ms: int) -> str:
    """The lines of one session, as they are in the file, from this wall time on: an older one had the number before."""
    since = datetime.fromtimestamp(since_ms / 1000, UTC).isoformat(timespec="milliseconds")[:-6]
    lines = ((line, _LINE.match(line)) for line in log.splitlines(keepends=True))
    return "".join(line for line, found in lines if found and int(found["session"]) == session and found["at"] >= since)


def read_lines(log: str, mishaps: Mapping[str, Words], count: int) -> tuple[WireLineView, ...]:
    """The last lines of a log; what else is in the file is passed over. `mishaps` are by protocol."""
    return tuple(_read(log.splitlines()[-count:], mishaps))


def _read(lines: Sequence[str], mishaps: Mapping[str, Words]) -> Iterator[WireLineView]:
    for line in lines:
        found = _LINE.fullmatch(line)
        if found is None:
            continue
        data: bytes = ast.literal_eval(found["data"])
        is_from_player, protocol = found["mark"] == "<", found["protocol"]
        if is_from_player:
            mishap = _ENDED_WORDS if data == _ENDED else ""
        else:
            mishap = " ".join(what for what, words in mishaps.get(protocol, {}).items() if words.search(data))
        text = data.decode("utf-8", "backslashreplace") + found["more"]
        yield WireLineView(found["at"], int(found["session"]), protocol, is_from_player, text, mishap)
