"""Pages of many boards: tiles say what a viewer asks first, and are as large as the screen has room for."""

import re

import pytest
from markupsafe import Markup

from games.backgammon import GAME as BACKGAMMON
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.mastermind import GAME as MASTERMIND
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.drawing import Paint, Side
from gameserver.web.pages.lobby import tile_html, tiles_of
from gameserver.web.pages.tournament import tournament_page
from gameserver.web.ui.templating import render, side_html
from tests.support.browser import obstacles
from tests.support.example_games import PIG
from tests.web.pages.played_boards import PlayedLobby, board_of, state_after
from tests.web.pages.test_screens import LAPTOP, OUTSIDE, OVERLAPS, PHONE, PROJECTOR, scrolls_sideways, shown

ALL = (REVERSI, BACKGAMMON, MASTERMIND, CONNECT_FOUR, TIC_TAC_TOE, PIG)
PARTS = ".tile :is(.board-frame, .name, .clock, .score, .games, .foot, .role)"
SMALL = """selector => [...document.querySelectorAll(selector)].filter(e => {
  const r = e.getBoundingClientRect();
  return Math.min(r.width, r.height) < 14;
}).length"""


def live_page(count: int, *games, is_stopped: bool = False) -> str:
    lobby = PlayedLobby(0, 0, played=games, count=count, is_stopped=is_stopped)
    tiles = [Markup(tile) for tile in tiles_of(lobby, 200).values()]
    # The server's clock stands at 970 s, and the deadlines come some seconds after 1000 s.
    return render("live.html", here="", json_url="", tiles=tiles, mark="epoch-1-970000")


def tile_of(game, *, is_stopped: bool = False) -> str:
    lobby = PlayedLobby(0, 0, played=(game,), count=1, is_stopped=is_stopped)
    return tile_html(lobby.matches[0], lobby.board(1))


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def test_tile_tells_colours_scores_and_whose_clock_runs() -> None:
    tile = tile_of(REVERSI)
    assert re.search(r"black: .* 7 discs white: .* 9 discs", words(tile))
    assert tile.count("data-deadline-ms") == 1, "one clock runs"
    assert tile.index("data-deadline-ms") < tile.index("f-white"), "it is black's"
    assert "Reversi (discs)" in words(tile), "what the figures count"
    assert "X: " in words(tile_of(CONNECT_FOUR))
    assert re.search(r"white: .* pips black: .* pips", words(tile_of(BACKGAMMON)))
    assert re.search(r"code maker .* code breaker .* guesses", words(tile_of(MASTERMIND)))
    assert re.search(r"points .* points", words(tile_of(PIG)))


def test_stopped_clock_shows_what_is_left() -> None:
    assert "0:42" in tile_of(REVERSI, is_stopped=True)
    assert "data-deadline-ms" not in tile_of(REVERSI, is_stopped=True)


def test_side_is_escaped_and_may_be_without_a_colour() -> None:
    assert side_html(Side()) == ""
    assert side_html(Side("maker<")) == '<span class="role">maker&lt;</span> '
    assert "a&lt;: <" in side_html(Side("a<", Paint.WHITE, "<"))
    assert "<<" not in side_html(Side("a<", Paint.WHITE, "<"))


def marked(game, *moves: str) -> list[str]:
    """The shapes in the paint of the last move, in the pictures after some moves by the seats in turns."""
    state = game.start(game.options_type())
    for move in moves:
        state = state.play(state.turn.seats[0], game.read_move(move))
    shapes = [*state.picture(None).shapes, *state.small_picture(None).shapes]
    return [type(one).__name__ for one in shapes if Paint.LAST in (getattr(one, "fill", 0), getattr(one, "stroke", 0))]


def test_last_move_alone_is_marked_in_either_picture() -> None:
    assert marked(REVERSI) == []
    assert marked(REVERSI, "19") == ["Disc", "Disc"], "the disc that was placed, and not the one that was turned"
    assert marked(REVERSI, "19", "18") == ["Disc", "Disc"]
    assert marked(TIC_TAC_TOE, "4", "0") == ["Box", "Box"]
    assert marked(CONNECT_FOUR, "a0", "a0") == ["Disc"] * 3, "among the hanging layers, the flat ones, the small ones"
    assert marked(MASTERMIND, "0123") == [], "the secret was set"
    assert marked(MASTERMIND, "0123", "5555") == ["Box", "Box"]


@pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)
def test_every_game_has_something_to_show_on_a_tile(game) -> None:
    board = board_of(state_after(game, 20))
    assert len(board.sides) == 2
    assert board.picture is None or board.picture.width <= 700


@pytest.mark.parametrize(
    ("count", "games"), [(1, (REVERSI,)), (12, (REVERSI,)), (6, (CONNECT_FOUR,)), (15, (BACKGAMMON,))]
)
def test_boards_fill_a_projector_and_are_on_it_as_a_whole(show, count, games) -> None:
    page = show(live_page(count, *games), PROJECTOR, java_script_enabled=True)
    page.wait_for_selector(".tiles.fitted")
    assert page.evaluate(OUTSIDE, ".tile") == []
    assert page.evaluate(OVERLAPS, PARTS) == []
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
    assert page.evaluate(OVERLAPS, f"{PARTS}, .standings tr") == []
    assert page.evaluate(
        "document.querySelector('.boards').scrollHeight <= document.querySelector('.boards').clientHeight"
    )


@pytest.mark.parametrize(("size", "count"), [(PROJECTOR, 40), (LAPTOP, 24), (PHONE, 6)])
def test_many_boards_are_readable_rather_than_all_on_the_screen(show, size, count) -> None:
    page = show(live_page(count, *ALL), size, java_script_enabled=True)
    page.wait_for_selector(".tiles.fitted")
    assert page.evaluate(OVERLAPS, PARTS) == []
    assert not scrolls_sideways(page)
    assert page.evaluate("document.querySelector('.board-frame').getBoundingClientRect().height >= 120")
    assert size is not PHONE or obstacles(page) == {}
