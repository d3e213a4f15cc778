"""Tournaments' pages on a projector, a laptop and a phone, in Chromium: what must be seen is seen, nothing overlaps."""

from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from attrs import evolve

from games.reversi import GAME as REVERSI
from gameserver.core.commands import Capability
from gameserver.core.events import EndReason
from gameserver.core.lobby import Player, TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.read_model.read_model import HallView, LobbyView
from gameserver.read_model.views import Entrance, Invitation
from gameserver.records.match_record import SeatRecord, SeatResult
from gameserver.records.reader import HallTournament, Wanted
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import Cancel, Pause, RegisterEntrant, StartTournament, Tournament
from gameserver.tournaments.plan import Plan
from gameserver.tournaments.podium import Place, final_of
from gameserver.tournaments.presets import preset
from gameserver.tournaments.season import SeasonEvent, SeasonSettings, ladder_event, season_table
from gameserver.tournaments.view import TournamentView, tournament_summary
from gameserver.web.bracket import rounds_now
from gameserver.web.certificates import certificates_page
from gameserver.web.halls import halls_page
from gameserver.web.lobby import TOURNAMENTS_MAX, lobby_page
from gameserver.web.records import HallHead, matches_page
from gameserver.web.season import season_page
from gameserver.web.templating import PageHall, render, rendering_at
from gameserver.web.tournament import podium_page, tournament_page, tournament_regions
from gameserver.web.tournament_list import tournaments_page
from tests.support.browser import expect, obstacles
from tests.tournaments.playing import SEED, World, started
from tests.web.played_boards import PlayedLobby
from tests.web.test_records import TOURNAMENTS
from tests.web.test_records import page as page_of_a_player

PROJECTOR, LAPTOP, PHONE = (1920, 1080), (1280, 800), (390, 844)
NAMES = ("M" * 64, "محمد عبد الرحمن بن عبد الله الطويل", "李小龙和他的机器人", "Ωμέγα-Παπαδόπουλος", "Žofie Nováková")
KINDS = ("knockout", "double-elimination")

OVERLAPS = """selector => {
  const found = [...document.querySelectorAll(selector)].map(e => [e.textContent.trim(), e.getBoundingClientRect()]);
  const lie = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  const after = (i, a) => found.slice(i + 1).filter(([, b]) => lie(a, b));
  return found.flatMap(([text, a], i) => after(i, a).map(([other]) => [text, other]));
}"""
OUTSIDE = """selector => [...document.querySelectorAll(selector)].filter(e => {
  const r = e.getBoundingClientRect();
  return r.left < -1 || r.top < -1 || r.right > innerWidth + 1 || r.bottom > innerHeight + 1;
}).map(e => e.textContent.trim())"""

# After a resize the tiles are fitted in the next frame.
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def plan_of(kind: str) -> Plan:
    if kind == "league":
        return preset("league", "Spring cup", "Reversi", cycles=1)
    if kind == "swiss":
        return preset("swiss", "Spring cup", "Reversi")
    return preset("cup", "Spring cup", "Reversi", format=kind)


def world_of(plan: Plan, players: int) -> World:
    """A tournament that begins, of players with long names and names in other scripts."""
    tournament = Tournament(plan, SEED)
    for number in range(players):
        name = NAMES[number] if number < len(NAMES) else f"player-{number + 1:02}"
        tournament = apply(tournament, RegisterEntrant(name, rating=3000 - number))
    return World(apply(tournament, StartTournament(0)), 5)


def at_stage(plan: Plan, players: int, stage: str) -> Tournament:
    world = world_of(plan, players)
    if stage == "over":
        return world.run()
    if players > 2:
        world.tick()
    world.pair()
    acts = {"paused": Pause(world.now_ms), "cancelled": Cancel("Ms Reed", "fire alarm")}
    return apply(world.tournament, acts[stage]) if stage in acts else world.tournament


@cache
def shown(kind: str, players: int, stage: str) -> TournamentView:
    return view_of(TournamentRow(1, at_stage(plan_of(kind), players, stage)))


def html_of(kind: str, players: int, stage: str) -> str:
    return tournament_page(shown(kind, players, stage), LobbyView(0, 0))


