"""The page of a match in Chromium: the board, the players and the newest move are on the screen together."""

import re
from typing import Any

import pytest
from attrs import evolve
from markupsafe import Markup

from games.backgammon import BACKGAMMON
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.mastermind import GAME as MASTERMIND
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.core.events import EndReason, Result
from gameserver.read_model.replay import MatchReplay
from gameserver.read_model.views import BankView, ClockView
from gameserver.web.lobby import tiles_of
from gameserver.web.match import Surroundings, match_page
from gameserver.web.templating import render
from gameserver.web.tournament import tournament_page
from tests.support.browser import expect, obstacles
from tests.support.example_games import PIG
from tests.web.conftest import ADDRESS
from tests.web.played_boards import NAMES, PlayedLobby, replay_of
from tests.web.test_tournament_screens import LAPTOP, OUTSIDE, OVERLAPS, PHONE, PROJECTOR, scrolls_sideways, shown

MATCH = "matches/12"
AROUND = Surroundings("Spring cup of the second year", round="round 3", neighbours=((11, 15), (9, None)))
CUP = {"tournament": 1, "round": 2}
LONG = (NAMES[0], NAMES[1])
ILLEGAL = Result(EndReason.ILLEGAL, (34, 10), (0,), 1, why="a disc on cell 63 would turn nothing over, " * 8)
PARTS = (
    ".seat, #status, .neighbours p, .moves-frame h2, .moves, .steps, .past, #board, .title-line h1, .title-line .facts"
)


def page_of(replay: MatchReplay, step: int | None = None) -> str:
    mark = "" if replay.view.is_over else "epoch-1-970000"
    return match_page(replay, replay.last_step if step is None else step, mark, AROUND)


def board_of(replay: MatchReplay, step: int) -> str:
    board = page_of(replay, step).partition('<div id="board"')[2].partition("</svg></div>")[0]
    return f'<div id="board"{board}</svg></div>'


@pytest.mark.parametrize(
    ("game", "moves", "names"),
    [
        (REVERSI, 50, LONG),
        (CONNECT_FOUR, 40, ("ann", "bob")),
        (BACKGAMMON, 60, (NAMES[2], "bob")),
        (MASTERMIND, 8, LONG),
        (PIG, 60, ("ann", "bob")),
    ],
    ids=lambda one: getattr(one, "name", None),
)
def test_board_players_and_newest_move_are_on_the_screen(show, game, moves, names) -> None:
    replay = replay_of(game, moves, names, **CUP)
    for size in (LAPTOP, PROJECTOR):
        page = show(page_of(replay), size, MATCH, java_script_enabled=True)
        page.wait_for_selector(f"#m{replay.last_step}[aria-current=step]")
        assert page.evaluate(OUTSIDE, f"{PARTS}, #m{replay.last_step}") == []
        assert page.evaluate(OVERLAPS, PARTS) == []
        assert page.evaluate(OVERLAPS, ".seat :is(.name, .state)") == []
        shown, newest = page.locator("#moves").bounding_box(), page.locator(f"#m{replay.last_step}").bounding_box()
        assert newest["y"] + newest["height"] <= shown["y"] + shown["height"] + 1, "it is not scrolled out of its list"


def test_match_page_fits_on_a_phone_and_stands_in_nobodys_way(show) -> None:
    live, over = replay_of(REVERSI, 40, LONG, **CUP), replay_of(REVERSI, 30, LONG, ILLEGAL, files=("sgf",), **CUP)
    for replay, scheme in ((live, "light"), (over, "dark")):
        page = show(page_of(replay), PHONE, MATCH, java_script_enabled=True, color_scheme=scheme)
        assert not scrolls_sideways(page)
        assert page.evaluate(OVERLAPS, PARTS) == []
        assert obstacles(page) == {}


def test_step_that_comes_late_or_never_leaves_the_board_and_its_number_alike(show) -> None:
    replay = replay_of(REVERSI, 12)
    page = show(page_of(replay), LAPTOP, MATCH, java_script_enabled=True)
    held: list[Any] = []
    page.route(f"{ADDRESS}{MATCH}/board?move=*", lambda route: held.append(route))  # noqa: PLW0108 - no method
    expect(page.locator("#where")).to_have_text("12 / 12")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#where")).to_have_text("12 / 12")
    page.evaluate(
        """change({html: {board: '<div id="board">thirteen</div>', m13: '<li id="m13"></li>'},
                   inside: {m13: "moves"}, order: {}})"""
    )
    expect(page.locator("#where")).to_have_text("13 / 13")
    with page.expect_response("**/board?move=12"):
        held[1].fulfill(body='<div id="board">twelve</div>')
    with page.expect_request("**/board?move=12"):
        page.keyboard.press("ArrowLeft")
    expect(page.locator("#past")).to_contain_text("Looking back at move 12 1 newer move")
    assert page.locator("#board").inner_text() == "thirteen"
    held[-1].abort()
    expect(page.locator("#where")).to_have_text("13 / 13")
    expect(page.locator("#past")).to_be_hidden()


