"""The page of a tournament: of every format, empty, small and large, live."""

import re

import pytest
from attrs import evolve
from trio.testing import MockClock

from gameserver.core.commands import Capability
from gameserver.core.lobby import Player, TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.read_model.read_model import LobbyView
from gameserver.read_model.views import ListenerSummary
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import Act, Cancel, EndByTime, Finish, PairingStatus, Pause, Tournament
from gameserver.tournaments.podium import places, podium
from gameserver.tournaments.presets import PRESETS, preset
from gameserver.tournaments.progress import CHASING
from gameserver.tournaments.stages import parts
from gameserver.tournaments.standings import StandingsRow, standings
from gameserver.tournaments.view import WARNING, TournamentView
from gameserver.web import tournament as tournaments
from gameserver.web.certificates import certificates_page
from gameserver.web.tournament import (
    COLUMN_LINES_MAX,
    PLAYERS_MAX,
    GrowingEstimate,
    StandingsLayout,
    bottleneck_values,
    layout_of,
    podium_page,
    tournament_page,
)
from tests.read_model.test_troubles import hall_of
from tests.tournaments.playing import SHORT, World, entered, finished, started
from tests.web.support import check_html, create, enter, get, listening, live_pairing, serving_pages

NOTHING = LobbyView(0, 0)


def page_of(tournament: Tournament) -> str:
    return tournament_page(view_of(TournamentRow(1, tournament)), NOTHING)


def plan_of(which: str, **changes: object):
    return preset(which, "Cup", "Reversi", **SHORT.get(which, {}) | changes)


@pytest.mark.parametrize("which", PRESETS)
def test_every_format_has_a_page_at_every_stage(which: str) -> None:
    under_way = World(started(plan_of(which), 7), 3)
    under_way.tick()
    for tournament in (entered(plan_of(which), 7), under_way.tournament, finished(plan_of(which), 7)):
        page = page_of(tournament)
        check_html(page)
        assert tournament.phase.value in page
        has_bracket = parts(tournament)[0].state.plan.is_bracket
        assert ("Bracket" in page) == (has_bracket and tournament.phase.value != "gathering")
        assert ("Match points</th>" in page) == (which == "teams")
        assert tournament.seed not in page


def test_groups_stand_side_by_side_and_below_the_bracket_once_they_are_over() -> None:
    world = World(started(plan_of("groups"), 8), 3)
    while world.tournament.stage == 0:
        page = page_of(world.tournament)
        check_html(page)
        assert page.count("<caption>Group ") == 2
        assert "the best 2 of each go on" in page
        assert "Stages before" not in page
        world.tick()
    page = page_of(world.tournament)
    before, _, after = page.partition("Stages before")
    assert "Bracket" in before
    assert after.count("<caption>Group ") == 2
    assert after.count('<tr class="ends-group">') == 2


@pytest.mark.parametrize("which", ["hanze", "league"])
def test_a_count_that_only_grows_stands_in_for_rounds_that_overlap(which: str) -> None:
    heads = heads_of(which)
    assert not any("round" in head for head in heads)
    numbers = [int(*re.findall(r"at least <b>(\d+)</b> by each", head) or [0]) for head in heads]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) > 3


def heads_of(which: str, **changes: object) -> list[str]:
    """The heads of the page, from the first game to the last result."""
    world, found = World(started(plan_of(which, **changes), 8), 3), []
    while world.tournament.phase.value == "running":
        world.tick()
        found.append(page_of(world.tournament).partition('<p class="facts">')[2].partition("</p>")[0])
    return found[:-1]


def test_a_bracket_is_without_numbers_of_rounds() -> None:
    assert not any("round" in head or "by each" in head for head in heads_of("cup"))


