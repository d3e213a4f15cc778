"""Host names: under a foreign one a page may read, and change nothing (DNS rebinding)."""

import html
from functools import partial

import pytest
from trio.testing import MockClock

from gameserver.endpoints import HttpEndpoint
from gameserver.http.host_context import HttpOptions
from gameserver.http.listener import HttpProtocol
from gameserver.http.own_names import QUIET_S, REFUSED_MAX, OwnNames
from gameserver.web.application import pages
from protocols.gammonx import PROTOCOL as GAMMONX
from protocols.web import PROTOCOL as WEB
from tests.admin.support import serving_admin
from tests.http.support import Browser
from tests.support.echo import ROUTES
from tests.support.socket_clients import NotOpened, WebPlayer
from tests.support.tables import lines
from tests.web.teaching import look, teachers

HTTP = HttpProtocol([WEB, GAMMONX], [HttpEndpoint("/", pages()), HttpEndpoint("/own-api", ROUTES)])


@pytest.mark.parametrize(
    ("host", "may"),
    [
        *((host, True) for host in lines(__file__, "hosts whose pages may change something")),
        *((host, False) for host in lines(__file__, "hosts whose pages may not")),
    ],
)
async def test_page_under_foreign_name_changes_nothing(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, host: str, may: bool
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "The-Machine.example.edu")
    options = HttpOptions("https://Games.example.edu/first", hosts=("Added.example.edu", "Schüler.example.edu"))
    given = {"options": options, "options_of": {"http": options}}
    async with serving_admin(teachers(), protocol=HTTP, **given) as running:
        opened = partial(WebPlayer.connect, running.port, origin=f"http://{host}", host=host)
        if may:
            running.clients.append(await opened())
        else:
            with pytest.raises(NotOpened, match="421"):
                await opened()
            assert (await (await Browser.connect(running)).get("/play/socket", host=host)).status == 421
        page = html.unescape(await look(running))
        assert (
            may or f"under an unknown host name: {host}; if it is a name of this server, add it to http.hosts" in page
        )
        assert ("Needs your attention" in page) is not may
        browser = await Browser.connect(running)
        assert (await browser.get("/", host=host)).status == 200, "anybody may read"
        joined = await browser.post("/game/api/matches/join", b"{}", host=host)
        assert joined.status == 415, "pages of any origin may join there"
        by_page = await browser.post("/own-api/echo", b"", f"Origin: http://{host}", host=host)
        assert by_page.status == (200 if may else 421)


async def test_program_comes_in_under_any_name(autojump_clock: MockClock) -> None:
    """It sends no `Origin`, and a browser always does: in a container network the server's name may be a service's."""
    async with serving_admin(teachers(), protocol=HTTP) as running:
        running.clients.append(await WebPlayer.connect(running.port, host="gameserver:8080"))
        posted = await (await Browser.connect(running)).post("/own-api/echo", b"", host="gameserver:8080")
        assert posted.status == 200
        assert "gameserver:8080" not in await look(running)


def test_few_of_many_foreign_names_are_kept_for_an_hour() -> None:
    now_s = 0.0
    names = OwnNames(now_s=lambda: now_s)
    for number in range(1_000):
        assert names.refusal(f"{number}.{'x' * 1_000}.example", (), "http.hosts")
    assert len(names.refused) == REFUSED_MAX
    assert all(len(one.host) <= 100 for one in names.refused)
    now_s = QUIET_S + 1
    assert not names.refused, "what was mended long ago asks for nobody's attention"
