"""Pages while the database with the records is away: each says so, and nothing else suffers."""

from tests.support.away_records import WHY, AwayJournal
from tests.web.support import check_html, get, serving_pages


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