def test_byes_of_a_swiss_stand_among_the_pairings_with_the_virtual_opponent() -> None:
    tournament = finished(plan_of("swiss"), 7)
    page = page_of(tournament)
    check_html(page)
    points = {row.name: row.points for row in standings(tournament)}
    pairings = page.partition('id="pairings"')[2].partition("</section>")[0]
    for bye in tournament.byes:
        counted = f"bye, 2 points; in Buchholz a virtual opponent with {points[bye.player]} points"
        assert f'{bye.player}</span></span> <span class="outcome">{counted}' in pairings
    assert pairings.count('<li class="idle">') == len(tournament.byes) == tournament.rounds
    assert "counts in Buchholz as a virtual opponent" in page
    assert "virtual opponent" not in page_of(finished(plan_of("league"), 7))


def test_nobody_has_entered_yet() -> None:
    page = page_of(entered(plan_of("hanze"), 0))
    check_html(page)
    assert "Nobody has entered yet" in page
    assert "Nobody has been paired yet" in page


def test_the_page_warns_of_dice_that_are_known_beforehand() -> None:
    assert WARNING in page_of(finished(plan_of("league", same_chance=True), 4))
    assert WARNING not in page_of(finished(plan_of("league"), 4))


def arena_under_way(players: int = 8, **changes: object) -> World:
    world = World(started(plan_of("arena", **{"duration_ms": 3_600_000} | changes), players), 3)
    for _ in range(9):
        world.tick()
    world.pair()
    return world


def test_an_arena_has_a_clock_streaks_and_duels_and_no_rounds() -> None:
    world = arena_under_way()
    row = TournamentRow(1, world.tournament)
    view = view_of(row, row.timing(world.now_ms))
    page = tournament_page(view, LobbyView(0, 0, tournaments=(row,)))
    check_html(page)
    assert view.arena is not None
    assert view.arena.streaks
    assert view.live
    assert f'data-countdown data-deadline-ms="{world.tournament.ends_ms}">59:51<' in page
    best = view.arena.streaks[0]
    assert f'title="{best.wins} wins in a row, worth {best.points}"' in page
    duels = page[page.index('id="arena"') : page.index('id="boards-title"')]
    assert [f"/matches/{one.match}" in duels for one in view.live] == [True] * len(view.live)
    assert "round" not in re.sub(r"<[^>]*>", "", page).lower()
    assert "A win is worth 1, a draw 0.5, a loss 0." in page


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (Pause(9_000), "<b>59:51</b> left when it goes on"),
        (EndByTime(3_600_000), "<b>Time is up</b> 4 to end"),
        (Finish(9_000, "Ms Reed"), "<b>Last games</b> 4 to end"),
    ],
)
def test_an_arena_says_why_its_clock_stands(act: Act, words: str) -> None:
    page = page_of(apply(arena_under_way().tournament, act))
    assert words in page
    assert "data-countdown" not in page


def test_an_arena_says_who_waits_and_who_is_not_here() -> None:
    world = World(started(plan_of("arena"), 4), 3)
    row = TournamentRow(1, world.tournament)
    here = (
        *(Player(name, 1, "strategic", "", (Capability.CHALLENGE,)) for name in ("p01", "p02")),
        Player("p04", 2, "connect-four", "", (Capability.ROOMS,)),
    )
    page = tournament_page(view_of(row), LobbyView(0, 0, tournaments=(row,), players=here))
    waiting = re.sub(r"<[^>]*>|\s+", " ", page[page.index('class="waiting"') : page.index('id="boards-title"')])
    said = re.findall(r"Next to play:|Not ready:|Not here:|p\d\d", waiting)
    assert " ".join(said) == "Next to play: p01 p02 Not ready: p04 Not here: p03"


def test_a_long_arena_lists_its_latest_pairings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "PAIRINGS_MAX", 3)
    tournament = arena_under_way().tournament
    page = page_of(tournament)
    listed = page[page.index('id="pairings"') :]
    assert listed.count('class="pair"') == 3
    last = tournament.pairings[-1]
    assert listed.index(last.seats[1]) < listed.index(tournament.pairings[-3].seats[1])
    assert f"{len(tournament.pairings) - 3} earlier games are in" in page


