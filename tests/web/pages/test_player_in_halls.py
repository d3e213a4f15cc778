"""A player's page over several halls: what is of one hall says of which."""

import re

import trio
from trio.testing import MockClock

from gameserver.core.messages.commands import Conduct, CreateTournament
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.tournaments.acts import RegisterEntrant, StartTournament
from gameserver.tournaments.presets import preset
from tests.support.serving import Running
from tests.web.pages.two_halls import page, two_halls
from tests.web.support import get

NO_SHOW = re.compile(r'id="(no-show-[^"]*)"><li>(.*), decided at ')


async def miss(hall: Running) -> None:
    """A tournament to which bob does not come."""
    await hall.enter("ann")
    plan = preset("hanze", "The cup", "Tic-tac-toe", no_show_ms=1_000, pause_ms=0)
    roster = (RegisterEntrant("ann"), RegisterEntrant("bob"))
    submit = hall.server._sequencer.submit
    submit(CreateTournament(plan, "5eed" * 16, EntryMode.ROSTER, roster), hall.server.now_ms())
    submit(Conduct(1, StartTournament(0, "Ms Reed")), hall.server.now_ms())
    await trio.sleep(5)


async def anchor_of(hall: Running, tournament: str) -> str:
    """The id that the link of a no-show leads to, from the page of a tournament."""
    shown = (await page(hall, tournament)).text
    (found,) = re.findall(r'href="/players\?name=bob#([^"]*)">no-show: bob<', shown)
    return found


async def test_no_shows_name_their_hall_and_links_lead_to_the_right_one(autojump_clock: MockClock) -> None:
    missed = "bob did not come to pairing 1 of tournament 1"
    async with two_halls() as both:
        for hall in (both.first, both.reversi):
            await miss(hall)
        for hall, own, other in ((both.first, "", "reversi"), (both.reversi, "reversi", "first")):
            words = {"": "the first hall", "first": "the first hall", "reversi": "hall reversi"}
            told = dict(NO_SHOW.findall((await page(hall, "/players/bob")).text))
            assert told == {
                await anchor_of(hall, "/tournaments/1"): f"{missed} in {words[own]}",
                await anchor_of(hall, f"/halls/{other}/tournaments/1"): f"{missed} in {words[other]}",
            }
            lines = (await get(hall, "/api/v1/players/bob")).json["no_shows"]
            assert {one["hall"] for one in lines} == {"", "reversi"}
            assert {one["decided"]["tournament"] for one in lines} == {1}