def scrolls_sideways(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def assert_fits(page: Any, size: tuple[int, int], apart: str = "", inside: str = "") -> None:
    """At this size the page is as wide as the screen, nothing `apart` overlaps, and all `inside` is on the screen."""
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    assert not scrolls_sideways(page)
    assert not apart or page.evaluate(OVERLAPS, apart) == []
    assert not inside or page.evaluate(OUTSIDE, inside) == []


@pytest.mark.parametrize(
    ("kind", "players", "stage"),
    [
        *[("knockout", 2, "over"), ("knockout", 24, "paused"), ("knockout", 60, "play")],
        *[("double-elimination", 10, "play"), ("double-elimination", 60, "play"), ("double-elimination", 60, "over")],
    ],
)
def test_a_bracket_is_on_the_screen_as_a_whole(show, kind, players, stage) -> None:
    page = show(html_of(kind, players, stage), PROJECTOR)
    boxes = "svg.bracket foreignObject, svg.bracket text"
    scale = "e => e.getBoundingClientRect().width / e.width.baseVal.value"
    is_crowded = (players, stage) == (60, "play")
    for size, least_px in ((PROJECTOR, 16 if is_crowded else 18), (LAPTOP, 11 if is_crowded else 12)):
        assert_fits(page, size, boxes, boxes)
        assert 20 * page.locator("svg.bracket foreignObject").first.evaluate(scale) >= least_px


@pytest.mark.parametrize(("kind", "players"), [*product(KINDS, [60]), ("knockout", 8), ("double-elimination", 24)])
def test_boards_of_a_knockout_are_on_the_screen_with_its_bracket(show, kind, players) -> None:
    lobby = PlayedLobby(0, 0, played=(REVERSI,), count=players)
    page = show(tournament_page(shown(kind, players, "play"), lobby), PROJECTOR, java_script_enabled=True)
    inside = "svg.bracket foreignObject, #boards-title"
    for width, height in (PROJECTOR, (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(TWO_FRAMES)
        assert_fits(page, (width, height), f"{inside}, .standings", inside)
        boxes = [tile.bounding_box() for tile in page.locator(".tile").all()]
        assert sum(box["y"] + box["height"] <= height for box in boxes) >= (2 if players == 60 else 4)


@pytest.mark.parametrize("kind", ["league", "knockout"])
def test_name_that_is_cut_has_a_title(show, kind) -> None:
    lobby = PlayedLobby(0, 0, played=(REVERSI,), count=30)
    over = podium_of(kind, 10)
    pages = (tournament_page(shown(kind, 10, "play"), lobby), html_of(kind, 10, "over"), over)
    for html, size in product(pages, (LAPTOP, PHONE)):
        page = show(html, size)
        cut = "e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 4"
        names = "[...document.querySelectorAll('.name, .opponent, h1')]"
        seen = f"{names}.filter(e => getComputedStyle(e).overflow === 'hidden').filter({cut})"
        assert page.evaluate(f"{seen}.length") > 0 or html is over
        assert page.evaluate(f"{seen}.filter(e => !e.closest('[title]')).map(e => e.outerHTML)") == []


@pytest.mark.parametrize("kind", KINDS)
def test_no_score_lies_upon_a_name(show, kind) -> None:
    page = show(html_of(kind, 10, "over"), PROJECTOR)
    assert page.locator("svg.bracket .score").count() > 8
    assert page.evaluate(OVERLAPS, "svg.bracket :is(.name, .score, .number, .nobody)") == []


@pytest.mark.parametrize(
    ("kind", "players", "stage"),
    [
        *[("knockout", 2, "play"), ("double-elimination", 24, "play"), ("knockout", 60, "over")],
        *[("double-elimination", 60, "over"), ("double-elimination", 10, "cancelled")],
    ],
)
def test_a_phone_has_the_encounters_as_a_list_with_the_round_in_question_open(show, kind, players, stage) -> None:
    page = show(html_of(kind, players, stage), PHONE)
    assert not scrolls_sideways(page)
    assert page.locator("svg.bracket").is_hidden()
    assert set(page.locator(".encounters details[open]").evaluate_all("all => all.map(e => e.dataset.fold)")) == set(
        rounds_now(shown(kind, players, stage).bracket)
    )
    if stage == "over":
        assert page.locator(".encounters .node:visible").count() <= 2
    assert page.evaluate(OVERLAPS, ".encounters details[open] :is(.name, .score, .number, .nobody)") == []


def test_next_round_opens_by_itself_and_what_a_viewer_has_opened_stays_open(show) -> None:
    page = show(html_of("knockout", 24, "play"), PHONE, java_script_enabled=True)
    is_open = "all => all.filter(e => e.open).map(e => e.dataset.fold)"
    folds = page.locator(".encounters details")
    assert folds.evaluate_all(is_open) == ["Round of 32"]
    page.click("text=Semi-final >> nth=0")
    page.evaluate("news => change(news)", news("knockout", 24, "over"))
    assert folds.evaluate_all(is_open) == ["Final", "Match for third place", "Semi-final"]


@pytest.mark.parametrize(
    ("stage", "size", "scheme"),
    [
        *[("play", PROJECTOR, "light"), ("play", PHONE, "dark"), ("over", PROJECTOR, "dark"), ("over", PHONE, "light")],
        *[("paused", PROJECTOR, "light"), ("cancelled", PHONE, "dark")],
    ],
)
def test_nothing_stands_in_anybodys_way_in_a_cup(show, stage, size, scheme) -> None:
    page = show(html_of("double-elimination", 10, stage), size, color_scheme=scheme, java_script_enabled=True)
    assert obstacles(page) == {}


def visible_names(page: Any) -> list[str]:
    return page.locator(".standings .name:visible").all_inner_texts()


def letters(page: Any) -> float:
    return page.locator(".standings .name").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")


@pytest.mark.parametrize(("players", "stage"), [(2, "play"), (10, "over"), (22, "play"), (24, "paused"), (60, "play")])
def test_standings_fill_the_screen_and_no_more(show, players, stage) -> None:
    page = show(html_of("league", players, stage), PROJECTOR, java_script_enabled=True)
    inside = ".standings :is(.name, .points, .possible), .legend, #standings-title"
    for size, least_px in ((PROJECTOR, 20), (LAPTOP, 14)):
        assert_fits(page, size, ".standings td.rank, .standings .name, .standings td.points, .legend", inside)
        assert letters(page) >= least_px
        assert len(visible_names(page)) >= min(players, 30)


def test_pages_of_standings_turn_and_the_podium_stays(show) -> None:
    page = show(html_of("league", 60, "play"), PROJECTOR, has_own_clock=True)
    everybody = [line.name for line in shown("league", 60, "play").standings]
    page.clock.install()
    page.reload()
    seen: set[str] = set()
    for turn in range(2):
        found = visible_names(page)
        assert found[:3] == everybody[:3]
        assert page.locator("button.turn").inner_text() == f"{turn + 1} of 2 · Show all"
        seen |= set(found)
        page.clock.fast_forward(13_000)
    assert seen == set(everybody)
    assert page.locator("button.turn").inner_text().startswith("1 of 2")
    page.hover("#standings .name >> nth=0")
    page.clock.fast_forward(60_000)
    assert page.locator("button.turn").inner_text().startswith("1 of 2"), "it is being read"
    page.click("button.turn")
    assert visible_names(page) == everybody
    assert page.evaluate(OVERLAPS, ".standings .name, .legend") == []


@pytest.mark.parametrize(("size", "pages"), [(4, 5), (8, 7)])
def test_pages_of_groups_turn(show, size, pages) -> None:
    world = world_of(preset("groups", "Cup", "Reversi", stages=f"groups of {size}, best 2 -> knockout"), 200)
    world.tick()
    view = view_of(TournamentRow(1, world.tournament))
    page = show(tournament_page(view, LobbyView(0, 0)), PROJECTOR, has_own_clock=True)
    page.clock.install()
    page.reload()
    seen: set[str] = set()
    for turn in range(pages):
        assert page.locator("button.turn").inner_text() == f"{turn + 1} of {pages} · Show all"
        seen |= set(visible_names(page))
        for screen in (PROJECTOR, LAPTOP):
            assert_fits(page, screen, ".group :is(tbody th, td)", ".group :is(caption, th, td)")
        page.clock.fast_forward(13_000)
    assert seen == {line.name for line in view.standings}
    assert obstacles(page) == {}
    assert_fits(page, PHONE)


@pytest.mark.parametrize(("kind", "players"), [("league", 2), ("league", 22), ("swiss", 9), ("swiss", 22)])
def test_the_crosstable_stands_beside_the_standings_when_all_is_over(show, kind, players) -> None:
    page = show(html_of(kind, players, "over"), PROJECTOR)
    inside = ".standings .points, .crosstable :is(td, th):not(:last-child), .legend"
    for size in (PROJECTOR, LAPTOP):
        assert_fits(page, size, ".standings :is(.name, .points), .crosstable td, .legend", inside)
        standings, crosstable = (page.locator(name).bounding_box() for name in ("#standings", ".crosstable"))
        assert standings["x"] + standings["width"] < crosstable["x"] < size[0] / 2
        assert page.locator("#pairings").bounding_box()["y"] >= crosstable["y"] + crosstable["height"]
    assert_fits(page, PHONE)


def podium_of(kind: str, players: int, *, ties: int = 0) -> str:
    view = shown(kind, players, "over")
    lines = tuple(evolve(one, rank=1) if at < ties else one for at, one in enumerate(view.standings))
    counts = {one.match: 20 + one.match % 37 for one in view.pairings if one.match}
    return podium_page(evolve(view, standings=lines), counts)


@pytest.mark.parametrize("size", [PROJECTOR, PHONE])
def test_each_certificate_is_printed_on_a_page_of_its_own(show, size) -> None:
    view = shown("league", 7, "over")
    names = dict(zip((one.name for one in view.standings), NAMES, strict=False))
    lines = tuple(evolve(one, name=names.get(one.name, one.name)) for one in view.standings)
    places = [Place(one.name, one.rank, one.points) for one in lines]
    page = show(certificates_page(evolve(view, standings=lines), places, ""), size, color_scheme="dark")
    assert not scrolls_sideways(page)
    assert page.evaluate(OVERLAPS, ".certificate :is(p, h2)") == []
    for paper in ("A4", "Letter"):
        assert page.pdf(format=paper, prefer_css_page_size=False, landscape=True).count(b"/Type /Page\n") == len(lines)
    checked = show(certificates_page(evolve(view, standings=lines), places, ""), size, java_script_enabled=True)
    assert obstacles(checked) == {}


@pytest.mark.parametrize(("players", "ties"), [(2, 0), (2, 2), (10, 3), (10, 9), (30, 0)])
def test_the_podium_fills_the_screen_and_no_more(show, players, ties) -> None:
    page = show(podium_of("league", players, ties=ties), PROJECTOR)
    apart = ".step .name, .step .story, .step .block"
    for size in (PROJECTOR, LAPTOP):
        assert_fits(page, size, apart, f"#ceremony h1, .step, {apart}")
        heights = [step.bounding_box() for step in page.locator(".step .block").all()]
        assert max(box["y"] + box["height"] for box in heights) > 0.9 * size[1], "it stands at the foot of the screen"
    assert_fits(page, PHONE, apart)
    assert page.locator(".place-1").bounding_box()["y"] < PHONE[1] / 2, "the first place comes first"


def test_nothing_tells_the_winner_before_the_first_place_is_shown(show) -> None:
    """The names are not even to be pointed at: a browser shows where a link leads, and what it is called."""
    html = podium_of("league", 10)
    winner = shown("league", 10, "over").standings[0].name
    assert winner not in html.partition("<title>")[2].partition("</title>")[0]
    page = show(html, PROJECTOR, "#ceremony", reduced_motion="no-preference")
    told = f"[...document.querySelectorAll('a, p, td, th')].filter(e => e.textContent.includes({winner!r}))"
    is_seen = "getComputedStyle(e).visibility == 'visible'"
    for at_ms in (0, 2_000, 6_000):
        page.evaluate("ms => document.getAnimations().forEach(one => { one.pause(); one.currentTime = ms; })", at_ms)
        assert page.evaluate(f"{told}.filter(e => {is_seen}).map(e => e.outerHTML)") == [], at_ms
    page.evaluate("document.getAnimations().forEach(one => one.finish())")
    assert page.evaluate(f"{told}.every(e => {is_seen})")


def test_all_positions_of_the_final_are_shown_in_half_a_minute_before_the_podium(show) -> None:
    view = shown("knockout", 10, "over")
    html = podium_page(view, {}, final=(final_of(view), 14))
    assert not show(html, PROJECTOR, "#ceremony").locator("#final").is_visible(), "without a script"
    page = show(html, LAPTOP, "", has_own_clock=True)
    asked: list[str] = []

    def answer(route: Any) -> None:
        asked.append(route.request.url.rpartition("=")[2])
        route.fulfill(body=f'<div class="board-frame"><svg id="at-{asked[-1]}" viewBox="0 0 9 9"></svg></div>')

    page.route("**/board?move=*", answer)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    page.evaluate("location.hash = '#ceremony'")
    for step in range(15):
        page.locator(f"#at-{step}").wait_for(state="attached")  # its time begins then
        assert not page.locator("#ceremony").is_visible()
        page.clock.run_for(2_000)
    expect(page.locator("#ceremony")).to_be_visible()
    assert asked == [str(step) for step in range(15)]


class Featuring(PlayedLobby):
    """A lobby of which the second match is shown large, with an opinion."""

    def match(self, number: int) -> Any:
        return SimpleNamespace(present=self.board(number))

    def opinion(self, number: int, moves_late: int) -> tuple[str, float, int]:
        return "house-master", 0.62, 6


@pytest.mark.parametrize(("kind", "players"), [("league", 10), ("league", 30), ("knockout", 8), ("knockout", 24)])
def test_featured_board_is_on_the_screen_with_its_bar(show, kind, players) -> None:
    view = shown(kind, players, "play")
    lobby = Featuring(0, 0, played=(REVERSI,), count=players, featured={view.number: view.live[0].match})
    html = tournament_page(view, lobby)
    page = show(html, PROJECTOR, java_script_enabled=True)
    inside = "#featured .board-frame, #featured .versus, .opinion"
    for size in (PROJECTOR, (1280, 720)):
        page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
        page.evaluate(TWO_FRAMES)
        assert_fits(page, size, f"{inside}, #boards-title", inside)
        least = "all => Math.min(...all.map(e => parseFloat(getComputedStyle(e).fontSize)))"
        assert page.locator("#featured .name:visible, .opinion-words > :visible").evaluate_all(least) >= 20
        assert page.locator("#featured .board").last.bounding_box()["height"] >= 0.2 * size[1]
    for size, scheme in ((PROJECTOR, "dark"), (PHONE, "light")):
        checked = show(html, size, java_script_enabled=True, color_scheme=scheme)
        assert not scrolls_sideways(checked)
        assert obstacles(checked) == {}


def news(kind: str, players: int, stage: str) -> dict[str, Any]:
    """A change of the tournament's page, as its stream has it."""
    regions = tournament_regions(shown(kind, players, stage), LobbyView(0, 0))
    return {"html": {name: one.html for name, one in regions.items()}, "inside": {}, "order": {}}


@pytest.mark.parametrize("kind", ["league", "knockout"])
def test_screen_in_use_shows_the_last_result_only_after_the_podium_is_declined(show, kind) -> None:
    html, over = html_of(kind, 10, "play"), news(kind, 10, "over")
    page = show(html, LAPTOP, java_script_enabled=True)
    page.keyboard.press("Shift")
    before = page.locator("main").inner_text()
    page.evaluate("news => change(news)", over)
    page.evaluate("news => change(news)", over)
    assert page.locator("#way-on a").inner_text() == "It is over: see the podium"
    page.evaluate("document.querySelector('#way-on').style.display = 'none'")
    assert page.locator("main").inner_text() == before
    page.evaluate("document.querySelector('#way-on').style.display = ''")
    page.click("#way-on button")
    assert page.locator("#head").get_attribute("data-phase") == "over"
    assert page.locator("#way-on a").count() == 0
    page = show(html, PHONE, java_script_enabled=True)
    page.evaluate("news => change(news)", over)
    assert page.locator("#head").get_attribute("data-phase") == "over", "a phone is no projector"
    page = show(html, LAPTOP, java_script_enabled=True)
    page.evaluate("news => change(news)", over)
    page.wait_for_url("**/tournaments/1/podium#ceremony")


@pytest.mark.parametrize("status", [401, 404], ids=["the login is over", "the page is gone"])
def test_page_that_nothing_is_told_any_more_is_loaded_anew(show, status) -> None:
    """Else a teacher's page that was left open would ask with a wrong token for ever, which looks like guessing."""
    page = show(html_of("league", 10, "play"), LAPTOP, java_script_enabled=True)
    page.route("**/*", lambda route: route.fulfill(status=status, body="what to do"))
    page.evaluate("void retry()")
    expect(page.locator("body")).to_have_text("what to do")


ARENA_MARK = "0-1-12000"
"""The server's clock shows 12 s."""


@cache
def arena(players: int, *, is_paused: bool = False) -> str:
    world = world_of(preset("arena", "Friday arena", "Reversi", duration_ms=3_600_000), players)
    for _ in range(12):
        world.tick()
    world.pair()
    state = apply(world.tournament, Pause(world.now_ms)) if is_paused else world.tournament
    row = TournamentRow(1, state)
    here = tuple(
        Player(one.name, number, "strategic", "", (Capability.CHALLENGE,))
        for number, one in enumerate(state.active)
        if number % 5
    )
    lobby_view = LobbyView(0, world.now_ms, tournaments=(row,), players=here)
    return tournament_page(view_of(row, row.timing(world.now_ms)), lobby_view, "" if is_paused else ARENA_MARK)


@pytest.mark.parametrize("players", [2, pytest.param(24, marks=pytest.mark.slow), 60])
def test_the_clock_and_the_duels_are_seen(show, players) -> None:
    page = show(arena(players), PROJECTOR)
    assert page.locator(".duels li").count() == players // 2
    for size in (PROJECTOR, LAPTOP, PHONE):
        inside = ".countdown, h1" if size == PHONE else ".countdown, h1, .duels li, .streaks li"
        assert_fits(page, size, ".countdown, h1, .facts > *", inside)
        assert page.evaluate(OVERLAPS, ".duels :is(.name, .rank, .tag)") == []
        assert page.locator(".countdown b").bounding_box()["height"] >= size[1] / 30, "legible from the last row"


def test_the_clock_counts_on_the_servers_clock_and_stands_in_a_pause(show) -> None:
    page = show(arena(10), LAPTOP, java_script_enabled=True)
    clock = page.locator(".countdown b")
    page.evaluate("[serverMs, heardMs] = [3_595_000, performance.now()]; showClocks()")
    assert clock.inner_text() in {"0:05", "0:04"}
    assert "short" in clock.get_attribute("class")
    paused = show(arena(10, is_paused=True), LAPTOP, java_script_enabled=True)
    before = paused.locator(".countdown b").inner_text()
    paused.evaluate("[serverMs, heardMs] = [3_595_000, performance.now()]; showClocks()")
    assert paused.locator(".countdown b").inner_text() == before == "59:48"


def test_nothing_stands_in_anybodys_way_in_an_arena(show) -> None:
    page = show(arena(10), PHONE, java_script_enabled=True)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert obstacles(page) == {}, scheme


LONG_HALL = "h" * 32
CUPS = tuple(
    HallTournament(number, name, "Reversi", "running", 24)
    for number, name in enumerate((*NAMES, "Cup of the autumn", *"abcdefg"), start=1)
)
HALLS = (
    HallView("", "", 12, 5, CUPS[:2], is_here=True),
    HallView("backgammon", "", 1, 1, (), is_here=False),
    HallView(LONG_HALL, "https://games.example.edu", 1_480, 730, CUPS, is_here=False),
    HallView(
        "reversi", "https://reversi.example.edu", 0, 0, (), is_here=False, away_since="2026-11-23T09:00:00.000+00:00"
    ),
)
SEATS = (
    SeatRecord(0, NAMES[0], "strategic", 34, SeatResult.WIN),
    SeatRecord(1, NAMES[1], "strategic", 30, SeatResult.LOSS),
)
TIMES = ("2026-11-23T09:00:00.000+00:00", "2026-11-23T09:01:00.000+00:00")
HEADS = tuple(
    HallHead(
        1_200_000 + number, "Reversi", *TIMES, EndReason.PLAYED.value, "", "", SEATS, is_ladder=False, hall=hall, at=at
    )
    for number, (hall, at) in enumerate((("", ""), (LONG_HALL, f"/halls/{LONG_HALL}"), ("reversi", "/halls/reversi")))
)


@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "light"), (LAPTOP, "dark")])
def test_halls_stand_beside_each_other_and_fit(show, size, scheme) -> None:
    with rendering_at(PageHall(has_others=True)):
        page = show(halls_page(HALLS), size, color_scheme=scheme, java_script_enabled=True)
    assert not scrolls_sideways(page)
    assert page.evaluate(OVERLAPS, ".hall-card") == []
    tops = {round(box["y"]) for box in (card.bounding_box() for card in page.locator(".hall-card").all())}
    assert len(tops) == (len(HALLS) if size == PHONE else 2)
    assert obstacles(page) == {}