def test_the_page_says_that_nothing_goes_on_without_the_teacher() -> None:
    hall = hall_of("ann", "bob", which="swiss", games=1)
    (pairing,) = hall.row.state.pairings
    for expected in (0, 1):
        page = tournament_page(
            view_of(hall.row, hall.row.timing(hall.now_ms)), LobbyView.of(hall.lobby, 0, hall.now_ms)
        )
        check_html(page)
        assert page.count("waiting for <b>the teacher</b>") == expected
        held = hall.row.state.with_pairing(evolve(pairing, status=PairingStatus.HELD, reason="a bug of ours"))
        hall.lobby.tournaments[1] = evolve(hall.row, state=held)


def test_the_page_says_for_whom_everybody_waits() -> None:
    hall = hall_of("ann", "bob", "cyd", "<i>dan", which="swiss", games=1, rounds=2, pause_ms=0)
    for expected in (0, 1):
        page = tournament_page(
            view_of(hall.row, hall.row.timing(hall.now_ms)), LobbyView.of(hall.lobby, 0, hall.now_ms)
        )
        check_html(page)
        assert page.count('class="bottleneck"') == expected
        if not expected:
            hall.end(hall.matches[0], 0)
    (last,) = hall.matches
    view, began_ms = view_of(hall.row), hall.now_ms
    told = [bottleneck_values(view, LobbyView.of(hall.lobby, 0, began_ms + ms)) for ms in (30_000, 45_000)]
    assert told[0]["estimate"] == told[1]["estimate"] == GrowingEstimate(began_ms, 1.5), "half of it again, and a round"
    assert [one["eta_ms"] for one in told] == [45_000, 67_500]
    names = [name.replace("<", "&lt;").replace(">", "&gt;") for name in last.players]
    said = re.sub(r"<[^>]*>", "", page[page.index('class="bottleneck"') - 6 : page.index('class="hold"')])
    assert said.startswith(f"waiting for {names[0]} and {names[1]}")
    assert '<span class="hold" data-brief hidden>' in page, "without scripts the two are named once"
    assert page.count(f'data-since-ms="{last.opened_ms}"') == 2, "since the round's other match ended, and its turn"


@pytest.mark.parametrize("coding", ["deflate", "identity"])
async def test_the_page_follows_a_tournament(autojump_clock: MockClock, coding: str) -> None:
    async with serving_pages() as running:
        clients = await enter(running, "ann", "bob", "<b>cyd</b>")
        empty = await get(running, "/tournaments")
        check_html(empty.text)
        assert "There are no tournaments yet" in empty.text
        create(running, preset("hanze", "Spring <cup>", "Tic-tac-toe"))
        listed = await get(running, "/tournaments")
        check_html(listed.text)
        assert "Spring &lt;cup&gt;" in listed.text
        page = await get(running, "/tournaments/1", accept_encoding=coding)
        check_html(page.text)
        assert page.headers.get("content-encoding", "identity") == coding
        assert page.headers["vary"] == "Accept-Encoding"
        assert "&lt;b&gt;cyd" in page.text
        live = await live_pairing(running)
        assert f'href="/matches/{live["match"]}"' in page.text
        mark = page.mark
        async with listening(running, f"/tournaments/1/events?after={mark}", accept_encoding=coding) as events:
            await clients[live["second"]].send("forfeit")
            html: dict[str, str] = {}
            while "standings" not in html:
                html |= (await events.change())["html"]
            assert {"head", "table", "pairings"} <= html.keys()
            assert '<td class="n points">1</td>' in html["standings"]
        assert (await get(running, "/tournaments/9")).status == 404


async def test_the_time_of_the_start_is_counted_down_to(autojump_clock: MockClock) -> None:
    async with serving_pages(wall_ms=lambda: 1_800_000_000_000) as running:
        create(running, preset("hanze", "Cup", "Tic-tac-toe", starts_at_ms=1_800_000_750_000), begins=False)
        page = (await get(running, "/tournaments/1")).text
        check_html(page)
        shown = re.findall(r'at <time datetime="(.*?)" data-time>(.*?)</time><b .*? data-deadline-ms="(\d+)"', page)
        assert shown == [("2027-01-15T08:12:30.000+00:00", "2027-01-15 08:12 UTC", "750000")]