def test_match_plays_by_itself_until_somebody_steps(show) -> None:
    replay = replay_of(REVERSI, 12, result=ILLEGAL)
    page = show(page_of(replay), LAPTOP, MATCH, has_own_clock=True)
    steps: list[int] = []

    def answer(route: Any) -> None:
        steps.append(int(route.request.url.rpartition("=")[2]))
        route.fulfill(body=board_of(replay, steps[-1]), content_type="text/html")

    page.route(f"{ADDRESS}{MATCH}/board?move=*", answer)
    page.clock.install(time=0)
    page.clock.pause_at(1_000)
    page.click("#autoplay")
    expect(page.locator("#where")).to_have_text("0 / 12")
    expect(page.locator("[data-score='0']")).to_have_text("2")
    page.clock.run_for(2_100)
    expect(page.locator("#where")).to_have_text("2 / 12")
    expect(page.locator("[data-score='0']")).to_have_text("3")
    page.keyboard.press("ArrowLeft")
    page.clock.run_for(5_000)
    expect(page.locator("#where")).to_have_text("1 / 12")
    page.click("#autoplay")
    page.clock.run_for(30_000)
    expect(page.locator("#where")).to_have_text("12 / 12")
    assert page.locator("#autoplay").get_attribute("aria-label").startswith("Play"), "it stops at the end"


BANKS_AT = """now => {
  hearTime(now);
  showClocks();
  return [...document.querySelectorAll(".seat .bank .clock")].map(clock => clock.textContent);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_banks_run_down_by_their_periods_and_words_tell_that_one_is_low(show, scheme) -> None:
    banks = (BankView(95_000, None), BankView(40_000, 960_000))
    replay = replay_of(REVERSI, 12)
    replay = evolve(replay, view=evolve(replay.view, clock=ClockView(text="2m, 3 x 10s", banks=banks)))
    page = show(page_of(replay), PHONE, MATCH, java_script_enabled=True, color_scheme=scheme)
    before = "1:05 + 3 \N{MULTIPLICATION SIGN} 10 s"
    running = {970_000: "10.0 s, 3 periods", 981_000: "9.0 s, 2 periods, low", 1_000_000: "0.0 s, last period, low"}
    for now_ms, words in running.items():
        assert page.evaluate(BANKS_AT, now_ms) == [before, words]
    assert not scrolls_sideways(page)
    assert obstacles(page) == {}


ALL = (REVERSI, BACKGAMMON, MASTERMIND, CONNECT_FOUR, TIC_TAC_TOE, PIG)
TILE_PARTS = ".tile :is(.board-frame, .name, .clock, .score, .games, .foot, .role)"
SMALL = """selector => [...document.querySelectorAll(selector)].filter(e => {
  const r = e.getBoundingClientRect();
  return Math.min(r.width, r.height) < 14;
}).length"""


def live_page(count: int, *games, is_stopped: bool = False) -> str:
    lobby = PlayedLobby(0, 0, played=games, count=count, is_stopped=is_stopped)
    tiles = [Markup(tile) for tile in tiles_of(lobby, 200).values()]
    # The server's clock stands at 970 s, and the deadlines come some seconds after 1000 s.
    return render("live.html", here="", json_url="", tiles=tiles, mark="epoch-1-970000")


@pytest.mark.parametrize(
    ("count", "games"), [(1, (REVERSI,)), (12, (REVERSI,)), (6, (CONNECT_FOUR,)), (15, (BACKGAMMON,))]
)
def test_boards_fill_a_projector_and_are_on_it_as_a_whole(show, count, games) -> None:
    page = show(live_page(count, *games), PROJECTOR, java_script_enabled=True)
    page.wait_for_selector(".tiles.fitted")
    assert page.evaluate(OUTSIDE, ".tile") == []
    assert page.evaluate(OVERLAPS, TILE_PARTS) == []
    assert not scrolls_sideways(page)
    bottom = max(box.bounding_box()["y"] + box.bounding_box()["height"] for box in page.locator(".tile").all())
    assert bottom > 0.8 * PROJECTOR[1]
    if games == (CONNECT_FOUR,):
        assert page.evaluate(SMALL, ".board-frame circle.f-first, .board-frame circle.f-second") == 0
    clock = page.locator(".clock").first.inner_text()
    assert re.fullmatch(r"0:[1-3]\d", clock), "it ticks from the server's own figure"


@pytest.mark.parametrize("size", [PROJECTOR, LAPTOP])
@pytest.mark.parametrize("game", [REVERSI, CONNECT_FOUR], ids=lambda game: game.name)
def test_boards_have_the_room_beside_the_standings(show, game, size) -> None:
    html = tournament_page(shown("league", 10, "play"), PlayedLobby(0, 0, played=(game,), count=20), "epoch-1-970000")
    page = show(html, size, java_script_enabled=True)
    page.wait_for_selector(".tiles.fitted")
    assert page.locator(".tile").count() == 5
    assert page.evaluate(OUTSIDE, ".tile") == []
    assert page.evaluate(OVERLAPS, f"{TILE_PARTS}, .standings tr") == []
    assert page.evaluate(
        "document.querySelector('.boards').scrollHeight <= document.querySelector('.boards').clientHeight"
    )


@pytest.mark.parametrize(("size", "count"), [(PROJECTOR, 40), (LAPTOP, 24), (PHONE, 6)])
def test_many_boards_are_readable_rather_than_all_on_the_screen(show, size, count) -> None:
    page = show(live_page(count, *ALL), size, java_script_enabled=True)
    page.wait_for_selector(".tiles.fitted")
    assert page.evaluate(OVERLAPS, TILE_PARTS) == []
    assert not scrolls_sideways(page)
    assert page.evaluate("document.querySelector('.board-frame').getBoundingClientRect().height >= 120")
    assert size is not PHONE or obstacles(page) == {}
