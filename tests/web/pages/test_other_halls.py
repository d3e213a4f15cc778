"""Pages about another hall: they say whose they are, and lead to what that hall shows live."""

from trio.testing import MockClock

from tests.web.pages.two_halls import page, two_halls


async def test_empty_list_of_another_halls_tournaments_does_not_ask_for_one(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        shown = (await page(both.first, "/halls/reversi/tournaments")).text
        assert "None on record." in shown
        assert "gameserver tournament create" not in shown
        assert "gameserver tournament create" in (await page(both.reversi, "/tournaments")).text
