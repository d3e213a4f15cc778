"""Pages that keep themselves up to date: each is made of regions, and viewers are sent those that changed.

A page's regions are rendered once for each change, whoever looks; a region that comes out as before
keeps its version. A viewer says up to which version it is up to date, and is sent what is newer. Most
viewers are at the same version, so the message, too, is made once.
"""

from collections.abc import Callable, Hashable, Mapping

import orjson
from attrs import define, field, frozen

PAGES_MAX = 256
MESSAGES_MAX = 64
"""So many are kept of a page: where a viewer goes on from is what it says, and it may say anything."""


@frozen
class Region:
    """Part of a page: an element whose id is the region's name.

    `inside` names the element that it is put into where it is new. `is_kept` regions only ever join
    others there, as moves do; of the rest the whole order is sent.
    """

    html: str
    inside: str = ""
    is_kept: bool = False


Regions = Mapping[str, Region]


@define
class LivePage:
    """A page that somebody watches."""

    version: int = -1
    """The version of the lobby that it was last rendered for."""
    rendered_s: float = float("-inf")
    """When that was."""
    _regions: dict[str, tuple[int, Region]] = field(factory=dict)
    _orders: dict[str, tuple[int, tuple[str, ...]]] = field(factory=dict)
    _messages: dict[int, bytes | None] = field(factory=dict)

    def update(self, version: int, regions: Regions) -> None:
        """Take the regions as they are now."""
        before = self._regions
        self._regions = {
            name: before[name] if name in before and before[name][1] == region else (version, region)
            for name, region in regions.items()
        }
        orders: dict[str, list[str]] = {inside: [] for inside in self._orders}
        for name, region in regions.items():
            if region.inside and not region.is_kept:
                orders.setdefault(region.inside, []).append(name)
        for inside, names in orders.items():
            if self._orders.get(inside, (0, None))[1] != tuple(names):
                self._orders[inside] = (version, tuple(names))
        self.version = version
        self._messages.clear()

    def message(self, after: int) -> bytes | None:
        """What has changed since a version, as the `data` field of an event, in JSON; None where nothing has."""
        if after in self._messages:
            return self._messages[after]
        message = self._message(after)
        if len(self._messages) < MESSAGES_MAX:
            self._messages[after] = message
        return message

    def _message(self, after: int) -> bytes | None:
        changed = {name: region for name, (version, region) in self._regions.items() if version > after}
        orders = {inside: names for inside, (version, names) in self._orders.items() if version > after}
        if not changed and not orders:
            return None
        html = {name: region.html for name, region in changed.items()}
        inside = {name: region.inside for name, region in changed.items() if region.inside}
        return b"data: " + orjson.dumps({"html": html, "inside": inside, "order": orders}) + b"\n\n"


@define
class LivePages:
    """All pages that are watched, by topic."""

    _pages: dict[Hashable, LivePage] = field(factory=dict)

    def up_to_date(
        self, topic: Hashable, version: int, render: Callable[[], Regions], now_s: float, pause_s: float = 0.0
    ) -> LivePage:
        """The page of a topic as of a version of the lobby, if it was not done yet, nor less than a pause ago."""
        page = self._pages.pop(topic, None) or LivePage()
        self._pages[topic] = page
        if page.version < version and now_s - page.rendered_s >= pause_s:
            page.update(version, render())
            page.rendered_s = now_s
        while len(self._pages) > PAGES_MAX:
            del self._pages[next(iter(self._pages))]
        return page
