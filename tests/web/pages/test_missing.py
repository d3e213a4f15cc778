"""Pages about what is not there or cannot be reached now: they say so in any words, to people and to programs."""

import re
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gameserver.web import pages as pages_package
from gameserver.web.pages import application
from gameserver.web.pages.missing import Missing
from tests.support.away_records import WHY, AwayJournal
from tests.web.support import check_html, get, serving_pages

WORDS = "Nobody has ever seen this"


async def fail(_request: Request) -> Response:
    raise Missing(WORDS)


async def test_program_is_told_in_one_line_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(application, "play_routes", lambda: [Route("/thing", fail)])
    async with serving_pages() as running:
        line = await get(running, "/thing", accept="*/*")
        assert (line.status, line.text) == (404, f"{WORDS}\n")
        unknown = await get(running, "/nothing", accept="*/*")
        assert (unknown.status, "There is nothing at /nothing" in unknown.text) == (404, True)


def test_every_404_with_words_is_told_apart_from_an_unknown_path() -> None:
    sources = Path(pages_package.__path__[0]).glob("*.py")
    worded = [
        path.name for path in sources if re.search(r"HTTPException\(\s*(HTTPStatus\.NOT_FOUND|404),", path.read_text())
    ]
    assert worded == []


async def test_page_says_that_the_records_cannot_be_reached() -> None:
    async with serving_pages(journal=AwayJournal()) as running:
        page = await get(running, "/players?name=ann")
        assert (page.status, page.headers["retry-after"]) == (503, "5")
        check_html(page.text)
        assert "The database with the records cannot be reached now. Please try again" in page.text
        assert WHY not in page.text, "that is for the operator"
        line = await get(running, "/players?name=ann", accept="*/*")
        assert (line.status, line.text.count("\n")) == (503, 1)
        assert (await get(running, "/")).status == 200
