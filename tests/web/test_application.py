"""Pages over a socket as far as `tests/web/visits` cannot tell: page by page, gaps of streams, figures and clocks."""

import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest
import trio
from attrs import evolve
from prometheus_client.parser import text_string_to_metric_families
from trio.testing import MockClock

from gameserver import web as pages_package
from gameserver.core.commands import ListGames
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.policies import Rules
from gameserver.read_model.read_model import LobbyView, ReadModel
from gameserver.records import reader
from gameserver.records.reader import Wanted
from gameserver.time_control import TimeControl
from gameserver.tournaments.presets import preset
from gameserver.web import tournament_list
from gameserver.web.live_pages import Streams, WatchedPage
from gameserver.web.records import before_in, before_text
from gameserver.web.templating import play_url
from tests.exports.matches import played
from tests.support.serving import LineClient, Running
from tests.web.support import check_html, create, enter, get, listening, live_pairing, serving_pages, two_halls


async def test_matches_are_listed_page_by_page() -> None:
    journal, record = MemoryJournal(), played("Tic-tac-toe", moves_max=1)
    journal.append([], [evolve(record, match=number) for number in range(1, 61)])
    async with serving_pages(journal=journal) as running:
        page = await get(running, "/matches?player=ann&game=Tic-tac-toe")
        check_html(page.text)
        assert page.text.count('href="/matches/') == 50
        assert "resigned" in page.text
        older = page.text.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
        rest = await get(running, older)
        assert rest.text.count('href="/matches/') == 10
        assert 'rel="next"' not in rest.text
        assert "None on record" in (await get(running, "/matches?player=nobody")).text
        assert len((await get(running, "/api/v1/matches?before=3")).json) == 2


async def test_tournaments_are_listed_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (reader, tournament_list):
        monkeypatch.setattr(module, "TOURNAMENTS_MAX", 2)
    async with serving_pages() as running:
        for number in range(1, 4):
            create(running, preset("hanze", f"Cup {number}", "Reversi"), begins=False)
        newest, older, beyond = [await get(running, f"/tournaments{query}") for query in ("", "?before=2", "?before=1")]
        assert [f"Cup {number}" in newest.text for number in (1, 2, 3)] == [False, True, True]
        assert 'href="/tournaments?before=2">Older' in newest.text
        assert [f"Cup {number}" in older.text for number in (1, 2, 3)] == [True, False, False]
        assert [one["number"] for one in (await get(running, "/api/v1/tournaments?before=2")).json] == [1]
        check_html(older.text)
        assert "None on record." in beyond.text
        assert "There are no tournaments yet" not in beyond.text


async def play(hall: Running) -> None:
    """A match that ends at once."""
    clients = await hall.match()
    await clients[0].send("forfeit")
    for client in clients:
        await client.until("COMMENT")
        await client.send("quit")
        await client.rest()
    await trio.sleep(1)


