"""HTML in Chromium, with the server's own assets and without a server."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from gameserver.web.responses import _ASSETS

ADDRESS = "http://pages.test/"


class ShownPage:
    """A page in a context of its own that shows one HTML after the other, each loaded anew."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self._html = ""
        self.context = browser.new_context(**options)
        self.context.route("**/*", self._answer)
        self._page = self.context.new_page()

    def show(self, html: str, size: tuple[int, int], path: str, media: dict[str, str]) -> Any:
        self._page.unroute_all(behavior="ignoreErrors")
        self._page.goto("about:blank")  # else a hash alone would load nothing
        self._page.set_viewport_size({"width": size[0], "height": size[1]})
        self._page.emulate_media(**{"color_scheme": "light", "reduced_motion": "no-preference"} | media)
        self._html = html
        self._page.goto(ADDRESS + path)
        return self._page

    def _answer(self, route: Any) -> None:
        asset = _ASSETS.get(route.request.url.rpartition("/")[2].partition("?")[0])
        if asset is not None:
            route.fulfill(body=asset.content, content_type=asset.media_type)
        # A stream of events is left open: a page without one says after a second that the server is away, which moves
        # all that stands below.
        elif route.request.resource_type != "eventsource":
            route.fulfill(body=self._html, content_type="text/html; charset=utf-8")


@pytest.fixture(scope="module")
def pages() -> Iterator[dict[bool, ShownPage]]:
    """The module's pages, by whether their scripts run."""
    made: dict[bool, ShownPage] = {}
    yield made
    for page in made.values():
        page.context.close()


@pytest.fixture
def show(browser: Any, pages: dict[bool, ShownPage]) -> Iterator[Callable[..., Any]]:
    """Shows HTML in the module's page. Scripts run if asked for; a page with a clock of its own is not shared."""
    own: list[ShownPage] = []

    def make(
        html: str,
        size: tuple[int, int],
        path: str = "",
        *,
        java_script_enabled: bool = False,
        has_own_clock: bool = False,
        **media: str,
    ) -> Any:
        if has_own_clock:
            own.append(ShownPage(browser))
            return own[-1].show(html, size, path, media)
        if java_script_enabled not in pages:
            pages[java_script_enabled] = ShownPage(browser, java_script_enabled=java_script_enabled)
        return pages[java_script_enabled].show(html, size, path, media)

    yield make
    for page in own:
        page.context.close()
