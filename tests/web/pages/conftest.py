"""HTML in Chromium, with the server's own assets and without a server."""

from collections.abc import Iterator
from typing import Any

import pytest

from gameserver.web.ui.assets import _ASSETS
from tests.support.browser import chromium

ADDRESS = "http://pages.test/"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture
def show(browser: Any) -> Iterator[Any]:
    """Shows HTML with the server's own assets. Its scripts do not run, as they would ask a server for changes."""
    contexts = []

    def make(html: str, size: tuple[int, int], path: str = "", **options: Any) -> Any:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, **{"java_script_enabled": False} | options
        )
        contexts.append(context)

        def answer(route: Any) -> None:
            asset = _ASSETS.get(route.request.url.rpartition("/")[2].partition("?")[0])
            if asset is not None:
                route.fulfill(body=asset.content, content_type=asset.media_type)
            else:
                route.fulfill(body=html, content_type="text/html; charset=utf-8")

        context.route("**/*", answer)
        page = context.new_page()
        page.goto(ADDRESS + path)
        return page

    yield make
    for context in contexts:
        context.close()
