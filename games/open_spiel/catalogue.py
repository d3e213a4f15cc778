"""What this server knows of OpenSpiel's games beyond their rules: names, words of moves, boards, guides.

A row a game. Whatever a row does not say is worked out from OpenSpiel's own texts, which serve for the games that
have no row, too.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import frozen

from games.open_spiel import boards, chess, grids
from games.open_spiel import grid_texts as texts
from games.open_spiel.guides_of_grids import GUIDES, HOW_TO_PLAY
from games.open_spiel.sgf_exports import write_go, write_hex
from gameserver.drawing import Paint, Picture, Side
from gameserver.game import Export

DrawBoard = Callable[[Any, Mapping[str, int], str], Picture | None]
"""Draws pyspiel's position, with touches for the legal moves (word and action), and a mark on the last move's word."""


def plain_board(live: Any) -> str:
    """OpenSpiel's own text of a position, as lines that a terminal can show."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(live))
    lines = ("".join(letter for letter in line if letter.isprintable()).rstrip() for line in text.split("\n"))
    return "\n".join(lines).strip("\n") or "-"


def plain_word(live: Any, player: int, action: int) -> str:
    """OpenSpiel's own text of an action as one word: "Move 15 -> 11" is Move-15->11."""
    text = live.action_to_string(player, action).replace('"', "'").strip().rstrip(";")
    return re.sub(r"[^!-~]+", "-", text)


def _without_mark(live: Any, player: int, action: int) -> str:
    """A go or connect four move without the mover: "B e5" is e5, "x3" is 3, "W PASS" is pass."""
    return str(live.action_to_string(player, action))[1:].strip().lower()


def _from_and_to(live: Any, player: int, action: int) -> str:
    """Two cells without the sign of a capture or a dash: "c1xa3" is c1a3, "b2c3*" is b2c3."""
    return "".join(re.findall(r"[a-z]\d+", live.action_to_string(player, action)))


def _amazons_word(live: Any, player: int, action: int) -> str:
    """The cell as players of amazons call it: "X From (10, 4)", row 10 from the top, is d1."""
    row, column = map(int, re.findall(r"\d+", live.action_to_string(player, action)))
    size = live.get_game().get_parameters()["board_size"]
    return f"{chr(ord('a') + column - 1)}{size + 1 - row}"


def _nothing(live: Any) -> str:
    return ""


@frozen
class Row:
    """What is known of a game of OpenSpiel; `spiel` is the string of its usual form."""

    name: str
    spiel: str
    sides: tuple[Side, ...] = ()
    """The look of OpenSpiel's players 0 and 1. Who of them has seat 0 depends on who begins, as at a handicap of go."""
    word: Callable[[Any, int, int], str] = plain_word
    """The word of an action, for (position, OpenSpiel's player, action): ASCII without blanks, unique in a position."""
    moves_max: int = 2000
    """Moves and draws after which the game is drawn, if OpenSpiel does not end it earlier."""
    board: Callable[[Any], str] = plain_board
    picture: DrawBoard | None = None
    turned_picture: DrawBoard | None = None
    """The picture for seat 1 where players expect their own side of the board below."""
    scores: Callable[[Any], tuple[int, int]] | None = None
    """The scores of OpenSpiel's players 0 and 1 that pages show beside their names."""
    prompt: Callable[[Any], str] = _nothing
    ending: Callable[[Any], str] = _nothing
    exports: Mapping[str, Export] = {}
    aliases: tuple[str, ...] = ()
    guide: str = ""
    how_to_play: str = ""


def _grid_row(name: str, spiel: str, grid: grids.Grid, ending: Callable[[Any], str], **more: Any) -> Row:
    """The row of a game on a grid of cells; `more` are other fields of it."""
    guide, how_to_play = (told[spiel.partition("(")[0]] for told in (GUIDES, HOW_TO_PLAY))
    looks = {"sides": grid.sides, "board": grid.board, "picture": grid.picture}
    return Row(name, spiel, ending=ending, guide=guide, how_to_play=how_to_play, **{**looks, **more})


