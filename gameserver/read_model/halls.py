"""The halls beside this server's, for pages: what goes on in each, and the address of its records."""

from collections.abc import Mapping
from typing import Any, Protocol

from attrs import asdict

from gameserver.halls import hall_title, hall_word
from gameserver.records.reader import HallNews, HallSeen, HallTournament
from gameserver.values import value

AWAY_AFTER_S = 10.0
"""The silence after which a hall is taken to be away. It gives word every two seconds."""


@value
class HallView:
    """A hall in a line of the list."""

    name: str
    url: str
    players: int
    matches: int
    tournaments: tuple[HallTournament, ...]
    is_here: bool
    """True for the hall of this server."""
    away_since: str | None = None
    """The time of day at which it last gave word; None while it does."""

    @property
    def title(self) -> str:
        """The hall as people read it."""
        return hall_title(self.name)

    @property
    def at(self) -> str:
        """The beginning of the addresses of its records, here."""
        return "" if self.is_here else records_at(self.name)

    @property
    def pages(self) -> str:
        """The beginning of the addresses of its own pages, live ones among them; None if nobody knows it."""
        return "" if self.is_here else self.url.rstrip("/")

    @property
    def json(self) -> Mapping[str, Any]:
        """The line in terms of JSON."""
        return asdict(self)


class Halls(Protocol):
    """All halls of the database."""

    own: str
    """The name of this server's hall."""
    url: str
    """The address of its pages; empty if it has none."""
    others: tuple[str, ...]
    """The names of the others, in order; none with a data file."""

    def view_of(self, name: str) -> HallView | None:
        """Another hall; None if there is none of this name."""

    def views(self, own: HallNews) -> tuple[HallView, ...]:
        """All halls in the order of their names; of this server's the news are the caller's."""


def records_at(name: str) -> str:
    """The beginning of the addresses at which any hall shows the records of this one."""
    return f"/halls/{hall_word(name)}"


def hall_view(seen: HallSeen, *, is_here: bool = False) -> HallView:
    """A hall in a line. Of one that is away nothing goes on."""
    news, is_away = seen.news, not is_here and seen.seen_ago_s > AWAY_AFTER_S
    return HallView(
        name=news.name,
        url=news.url,
        players=0 if is_away else news.players,
        matches=0 if is_away else news.matches,
        tournaments=() if is_away else news.tournaments,
        is_here=is_here,
        away_since=seen.seen_at if is_away else None,
    )