def test_pages_of_another_hall_say_whose_they_are(show) -> None:
    with rendering_at(
        PageHall(f"/halls/{LONG_HALL}", f"Hall {LONG_HALL}", "https://games.example.edu", has_others=True)
    ):
        page = show(matches_page(HEADS, Wanted(), ("Reversi",)), LAPTOP, java_script_enabled=True)
    assert not scrolls_sideways(page)
    assert_fits(page, PHONE)
    assert page.locator("nav.hall b").inner_text() == f"Hall {LONG_HALL}"
    assert obstacles(page) == {}


@pytest.mark.parametrize("kind", ["league", "knockout"])
def test_tournament_of_another_hall_needs_no_boards(show, kind) -> None:
    pages = "https://games.example.edu"
    with rendering_at(
        PageHall(f"/halls/{LONG_HALL}", f"Hall {LONG_HALL}", f"{pages}/tournaments/1", pages, has_others=True)
    ):
        html = tournament_page(shown(kind, 10, "play"), LobbyView(0, 0))
    page = show(html, LAPTOP, java_script_enabled=True)
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.reload()
    assert errors == []
    for size in (PROJECTOR, LAPTOP, PHONE):
        assert_fits(page, size)
    assert page.get_by_role("link", name="its own pages", exact=True).is_visible()
    assert obstacles(page) == {}


