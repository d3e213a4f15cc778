"""The list of tournaments: dates, formats, players, winners."""

import pytest
from trio.testing import MockClock

from gameserver.core.messages.commands import Conduct
from gameserver.core.organizer.conduct import KEPT_MAX
from gameserver.records import reader
from gameserver.tournaments.acts import Cancel, Correct, StartTournament
from gameserver.tournaments.model import Verdict
from gameserver.tournaments.presets import preset
from gameserver.web.pages import tournament_list
from tests.web.support import check_html, create, enter, get, serving_pages

HOSTILE = "<i>zed"


async def test_it_has_dates_and_winners_also_of_the_forgotten(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        clients = await enter(running, "ann", HOSTILE)

        def submit(command: object) -> None:
            running.server._sequencer.submit(command, running.server.now_ms())

        async def only_line() -> dict:
            (found,) = (await get(running, "/api/v1/tournaments?player=ann")).json
            return found

        create(running, preset("hanze", "The first", "Tic-tac-toe"), begins=False)
        listed = await get(running, "/tournaments")
        check_html(listed.text)
        assert "gathering" in listed.text
        assert "not begun yet" in listed.text
        submit(Conduct(1, StartTournament(0, "Ms Reed")))
        line = await only_line()
        assert (line["phase"], line["winners"], line["ended_at"]) == ("running", [], None)
        assert line["created_at"] <= line["started_at"]
        assert "0 of 1 games played" in (await get(running, "/tournaments")).text
        await clients["ann"].send("forfeit")
        await clients["ann"].until("LOSS")
        line = await only_line()
        assert (line["phase"], line["winners"]) == ("over", [HOSTILE])
        assert line["started_at"] <= line["ended_at"]
        listed = await get(running, "/tournaments")
        check_html(listed.text)
        assert "won by" in listed.text
        assert "&lt;i&gt;zed</a>" in listed.text
        assert f'<time datetime="{line["started_at"]}">' in listed.text

        (pairing,) = (await get(running, "/api/v1/tournaments/1")).json["pairings"]
        ann_won = Verdict.FIRST if pairing["first"] == "ann" else Verdict.SECOND
        submit(Conduct(1, Correct(1, ann_won, by="Ms Reed", why="a typing error")))
        assert (await only_line())["winners"] == ["ann"]
        for number in range(2, KEPT_MAX + 3):
            create(running, preset("hanze", f"Cup {number}", "Reversi"), begins=False)
            submit(Conduct(number, Cancel("Ms Reed")))
        assert (await only_line())["winners"] == ["ann"]
        assert 1 not in running.server._sequencer._lobby.tournaments, "forgotten"
        others = (await get(running, "/api/v1/tournaments")).json
        assert {one["phase"]: one["winners"] for one in others} == {"cancelled": [], "over": ["ann"]}
        assert "None on record" in (await get(running, "/tournaments?player=nobody")).text


async def test_old_ones_are_listed_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (reader, tournament_list):
        monkeypatch.setattr(module, "TOURNAMENTS_MAX", 2)
    async with serving_pages() as running:
        for number in range(1, 4):
            create(running, preset("hanze", f"Cup {number}", "Reversi"), begins=False)
        newest = await get(running, "/tournaments")
        assert [f"Cup {number}" in newest.text for number in (1, 2, 3)] == [False, True, True]
        assert 'href="/tournaments?before=2">Older' in newest.text
        older = await get(running, "/tournaments?before=2")
        assert [f"Cup {number}" in older.text for number in (1, 2, 3)] == [True, False, False]
        assert [one["number"] for one in (await get(running, "/api/v1/tournaments?before=2")).json] == [1]
        check_html(older.text)
        beyond = (await get(running, "/tournaments?before=1")).text
        assert "None on record." in beyond
        assert "There are no tournaments yet" not in beyond


async def test_match_for_practice_has_a_page_and_is_not_listed(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        await running.enter("ann", "bob")
        create(running, preset("hanze", "ann - bob, practice", "Tic-tac-toe", event=False))
        for path in ("/", "/tournaments", "/players?name=ann", "/api/v1/tournaments"):
            assert "practice" not in (await get(running, path)).text, path
        assert "practice" in (await get(running, "/tournaments/1")).text
        assert 'gameserver_tournaments{phase="running"} 1' in (await get(running, "/metrics")).text
