"""The page that asks again before a connection, a match or the server is ended."""

import pytest

from gameserver.web.admin_pages.lobby_confirmation import LOBBY_ACTS
from tests.support.serving import Running
from tests.web.admin_pages.teacher_pages import asked_for_the_reason, hall, look, submit

ASKED = {"kick": "player=ann", "void": "match=1", "drain": "within_s=60"}
SAYS = {
    "kick": "Match 1 goes on as after a lost connection: ann loses it without coming back in time.",
    "void": "1 move has been made. The match ends at once, and nobody wins.",
    "drain": "1 match is being played: the server waits for the end, 60 s at most, "
    "and keeps the rest for the next start.",
}


async def begun(running: Running) -> None:
    first, _ = await running.match()
    await first.send("move 4")
    await first.lines(2)


def rows(running: Running, name: str) -> int:
    return sum(row.tag == name for row in running.journal.read_from(1))


@pytest.mark.parametrize("name", LOBBY_ACTS)
async def test_it_says_what_is_lost_and_acts_with_a_reason_only(name: str) -> None:
    async with hall() as running:
        await begun(running)
        page, fields = await asked_for_the_reason(running, f"/{name}", ASKED[name])
        assert f"<li>{SAYS[name]}</li>" in page
        assert rows(running, name) == 0, "not done yet"
        done = await submit(running, f"/{name}", fields | {"why": "fire drill"})
        assert done.status == 303
        assert rows(running, name) == 1


async def test_its_form_stands_apart_and_does_not_act_by_itself() -> None:
    async with hall() as running:
        page = await look(running)
        for name, act in LOBBY_ACTS.items():
            (form,) = [part.partition("</form>")[0] for part in page.split("<form") if f'action="/{name}"' in part]
            assert form.startswith(' class="act danger" method="get"')
            assert f"<button>{act.button}…</button>" in form
        page = await look(running, "/drain?within_s=60")
        assert "<li>No match is being played: the server stops at once.</li>" in page