LEAGUE = preset("league", "Spring <cup>", "Reversi")
CUP = preset("cup", "Cup", "Reversi")


def view_at(tournament: Tournament) -> TournamentView:
    return view_of(TournamentRow(1, tournament))


def shared(view: TournamentView, count: int) -> TournamentView:
    """The first places of a tournament, shared by so many."""
    lines = (evolve(one, rank=1) if at < count else one for at, one in enumerate(view.standings))
    return evolve(view, standings=tuple(lines))


def test_everything_is_in_the_html() -> None:
    view = view_at(finished(LEAGUE, 6))
    best = view.standings[0]
    counts = {one.match: 30 for one in view.pairings if one.match} | {7: 64}
    page = podium_page(view, counts)
    check_html(page)
    assert page.count('class="step place-') == 3
    assert f"<b>{best.points}</b> points" in page
    assert page.count("Best win: ") == 3
    assert page.count("Longest match: ") == 3 + 1, "of three players, and of all"
    assert page.index('class="podium"') < page.index('class="standings '), "the table follows"
    assert all(one.name in page for one in view.standings)
    assert "Spring &lt;cup&gt;" in page


def test_teams_stand_on_the_podium_where_teams_were_paired() -> None:
    view = view_at(finished(plan_of("teams"), 6))
    page = podium_page(view, {})
    check_html(page)
    podium_part, _, below = page.partition("</ol>")
    on_it = [team for team in view.teams if team.rank <= 3]
    assert re.findall(r'<span class="name".*?>(.*?)</span>', podium_part) == [team.team for team in on_it]
    assert f"<b>{on_it[0].match_points}</b> match points, {on_it[0].points} board points" in podium_part
    assert on_it[0].players[0] in podium_part
    assert "Matches of teams" in below


@pytest.mark.parametrize("count", [2, 3, PLAYERS_MAX, PLAYERS_MAX + 2])
def test_ties_are_shown_as_ties(count: int) -> None:
    page = podium_page(shared(view_at(finished(LEAGUE, 10)), count), {})
    check_html(page)
    assert page.count("<small>shared</small>") == 1
    assert page.count('class="person"') == min(count, PLAYERS_MAX) + (count < 3)
    assert ("and 2 more" in page) == (count > PLAYERS_MAX)


def test_house_player_who_won_is_named_and_has_no_step() -> None:
    over = finished(CUP, 8)
    champion = view_at(over).standings[0].name
    entrants = tuple(evolve(one, house=one.name == champion) for one in over.entrants)
    page = podium_page(view_at(evolve(over, entrants=entrants)), {})
    check_html(page)
    assert f'role="note">{champion} won the bracket, outside the places</p>' in page
    assert f'title="{champion}"' not in page.partition("<ol")[2].partition("</ol>")[0]


@pytest.mark.parametrize("which", ["league", "cup", "teams"])
def test_everybody_who_came_has_a_certificate(which: str) -> None:
    over = finished(plan_of(which), 8)
    found = list(places(over))
    found[-1] = evolve(found[-1], absent=True)
    found[1] = evolve(found[1], rank=1)
    page = certificates_page(view_at(over), found, "2026-11-23T09:05:00.000+00:00")
    check_html(page)
    named = re.findall(r'<h2 class="name".*?>(.*?)</h2>', page)
    assert named == [one.name for one in found if not one.absent]
    assert page.count("Shared 1st place") == 2
    assert "3rd place <small>of 8</small>" in page or which == "teams"
    assert ">2026-11-23</time>" in page
    assert (" points: " in page) == (which != "cup")
    assert page.count("<p>With the team ") == (len(named) if which == "teams" else 0)
    assert f'Best win: against <bdi class="name">{podium(view_at(over))[0].players[0].best_win.opponent}' in page


