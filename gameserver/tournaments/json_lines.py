"""Records as JSON lines: one object a line, for programs."""

from collections.abc import Iterable, Iterator
from typing import Any

import orjson
from attrs import asdict


def json_lines(records: Iterable[Any]) -> Iterator[bytes]:
    """A line for each record (any attrs value: matches, pairings, rulings), its newline included.

    Streams, because a course has more matches than fit a page: nothing is collected.
    """
    for record in records:
        yield orjson.dumps(asdict(record), option=orjson.OPT_APPEND_NEWLINE)