async def test_matches_of_all_halls_are_listed_page_by_page(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gameserver.web.halls.wanted_in", lambda _: Wanted(player="ann", count=2))
    async with two_halls() as both:
        for hall in (both.first, both.reversi, both.first, both.reversi, both.reversi):
            await play(hall)
        seen, found = [], {"before": ""}
        while not seen or found["matches"]:
            found = (await get(both.first, f"/halls/api/v1/matches?player=ann&before={found['before']}")).json
            seen += [(one["hall"], one["match"]) for one in found["matches"]]
        assert seen == [("reversi", 3), ("reversi", 2), ("", 2), ("reversi", 1), ("", 1)]
        shown = (await get(both.first, "/halls/matches?player=ann")).text
        check_html(shown)
        assert '<form class="filter" method="get" action="/halls/matches">' in shown
        assert 'href="/halls/matches?player=ann&amp;before=reversi.2"' in shown


def test_addresses_of_pages_over_all_halls_read_back() -> None:
    before = {"": 12, "reversi": 3, "chess-960": 7}
    assert before_in(before_text(before)) == before
    assert before_in("first.x,Bad.3,reversi.,.5,go.4") == {"go": 4}


async def move(first: LineClient, second: LineClient, text: str) -> None:
    """The one who is to move plays; everything is heard."""
    await first.send(f"move {text}")
    await first.lines(2)
    await second.lines(2)


async def test_a_browser_that_comes_back_gets_what_it_missed_and_no_more(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        async with listening(running, "/matches/1/events") as events:
            mark = (await events.next())["id"]
        await move(first, second, "4")
        await move(second, first, "0")
        async with listening(running, "/matches/1/events", last_event_id=mark) as events:
            changed = (await events.change())["html"].keys() - {"head"}  # the time that is left may be what it was
            assert changed == {"status", "board", "m1", "m2"}
        async with listening(running, "/matches/1/events", last_event_id=f"other-{mark}") as events:
            assert "m1" in (await events.change())["html"]


async def test_clocks_are_told_on_the_servers_axis_of_time(autojump_clock: MockClock) -> None:
    async with serving_pages(rules=Rules(first_move_pause_ms=0, clock=TimeControl(30_000))) as running:
        await running.match()
        await trio.sleep(10)
        page = await get(running, "/matches/1")
        deadline_ms = int(page.text.partition('data-deadline-ms="')[2].partition('"')[0])
        assert 19_000 < deadline_ms - int(page.mark.split("-")[2]) < 20_500


def meanwhile(monkeypatch: pytest.MonkeyPatch, happen: Callable[[], Awaitable[object]]) -> None:
    """Have something happen once, at the moment when a page is about to be rendered for its stream."""
    begin, left = Streams.begin, [happen]

    async def begin_later(streams: Streams, read_model: ReadModel, watched: WatchedPage, lobby_view: LobbyView) -> str:
        while left:
            await left.pop()()
        return await begin(streams, read_model, watched, lobby_view)

    monkeypatch.setattr(Streams, "begin", begin_later)


@pytest.mark.parametrize(("path", "words"), [("", '<td class="n points">1</td>'), ("/podium", "place-1")])
async def test_a_tournament_that_ends_while_its_page_is_made_is_over_on_it_or_on_its_stream(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, path: str, words: str
) -> None:
    async with serving_pages() as running:
        clients = await enter(running, "ann", "bob")
        create(running, preset("hanze", "Cup", "Tic-tac-toe"))
        loser = clients[(await live_pairing(running))["second"]]

        async def lose() -> None:
            await loser.send("forfeit")
            await loser.until("LOSS")

        meanwhile(monkeypatch, lose)
        page = await get(running, f"/tournaments/1{path}")
        said = page.text
        with trio.move_on_after(5), suppress(EOFError):
            async with listening(running, f"/tournaments/1{path}/events?after={page.mark}") as stream:
                while (fields := await stream.next())["event"] == "change":
                    said += fields["data"].replace('\\"', '"')
        assert words in said


async def test_live_matches_and_totals_are_counted_for_monitoring(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        await move(first, second, "4")
        await second.send("move 4")
        await second.until("LOSS")
        (cleo,) = await running.enter("cleo")
        await cleo.send("subscribe Reversi", "subscribe Chess")
        await cleo.lines(2)
        page = await get(running, "/metrics")
        assert page.headers["content-type"].startswith("text/plain")
        families = text_string_to_metric_families(page.text)
        samples = (sample for family in families for sample in family.samples)
        found = {" ".join((sample.name, *sample.labels.values())): sample.value for sample in samples}
        expected = {
            "players strategic": 3,
            "connections strategic": 3,
            "connections http": 1,
            "queue_depth": 0,
            "open_offers search": 1,
            "matches_total": 1,
            "moves_total": 2,  # the illegal one was taken, and cost the match
            "refusals_total": 1,
        }
        assert {name: found[f"gameserver_{name}"] for name in expected} == expected
        assert found["gameserver_commands_total"] > found["gameserver_journal_rows_total"] > 6
        assert found["gameserver_commit_seconds_bucket +Inf"] == found["gameserver_commit_seconds_count"] > 0


async def test_queue_depth_and_closed_connections_are_counted(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        (ann,) = await running.enter("ann")
        server = running.server
        figures = server._read_model.metrics
        assert dict(figures.connections()) == {"strategic": 1, "http": 0}
        for _ in range(3):  # of a session that nobody has: a client refuses answers that it did not ask for
            server._sequencer.submit(ListGames(99), server.now_ms())
        assert figures.queue_depth() == 3
        await ann.send("logout")
        await ann.rest()
        await ann.stream.aclose()
        assert figures.queue_depth() == 0
        page = await get(running, "/metrics")
        assert 'gameserver_connections{protocol="strategic"} 0.0' in page.text, "none is a number, too"


def test_every_404_with_words_is_told_apart_from_an_unknown_path() -> None:
    worded = re.compile(r"HTTPException\(\s*(HTTPStatus\.NOT_FOUND|404),")
    sources = Path(pages_package.__path__[0]).glob("*.py")
    assert [
        path.name for path in sources if worded.search(path.read_text()) and not path.name.startswith("teacher_")
    ] == []


def test_a_link_to_the_page_to_play_on_names_any_player() -> None:
    assert play_url("a&b=c/ü", "Connect-four-3D") == "/play?to=a%26b%3Dc%2F%C3%BC&game=Connect-four-3D"
    assert play_url(game="Reversi") == "/play?game=Reversi"
