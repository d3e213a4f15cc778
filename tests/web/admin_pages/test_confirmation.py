"""The page that asks again before a destructive act."""

import re

from gameserver.tournaments.lifecycle.act_table import teacher_acts
from tests.admin.support import BEARER, get
from tests.web.admin_pages.teacher_pages import CUP, acts, asked_for_the_reason, hall, look, refusal, submit
from tests.web.support import check_html

DESTRUCTIVE = [name for name, spec in teacher_acts().items() if spec.is_destructive]
ASKED = "player=ann&pairing=1&verdict=draw"


async def begun(running) -> None:
    await running.enter("ann", "bob")
    await submit(running, "/tournaments", CUP)
    assert (await submit(running, "/tournaments/1/start", {})).status == 303


async def test_it_says_what_is_lost_and_asks_for_the_reason() -> None:
    async with hall() as running:
        await begun(running)
        overview = await look(running, "/tournaments/1")
        for name in DESTRUCTIVE:
            (form,) = [part.partition("</form>")[0] for part in overview.split("<form") if f'/{name}">' in part]
            assert form.startswith(' class="act danger" method="get"')
            assert f'formaction="/tournaments/1/{name}">{teacher_acts()[name].button}…</button>' in form
            assert "Pause" not in form
            page, _ = await asked_for_the_reason(running, f"/tournaments/1/{name}", ASKED)
            assert re.search(r'<ul class="plain losses"><li>.+</li></ul>', page)
        assert {body["act"]["act"] for body in acts(running, "conduct")} == {"start", "pair"}, "nothing is done yet"


async def test_what_cannot_be_asked_is_refused_on_the_page() -> None:
    asked = [
        ("/tournaments/1/void?pairing=99", 409, "there is no pairing 99"),
        ("/tournaments/1/void?pairing=", 400, "Give the number of the game"),
        ("/tournaments/1/void?pairing=x", 400, "must be a whole number"),
        ("/tournaments/1/correct?pairing=1&verdict=both", 400, "Choose the right result"),
        ("/tournaments/1/drop?player=zed", 409, "zed is not in this tournament"),
        ("/tournaments/1/pause", 404, "there is no such page"),
        ("/tournaments/1/dance", 404, "there is no such page"),
        ("/tournaments/7/cancel", 404, "there is no tournament 7"),
    ]
    async with hall() as running:
        await begun(running)
        for path, status, says in asked:
            answer = await get(running, path, BEARER, "Accept: text/html")
            check_html(answer.text)
            assert (answer.status, says in refusal(answer)) == (status, True), refusal(answer)


async def test_a_cancelled_tournament_is_resumed_by_its_form() -> None:
    async with hall() as running:
        await begun(running)
        cancelled = await submit(running, "/tournaments/1/cancel", {"why": "the wrong button"})
        assert "is cancelled" in await look(running, cancelled.headers["location"])
        again = await get(running, "/tournaments/1/cancel", BEARER, "Accept: text/html")
        assert (again.status, "was cancelled and cannot" in refusal(again)) == (409, True)
        assert (await submit(running, "/tournaments/1/resume", {})).status == 303
        page = await look(running, cancelled.headers["location"])
        assert 'class="phase">running<' in page
        assert 'id="done"' not in page, "it is cancelled no longer"
        assert "the wrong button" in page


async def test_a_banner_goes_when_it_is_no_longer_true() -> None:
    async with hall() as running:
        await begun(running)
        paused = (await submit(running, "/tournaments/1/pause", {})).headers["location"]
        assert "No new matches start" in await look(running, paused)
        await submit(running, "/tournaments/1/resume", {})
        assert 'id="done"' not in await look(running, paused)
