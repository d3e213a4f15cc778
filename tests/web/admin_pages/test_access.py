"""Access to the teacher's pages: the token, the teacher's name, and names that are only text."""

from urllib.parse import urlencode

from tests.admin.support import BEARER, admin, get
from tests.web.admin_pages.teacher_pages import CUP, ORIGIN, acts, hall, look, submit


async def test_nobody_follows_without_the_token() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP)
        for path in ("/events", "/tournaments/1/events"):
            assert (await get(running, path)).status == 401


async def test_names_are_only_text() -> None:
    async with hall() as running:
        await running.enter("<b>x</b>")
        await submit(running, "/tournaments", CUP | {"name": '"><script>alert(1)</script>'})
        for page in (await look(running), await look(running, "/tournaments/1")):
            assert "<script>alert" not in page
            assert "<b>x" not in page
            assert "&lt;b&gt;x&lt;/b&gt;" in page
        assert "Done." not in await look(running, "/?done=%3Cb%3E")
        answer = await get(running, "/", BEARER)
        assert "script-src 'self'" in answer.headers["content-security-policy"]


async def test_nobody_comes_in_without_the_token() -> None:
    async with hall() as running:
        for path in ("/", "/tournaments/1", "/static/page.css"):
            answer = await get(running, path, "Accept: text/html")
            assert (answer.status, 'name="token"' in answer.text) == (401, True)
        body = urlencode(CUP).encode()
        stranger = await admin(running)
        assert (await stranger.post("/tournaments", body, ORIGIN, host="localhost:1")).status == 401
        foreign = await admin(running)
        refused = await foreign.post("/tournaments", body, BEARER, "Origin: http://evil.example", host="localhost:1")
        assert refused.status == 403
        assert "There are no tournaments yet" in await look(running)


async def test_the_teachers_name_is_kept() -> None:
    async with hall() as running:
        for name in ("Ms Reed", "Zoë; Path=/x", ""):
            answer = await submit(running, "/name", {"name": name})
            cookie = answer.headers["set-cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=strict" in cookie
            await submit(
                running, "/tournaments", CUP | {"name": f"Cup by {name}"}, f"Cookie: {cookie.partition(';')[0]}"
            )
            assert acts(running, "create-tournament")[-1]["by"] == (name or "the teacher's page")
