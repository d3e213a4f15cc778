"""Markup that is kept for as long as the value that it was rendered from is the same object.

A page is rendered anew whenever anything on it has changed. Most of what it shows has not: rows of the lobby and views
are frozen, so an object that is still there shows what it showed.
"""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from attrs import define, field

MarkupT = TypeVar("MarkupT")


@define
class RenderedOnce(Generic[MarkupT]):
    """The markup of values, by keys that stay the same, such as the number of a match."""

    _kept_max: int
    _kept: dict[Hashable, tuple[object, MarkupT]] = field(factory=dict, init=False)

    def get(self, key: Hashable, source: object, render: Callable[[], MarkupT]) -> MarkupT:
        """The markup of the value `source`, rendered if another value had the key before."""
        kept = self._kept.pop(key, None)
        if kept is None or kept[0] is not source:
            kept = (source, render())
        self._kept[key] = kept
        while len(self._kept) > self._kept_max:
            del self._kept[next(iter(self._kept))]
        return kept[1]