def test_long_address_in_an_error_fits_a_phone(show) -> None:
    address = f"https://{LONG_HALL}.{LONG_HALL}.example.edu/matches/9"
    values = {"heading": "Not Found", "text": "What is live there is on ", "address": address}
    page = show(render("message.html", here="", json_url="", **values), PHONE)
    assert not scrolls_sideways(page)


@pytest.mark.parametrize("size", [PROJECTOR, PHONE])
def test_tournaments_come_first_on_every_screen(show, size) -> None:
    names = ("Spring cup", *NAMES, "Summer cup")
    on = [
        tournament_summary(started(preset("swiss" if number % 2 else "cup", name, "Reversi"), 24), number=number)
        for number, name in enumerate(names, start=1)
    ]
    html = lobby_page(LobbyView(0, 0), {}, tournaments=on[::-1])
    page = show(html, size, java_script_enabled=True)
    assert not scrolls_sideways(page)
    assert page.evaluate(OVERLAPS, ".event :is(.name, .facts > *, progress)") == []
    assert page.locator(".event").count() == TOURNAMENTS_MAX
    first, players = (page.locator(one).first.bounding_box() for one in (".event", "#live-title"))
    assert first["y"] + first["height"] < size[1] / 2
    assert first["y"] < players["y"]
    assert page.get_by_text("And 1 more").is_visible()
    assert obstacles(page) == {}
    page.locator(".event").first.click(position={"x": 5, "y": 5}, no_wait_after=True)
    page.wait_for_url(f"**/tournaments/{len(on)}")


