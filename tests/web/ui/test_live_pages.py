"""Pages that keep themselves up to date, without a browser."""

from gameserver.web.ui.live_pages import MESSAGES_MAX, LivePage, Region


def test_page_keeps_few_messages_whatever_its_viewers_resume_from() -> None:
    page = LivePage()
    page.update(10_000, {"head": Region("<h1>Cup</h1>")})
    messages = {page.message(after) for after in range(9_000)}
    assert len(messages) == 1
    assert messages != {None}
    assert len(page._messages) <= MESSAGES_MAX
    page.update(10_001, {"head": Region("<h1>Cup of May</h1>")})
    assert b"Cup of May" in (page.message(10_000) or b"")
    assert page.message(10_001) is None
