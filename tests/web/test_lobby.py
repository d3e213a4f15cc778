"""Pages of many boards: tiles say what a viewer asks first, and are as large as the screen has room for."""

import re

import pytest

from games.backgammon import BACKGAMMON
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.mastermind import GAME as MASTERMIND
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.drawing import Paint, Side
from gameserver.web.lobby import tile_html
from gameserver.web.templating import side_html
from tests.support.example_games import PIG
from tests.web.played_boards import PlayedLobby, board_of, state_after

ALL = (REVERSI, BACKGAMMON, MASTERMIND, CONNECT_FOUR, TIC_TAC_TOE, PIG)


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