def test_nothing_of_a_player_is_scrolled_sideways_on_a_phone(show) -> None:
    for html in (page_of_a_player(), tournaments_page(TOURNAMENTS)):
        phone = show(html, PHONE, java_script_enabled=True)
        assert not scrolls_sideways(phone)
        inner = "[...document.querySelectorAll('.scroll')].some(one => one.scrollWidth > one.clientWidth + 1)"
        assert not phone.evaluate(inner)
        assert phone.evaluate(OVERLAPS, ".stacks :is(td, tbody th), .scores > table :is(td, tbody th)") == []
        assert obstacles(phone) == {}


def test_only_the_table_of_a_long_season_is_scrolled_sideways_on_a_phone(show) -> None:
    events = [
        SeasonEvent(number, NAMES[0], "Reversi", "over", TIMES[0], tuple(Place(name, 1, "") for name in NAMES))
        for number in range(1, 13)
    ]
    ranking = [(name, 1500.0) for name in NAMES]
    events.append(ladder_event("Connect-four-3D", "2026-10-31", "2026-11-01", ranking, is_over=True))
    students = {name: ("s1" if name in NAMES[:2] else "", NAMES[0]) for name in NAMES}
    season = season_table("spring", SeasonSettings(NAMES[0], best=8), events, students)
    phone = show(season_page(season), PHONE, java_script_enabled=True)
    assert not scrolls_sideways(phone)
    assert phone.locator("a[href='/ladders/Connect-four-3D?night=2026-11-01']").count() == 2
    assert phone.evaluate(OVERLAPS, ".stacks :is(td, tbody th), table.season :is(td, tbody th)") == []
    phone.locator(".scroll").evaluate("one => one.scrollLeft = 400")
    assert phone.locator("table.season tbody th").first.bounding_box()["x"] >= 0, "the player stays in sight"
    assert obstacles(phone) == {}


