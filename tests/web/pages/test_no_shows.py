"""A no-show is explained where people look: on the pairing, on the player's page, and on the teacher's pages."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import MockClock

from gameserver.endpoints import HttpEndpoint
from gameserver.http.listener import HttpProtocol
from gameserver.web.pages.application import pages
from tests.admin.support import serving_admin
from tests.support.serving import Running
from tests.web import support
from tests.web.admin_pages.teacher_pages import look, submit, teachers
from tests.web.support import check_html

CUP = {"preset": "hanze", "name": "Cup", "game": "Tic-tac-toe", "entry": "roster", "roster": "ann\nb#b"}
SETTINGS = "no_show_ms=30000\nno_shows_max=1\npause_ms=0"
HREF = "/players?name=b%23b#no-show-1-1"


@asynccontextmanager
async def missed() -> AsyncIterator[Running]:
    """A tournament in which the one player came and went, and lost the only game by it."""
    others = [HttpProtocol([], [HttpEndpoint("/", pages())])]
    async with serving_admin(teachers(), others=others) as running:
        await running.enter("ann")
        assert (await submit(running, "/tournaments", CUP | {"settings": SETTINGS})).status == 303
        assert (await submit(running, "/tournaments/1/start", {})).status == 303
        assert (await submit(running, "/tournaments/1/pause", {})).status == 303
        (late,) = await running.enter("b#b")
        await late.send("logout")
        await trio.sleep(1)
        assert (await submit(running, "/tournaments/1/resume", {})).status == 303
        await trio.sleep(35)
        yield running


def explained(page: str) -> list[str]:
    """The lines below the id that the pairing's link leads to."""
    check_html(page)
    (section,) = re.findall(r'id="no-show-1-1">(.*?)</ul>', page, re.DOTALL)
    whole_seconds = re.sub(r"(waited 31)\.\d", r"\1", section)
    return re.findall(r"<li[^>]*>(.*?)</li>", re.sub(r"\d{4}-\d\d-\S+\d", "TIME", whole_seconds))


EXPLANATION = [
    "b#b did not come to pairing 1 of tournament 1, decided at TIME",
    "it was announced at TIME and waited 31 s",
    "when it was announced: not connected",
    "came at TIME: connected by strategic",
    "left at TIME: closed by the player",
    "at the end: not connected",
]


async def test_pairing_leads_to_the_explanation_on_the_players_page(autojump_clock: MockClock) -> None:
    async with missed() as running:
        tournament = (await support.get(running, "/tournaments/1")).text
        assert f'<a href="{HREF}">no-show: b#b</a>' in tournament
        page = await support.get(running, HREF.partition("#")[0])
        assert page.status == 200, "though no match of this player is on record"
        assert explained(page.text) == EXPLANATION
        assert "No-shows" not in (await support.get(running, "/players?name=ann")).text
        (told,) = (await support.get(running, "/api/v1/players?name=b%23b")).json["no_shows"]
        assert told["decided"]["pairing"] == 1


async def test_teacher_is_led_to_the_same_lines(autojump_clock: MockClock) -> None:
    async with missed() as running:
        page = await look(running, "/tournaments/1")
        check_html(page)
        assert f'<a href="{HREF}">no-show: b#b</a>' in page
        assert explained(await look(running, HREF.partition("#")[0])) == EXPLANATION
        assert "No-shows" not in await look(running, "/players?name=ann")
