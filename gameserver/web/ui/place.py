"""The hall that a page is about, for its template: the beginning of its addresses, and the way to other halls.

It is ambient while a request is served (a `ContextVar`), as all templates need it and hardly any handler cares. Pages
of this server's own hall, and all that a stream renders, have no prefix: addresses are as short as with one hall.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from gameserver.values import value


@value
class Place:
    """A hall as templates see it, as `hall`."""

    at: str = ""
    """The beginning of the addresses of its matches and tournaments; empty for this server's own."""
    title: str = ""
    live: str = ""
    """The address of the same page in the hall itself, where it is kept up to date; empty if nobody knows it."""
    pages: str = ""
    """The beginning of the addresses of its own pages, where all of it is live; empty if nobody knows it, and for this
    server's own hall."""
    away_since: str | None = None
    """The time of day at which the hall last gave word, if it is away; then `live` and `pages` are empty."""
    has_others: bool = False
    """True if there is more than one hall."""

    @property
    def id_part(self) -> str:
        """The hall's part of ids on a page over all halls, such as `reversi-`; empty for this server's own hall."""
        return f"{self.at.rpartition('/')[2]}-" if self.title else ""

    def match_url(self, number: int, *, is_live: bool) -> str:
        """The address of a match. Of another hall only records are here; empty if nobody knows its own pages."""
        if is_live and self.title:
            return f"{self.pages}/matches/{number}" if self.pages else ""
        return f"{self.at}/matches/{number}"


_PLACE: ContextVar[Place] = ContextVar("place", default=Place())  # noqa: B039 - frozen


def present_place() -> Place:
    """The place that a page which is rendered now is about."""
    return _PLACE.get()


@contextmanager
def rendering_at(place: Place) -> Iterator[None]:
    """Render pages about this hall."""
    token = _PLACE.set(place)
    try:
        yield
    finally:
        _PLACE.reset(token)