@pytest.mark.parametrize("size", [PROJECTOR, LAPTOP])
def test_tables_and_graph_of_a_player_stand_beside_each_other(show, size) -> None:
    shown = show(page_of_a_player(), size, color_scheme="dark", java_script_enabled=True)
    assert not scrolls_sideways(shown)
    assert shown.evaluate(OVERLAPS, "figure, .scores > table :is(thead th, tbody td)") == []
    graph, seats = (shown.locator(one).first.bounding_box() for one in ("figure svg.rating-graph", ".by-seat"))
    assert graph["x"] + graph["width"] <= seats["x"]
    assert obstacles(shown) == {}


INVITATION = Invitation(
    "http://192.168.178.23:8080/tournaments/12",
    (
        Entrance("Text protocol", "nc 192.168.178.23 7789", "Log in with `login NAME` and stay connected."),
        Entrance("3D Connect Four over newline JSON", "nc 192.168.178.23 9090", "Send `connect`, then `start`. " * 2),
        Entrance("GammonX over REST and SignalR", "http://192.168.178.23:8080", "Take a ticket for each match. " * 2),
    ),
)
SMALL_LETTERS = """() => [...document.querySelectorAll(".screen *")].filter(e => {
  const box = e.getBoundingClientRect(), text = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  return text && box.width > 1 && e.checkVisibility() && parseFloat(getComputedStyle(e).fontSize) < 20;
}).map(e => e.outerHTML)"""

