"""A table of the lobby as a decision sees it: what was written hides what lies below, which stays as it is."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Overlay(Generic[K, V]):
    """One table of a draft: what was written hides what lies below."""

    __slots__ = ("_below", "get", "written")

    def __init__(self, below: dict[K, V]) -> None:
        self._below = below
        self.written: dict[K, V | None] | None = None
        self.get: Callable[[K], V | None] = below.get
        """Gives the row as it stands now. Until something is written, that is the table's own look-up."""

    def __getitem__(self, key: K) -> V:
        row = self.get(key)
        if row is None:
            raise KeyError(key)
        return row

    def __setitem__(self, key: K, row: V | None) -> None:
        written = self.written
        if written is None:
            written = self._written_over({})
        written[key] = row

    def __delitem__(self, key: K) -> None:
        self[key] = None

    def __len__(self) -> int:
        return len(self._below) if self.written is None else sum(1 for _ in self.values())

    def clear(self) -> None:
        """Delete every row."""
        self._written_over(dict.fromkeys(self._below))

    def _written_over(self, written: dict[K, V | None]) -> dict[K, V | None]:
        below = self._below.get

        # Not a method: the overlay would hold itself, and every decision would leave work for the collector of garbage.
        def get(key: K) -> V | None:
            return written[key] if key in written else below(key)

        self.written, self.get = written, get
        return written

    def values(self) -> Iterator[V]:
        """Every row, in the order of the lobby, new ones last."""
        written = self.written or {}
        for key, row in self._below.items():
            current = written.get(key, row)
            if current is not None:
                yield current
        for key, new in written.items():
            if key not in self._below and new is not None:
                yield new


class Laid(Generic[K, V]):
    """A draft's overlay of one table, laid when it is first asked for: a decision touches few of them."""

    def __init__(self, table: str) -> None:
        self._table = table

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, draft: Any, owner: type) -> Overlay[K, V]:
        overlay: Overlay[K, V] = Overlay(getattr(draft.lobby, self._table))
        draft.overlays.append((self._table, overlay))
        # From now on the instance's own attribute is found before this descriptor.
        vars(draft)[self._name] = overlay
        return overlay
