"""The page to play on, as it is served. `test_play_screens` has what its scripts make of it."""

import re

from trio.testing import MockClock

from gameserver.web.ui.templating import play_url
from tests.web.support import check_html, get, serving_pages

SCRIPT = re.compile(r'from "\./([a-z_]+\.js)"')


async def test_page_is_read_without_scripts_and_names_the_other_ways_in(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        page = await get(running, "/play?to=bob&game=Reversi")
        check_html(page.text)
        for words in ("needs JavaScript", f"nc HOST {running.port}", "gameserver help", 'href="/"'):
            assert words in page.text.partition("<noscript>")[2].partition("</noscript>")[0]
        assert "<summary>How to play Reversi</summary>" in page.text
        assert "<p>Touch one of the framed cells to play there.</p>" in page.text
        assert '<a href="/play" aria-current="page">Play</a>' in page.text
        assert "connect-src 'self'" in page.headers["content-security-policy"], "the socket is on the page's own host"


async def test_every_module_that_the_page_imports_is_served(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        found = {"play.js"}
        unread = list(found)
        while unread:
            script = await get(running, f"/static/{unread.pop()}")
            assert script.status == 200
            more = set(SCRIPT.findall(script.text)) - found
            found |= more
            unread += more
        assert {"play_socket.js", "play_lobby.js", "play_match.js"} <= found


def test_a_link_names_any_player() -> None:
    assert play_url("a&b=c/ü", "Connect-four-3D") == "/play?to=a%26b%3Dc%2F%C3%BC&game=Connect-four-3D"
    assert play_url(game="Reversi") == "/play?game=Reversi"