async def test_certificates_are_printed_once_it_is_over(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        clients = await enter(running, "ann", "bob")
        create(running, preset("hanze", "Cup", "Tic-tac-toe"))
        assert "has no places yet" in (await get(running, "/tournaments/1/certificates")).text
        loser = (await live_pairing(running))["second"]
        await clients[loser].send("forfeit")
        await clients[loser].until("LOSS")
        page = await get(running, "/tournaments/1/certificates")
        check_html(page.text)
        assert page.text.count('<article class="certificate') == 2
        assert re.search(r" data-day>\d{4}-\d\d-\d\d</time>", page.text)
        assert "/tournaments/1/certificates" in (await get(running, "/tournaments/1/podium")).text
        assert (await get(running, "/tournaments/9/certificates")).status == 404


def test_who_is_too_early_or_in_vain_is_told_so() -> None:
    running = podium_page(view_at(started(LEAGUE, 4)), {})
    assert "is not over yet" in running
    assert 'data-next="/tournaments/1"' in running, "and back, if a game is to be replayed"
    cancelled = podium_page(view_at(apply(started(LEAGUE, 4), Cancel("Ms Reed"))), {})
    assert "was cancelled" in cancelled
    empty = podium_page(evolve(view_at(finished(LEAGUE, 4)), pairings=()), {})
    assert "before any game was decided" in empty
    for page in (running, cancelled, empty):
        check_html(page)
        assert 'class="podium"' not in page


@pytest.mark.parametrize(
    ("listens_at", "asked_as", "is_linked"),
    [("127.0.0.1", "localhost", True), ("127.0.0.1", "school.example", False), ("0.0.0.0", "school.example", True)],
)
async def test_the_teacher_has_a_link_to_the_files(
    autojump_clock: MockClock, listens_at: str, asked_as: str, is_linked: bool
) -> None:
    async with serving_pages() as running:
        running.server._read_model.listeners = (ListenerSummary("admin", listens_at, 8080),)
        create(running, preset("hanze", "Cup", "Tic-tac-toe"), begins=False)
        page = await get(running, "/tournaments/1/podium", host=asked_as)
        assert (f'href="http://{asked_as}:8080/tournaments/1#files"' in page.text) == is_linked


SWISS = preset("swiss", "Swiss", "Reversi")


def lines_of(players: int, *, chasers: int = 0) -> tuple[StandingsRow, ...]:
    lines = view_of(TournamentRow(1, entered(SWISS, players))).standings
    return tuple(
        evolve(line, rank=at, chances=CHASING if 3 < at <= 3 + chasers else "")
        for at, line in enumerate(lines, start=1)
    )


def names_on(layout: StandingsLayout, page: int | None) -> list[str]:
    return [line.name for part in layout.parts if part.page == page for line in part.lines]


@pytest.mark.parametrize(
    ("players", "columns", "pages"),
    [(2, 1, 1), (COLUMN_LINES_MAX, 1, 1), (24, 2, 1), (2 * COLUMN_LINES_MAX, 2, 1), (60, 2, 2), (100, 2, 3)],
)
def test_columns_come_before_pages(players: int, columns: int, pages: int) -> None:
    layout = layout_of(lines_of(players))
    assert (layout.columns, layout.pages) == (columns, pages)
    assert layout.rows <= COLUMN_LINES_MAX
    stays = names_on(layout, None)
    for page in range(pages) if columns == 2 else ():
        assert len(stays) + len(names_on(layout, page)) <= 2 * layout.rows


@pytest.mark.parametrize(("chasers", "stays"), [(0, 3), (2, 5), (3, 6), (9, 6)])
def test_the_podium_and_those_one_win_behind_it_always_stay(chasers: int, stays: int) -> None:
    lines = lines_of(60, chasers=chasers)
    assert names_on(layout_of(lines), None) == [line.name for line in lines[:stays]]


def test_while_it_is_played_places_are_at_risk_and_afterwards_none() -> None:
    world = World(started(SWISS, 24), 3)
    world.tick()
    assert 'title="place at risk"' in page_of(world.tournament)
    over = page_of(finished(SWISS, 24))
    assert 'title="place at risk"' not in over
    assert 'title="one win from the podium"' not in over