VISIBLE_NAMES = """() => [...document.querySelectorAll("#join .names li")].filter(e => e.checkVisibility())
  .map(e => e.textContent)"""


def test_two_hundred_players_who_gather_are_read_from_the_back(show) -> None:
    names = [*NAMES, *(f"player-{number:03}" for number in range(195))]
    row = TournamentRow(12, Tournament(plan_of("league"), SEED))
    players = tuple(
        Player(name, at, "strategic", "", (Capability.CHALLENGE,)) for at, name in enumerate(names, start=1)
    )
    html = tournament_page(view_of(row), LobbyView(0, 0, tournaments=(row,), players=players), "", INVITATION)
    page = show(html, (1280, 720), java_script_enabled=True)
    page.evaluate("() => { for (let timer = 0; timer < 100; timer++) clearInterval(timer); }")  # pages turn by hand
    seen = []
    for turn in range(int(page.locator("button.turn").get_attribute("data-pages"))):
        page.evaluate("turn => document.body.dataset.turn = turn", turn)
        assert page.evaluate(OUTSIDE, "#join :is(li, code, h3, svg)") == []
        assert page.evaluate(OVERLAPS, "#join :is(.names li, .entrances > li, h3, svg)") == []
        assert page.evaluate(SMALL_LETTERS) == []
        seen += page.evaluate(VISIBLE_NAMES)
    assert seen == names
    assert obstacles(page) == {}
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    assert not scrolls_sideways(page)
