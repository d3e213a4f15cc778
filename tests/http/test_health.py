"""`/health`, for monitors and for a proxy in front of several servers."""

from gameserver.http.listener import HttpProtocol
from gameserver.journal.memory import MemoryJournal
from tests.http.support import Browser
from tests.support.serving import serving


class Uncertain(MemoryJournal):
    """A journal that another server may have taken over."""

    is_certain = True


async def test_server_that_waits_for_its_database_runs_but_does_not_claim_to_lead() -> None:
    journal = Uncertain()
    async with serving(protocol=HttpProtocol([]), journal=journal) as running:
        browser = await Browser.connect(running)
        healthy = await browser.get("/health")
        assert (healthy.status, healthy.text) == (200, "Healthy")
        journal.is_certain = False
        waiting = await browser.get("/health")
        assert (waiting.status, waiting.text) == (200, "Running, but waiting for the database")
        journal.is_certain = True
        assert (await browser.get("/health")).text == "Healthy"