CATALOGUE: Mapping[str, Row] = {
    "chess": Row(
        "Chess",
        "chess",
        (grids.BLACK, grids.WHITE),
        chess.word,
        moves_max=600,
        board=chess.board,
        picture=chess.picture,
        turned_picture=partial(chess.picture, is_turned=True),
        prompt=chess.prompt,
        ending=chess.ending,
        exports={"pgn": chess.write_pgn},
        guide=chess.GUIDE,
        how_to_play=chess.HOW_TO_PLAY,
    ),
    "go": _grid_row(
        "Go-9x9",
        "go(board_size=9)",
        grids.GO,
        texts.go_ending,
        word=_without_mark,
        exports={"sgf": write_go},
        aliases=("Go", "Go9", "Baduk", "Weiqi"),
    ),
    "hex": _grid_row(
        "Hex", "hex(board_size=11)", grids.HEX, texts.hex_ending, exports={"sgf": write_hex}, aliases=("Hex-11",)
    ),
    "connect_four": _grid_row("Connect-four", "connect_four", grids.CONNECT_FOUR, texts.row_ending, word=_without_mark),
    "checkers": _grid_row(
        "Checkers",
        "checkers",
        grids.CHECKERS,
        texts.checkers_ending,
        prompt=texts.checkers_prompt,
        aliases=("Draughts",),
    ),
    "breakthrough": _grid_row(
        "Breakthrough", "breakthrough", grids.BREAKTHROUGH, texts.breakthrough_ending, word=_from_and_to
    ),
    "gomoku": _grid_row("Gomoku", "gomoku", grids.GOMOKU, texts.row_ending, aliases=("Five in a row",)),
    "amazons": _grid_row(
        "Amazons",
        "amazons",
        grids.AMAZONS,
        texts.amazons_ending,
        word=_amazons_word,
        prompt=texts.amazons_prompt,
        aliases=("Game of the Amazons",),
    ),
    "ultimate_tic_tac_toe": Row(
        "Ultimate-tic-tac-toe",
        "ultimate_tic_tac_toe",
        (Side("X", Paint.FIRST, "X"), Side("O", Paint.SECOND, "O")),
        boards.ultimate_word,
        board=boards.ultimate_board,
        picture=boards.ultimate_picture,
        prompt=boards.ultimate_prompt,
        ending=boards.ultimate_ending,
        guide=boards.ULTIMATE_GUIDE,
        how_to_play=boards.ULTIMATE_HOW_TO_PLAY,
    ),
    "dots_and_boxes": Row(
        "Dots-and-boxes",
        "dots_and_boxes(num_rows=4,num_cols=4)",
        (Side("X", Paint.FIRST, "X", unit="boxes"), Side("O", Paint.SECOND, "O", unit="boxes")),
        boards.dots_word,
        board=boards.dots_board,
        picture=boards.dots_picture,
        scores=boards.dots_scores,
        prompt=boards.dots_prompt,
        ending=boards.dots_ending,
        guide=boards.DOTS_GUIDE,
        how_to_play=boards.DOTS_HOW_TO_PLAY,
    ),
    "lines_of_action": _grid_row(
        "Lines-of-action",
        "lines_of_action",
        grids.LINES_OF_ACTION,
        texts.lines_of_action_ending,
        word=_from_and_to,
        aliases=("LOA",),
    ),
    "oware": Row(
        "Oware",
        "oware",
        (Side("south", Paint.FIRST, "S", unit="seeds"), Side("north", Paint.SECOND, "N", unit="seeds")),
        boards.oware_word,
        board=boards.oware_board,
        picture=boards.oware_picture,
        turned_picture=partial(boards.oware_picture, is_turned=True),
        scores=boards.oware_scores,
        prompt=boards.oware_prompt,
        ending=boards.oware_ending,
        aliases=("Awari",),
        guide=boards.OWARE_GUIDE,
        how_to_play=boards.OWARE_HOW_TO_PLAY,
    ),
}
"""The games that `games = "default"` brings, by OpenSpiel's short name."""
