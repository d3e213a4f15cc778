"""Chess as this server shows it: the words of its moves, its board and picture, how a game ended, and its PGN.

The rules are OpenSpiel's. The Portable Game Notation (PGN) has moves in standard algebraic notation, such as Nf3, which
OpenSpiel writes.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import zip_longest
from typing import Any

import pyspiel
from attrs import evolve

from games.open_spiel.grids import BLACK, CELL, WHITE, Grid, Rows, around
from gameserver.drawing import Anchor, Box, Label, Paint, Picture, Point, Polygon, Shape
from gameserver.game import PlayedGame, PlayedMatch
from gameserver.time_control import TimeControl

_PROMOTIONS = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}


def _mirrored(*left: Point) -> tuple[Point, ...]:
    return *left, *((40 - x, y) for x, y in reversed(left))


# Fonts have pieces, too, but not every font, and some draw a black pawn as a coloured picture.
_OUTLINES: Mapping[str, tuple[Point, ...]] = {
    "k": _mirrored(
        (18, 3), (18, 6), (15, 6), (15, 9), (18, 9), (18, 14), (12, 13), (7, 17), (8, 22), (13, 28), (11, 35)
    ),
    "q": _mirrored((20, 5), (16, 18), (12, 7), (11, 18), (5, 10), (11, 28), (10, 35)),
    "r": _mirrored((18, 8), (18, 11), (15, 11), (15, 8), (10, 8), (10, 15), (14, 18), (14, 27), (10, 30), (10, 35)),
    "b": _mirrored((20, 4), (18, 7), (13, 14), (13, 20), (17, 24), (15, 29), (9, 31), (9, 35)),
    "n": (
        (12, 35),
        (13, 30),
        (20, 21),
        (15, 22),
        (11, 25),
        (7, 22),
        (13, 12),
        (14, 6),
        (18, 10),
        (26, 13),
        (31, 22),
        (31, 35),
    ),
    "p": _mirrored((18, 9), (15, 12), (15, 16), (17, 19), (14, 21), (17, 23), (12, 31), (12, 35)),
}
"""The pieces in a square of 40 by 40, by their letters."""


class Chess(Grid):
    """The board of chess, white's side below; below it what a pawn can become, if one can."""

    sides = (BLACK, WHITE)
    legend = "white has the capitals"

    def word(self, live: Any, player: int, action: int) -> str:
        """Long algebraic form of a chess move, as engines read it: e2e4, e7e8q, and e1g1 for castling."""
        move = pyspiel.chess.action_to_move(action, live.board())
        # In Chess960 a king may reach the same square by castling and by a step.
        if move.is_castling() and live.get_game().get_parameters()["chess960"]:
            return str(live.action_to_string(player, action)).rstrip("+#")
        return str(move.to_lan())

    def rows(self, live: Any) -> Rows:
        """Reads the pieces from Forsyth-Edwards notation (FEN), OpenSpiel's text of a position of chess."""
        pieces = re.sub(r"\d", lambda digit: "." * int(digit[0]), str(live).split()[0])
        return tuple(pieces.split("/"))

    def prompt(self, live: Any) -> str:
        """Tells a chess player of a check."""
        return "your king is in check" if _is_check(live) else ""

    def ending(self, live: Any) -> str:
        """The rule that ended a game of chess."""
        if not live.board().has_legal_moves():
            return "checkmate" if any(live.returns()) else "stalemate"
        if live.is_repetition_draw():
            return "the same position three times"
        if int(str(live).split()[4]) >= 100:  # the half moves since the last capture or pawn's move
            return "fifty moves without a capture or a pawn's move"
        return "too few pieces are left for a mate"

    def cells_of(self, word: str) -> tuple[str, ...]:
        """The squares of a move, and the piece that a pawn becomes; none for castling in Chess960, such as O-O."""
        squares = super().cells_of(word)
        return (*squares, *(_PROMOTIONS[letter] for letter in word[4:] if squares))

    def areas(self, height: int, width: int) -> Mapping[str, Shape]:
        """The squares, and below them the pieces that a pawn can become."""
        return {**super().areas(height, width), **{box.spot: box for box in _CHOICES.values()}}

    def picture(self, live: Any, words: Mapping[str, int], last_move: str, *, is_turned: bool) -> Picture | None:
        """Draws the chess board, black's side below if it is turned, with room for what a pawn can become."""
        picture = Grid.picture(_FROM_BLACK if is_turned else self, live, words, last_move, is_turned=is_turned)
        return evolve(picture, height=_SIDE + _STRIP) if picture and _can_promote(words) else picture

    def extras(self, live: Any, words: Mapping[str, int]) -> Iterator[Shape]:
        """The red square of a king in check, and the pieces that a pawn can become."""
        is_white = _is_white_to_move(live)
        if _is_check(live):
            king = "K" if is_white else "k"
            square = divmod("".join(self.rows(live)).index(king), 8)
            yield Polygon(self.outline(*square), Paint.VALUE_6)
            yield from self.piece(king, *self.centre(*square), is_last=False)
        if _can_promote(words):
            yield Box(0, _SIDE, _SIDE, _STRIP, Paint.BOARD, rounding=8)
            yield Label(_CHOICES["q"].x - 8, _SIDE + CELL / 2, "a pawn becomes", 18, anchor=Anchor.END)
            for letter, box in _CHOICES.items():
                yield evolve(box, fill=Paint.FIELD, stroke=Paint.GRID, spot="")
                piece = letter.upper() if is_white else letter
                yield from self.piece(piece, box.x + CELL / 2, box.y + CELL / 2, is_last=False)

    def piece(self, piece: str, x: float, y: float, *, is_last: bool) -> Iterator[Shape]:
        """A piece, whose outline tells it from the ground on any page, with a frame if it moved last."""
        if is_last:
            yield Box(x - CELL / 2 + 1.5, y - CELL / 2 + 1.5, CELL - 3, CELL - 3, None, Paint.LAST, 3)
        if piece != ".":
            yield _piece(piece, x, y)


class _ChessFromBlack(Chess):
    """The same board turned by half."""

    def centre(self, row: float, column: float) -> Point:
        """The middle of a square, with h1 above on the left."""
        return super().centre(7 - row, 7 - column)


_FROM_BLACK = _ChessFromBlack()
_SIDE = 8 * CELL + 2 * Grid.edge
_STRIP = CELL + 6
"""Room below the board for the pieces that a pawn can become."""
_CHOICES = {
    letter: Box(Grid.edge + column * CELL, _SIDE, CELL, CELL, spot=name)
    for column, (letter, name) in enumerate(_PROMOTIONS.items(), 4)
}


def _can_promote(words: Mapping[str, int]) -> bool:
    return any(word[4:] in _PROMOTIONS for word in words)


def _is_white_to_move(live: Any) -> bool:
    return " w " in str(live)


def _is_check(live: Any) -> bool:
    """True if the last move gave check; OpenSpiel tells it in that move's notation alone."""
    history = live.full_history()
    if not history or history[-1].player < 0:  # Chess960 begins with a draw
        return False
    before, last = live.clone(), history[-1]
    before.undo_action(last.player, last.action)
    return before.action_to_string(last.player, last.action)[-1] in "+#"


@cache
def _piece(piece: str, x: float, y: float) -> Polygon:
    fill, stroke = (Paint.WHITE, Paint.BLACK) if piece.isupper() else (Paint.BLACK, Paint.WHITE)
    scale = CELL / 40
    corners = tuple((scale * (left - 20), scale * (down - 20)) for left, down in _OUTLINES[piece.lower()])
    return Polygon(around((x, y), corners), fill, stroke, 1.5)


def write_pgn(match: PlayedMatch) -> str:
    """Writes a chess match in the Portable Game Notation; white is seat 0."""
    return "".join(_pgn_of(match, game) for game in match.games)


_NO_BREAK = "\0"
"""Stands for a blank at which no line is to be broken."""
# PGN's words for an end that is not a normal one.
_TERMINATIONS = {
    "late": "time forfeit",
    "illegal move": "rules infraction",
    "dropped": "abandoned",
    "abandoned": "unterminated",
    "void": "unterminated",
}


def _pgn_of(match: PlayedMatch, game: PlayedGame) -> str:
    result = ("1-0", "0-1")[game.winners[0]] if game.winners else "1/2-1/2"
    termination = _TERMINATIONS.get(game.reason, "normal")
    positions: list[Any] = list(game.positions())
    white, black = match.players
    tags = {
        "Event": f"Match {match.number}",
        "Site": "?",
        "Date": match.opened_at[:10].replace("-", "."),
        "Round": "-",
        "White": white,
        "Black": black,
        "Result": "*" if termination == "unterminated" else result,
        "Termination": termination,
        "TimeControl": _time_control(TimeControl.read(match.clock)),
    }
    moves: list[str] = []
    for (seat, text), before, left_ms in zip_longest(game.steps, positions[:-1], game.left_ms):
        if seat is None:  # Chess960 draws the first position
            tags |= {"Variant": "Chess960"}
            continue
        if not moves and "Variant" in tags:
            tags |= {"SetUp": "1", "FEN": str(before.live)}
        if _is_white_to_move(before.live):
            moves.append(f"{str(before.live).split()[5]}.")
        elif moves and moves[-1].endswith("}"):
            moves.append(f"{str(before.live).split()[5]}...")
        moves.append(before.live.action_to_string(before.live.current_player(), before.words[text]))
        if left_ms is not None:
            minutes, ms = divmod(left_ms, 60_000)
            moves.append(f"{{[%clk{_NO_BREAK}{minutes // 60}:{minutes % 60:02}:{ms / 1000:06.3f}]}}")
    if positions[-1].ending:
        moves.append(f"{{{positions[-1].ending}}}")
    roster = "".join(f'[{name} "{_escaped(tag)}"]\n' for name, tag in tags.items())
    lines = textwrap.wrap(" ".join([*moves, tags["Result"]]), 79, break_on_hyphens=False)  # O-O is one word
    # An empty line ends each game: matches are exported one after the other into one file.
    return "\n".join([roster, *lines, "", ""]).replace(_NO_BREAK, " ")


def _time_control(clock: TimeControl) -> str:
    """The clock in PGN's terms, which have none for a bank with a turn's limit, and none for periods after a bank."""
    if not clock.has_bank:
        return "-" if clock.turn_time_ms is None else f"1/{clock.turn_time_ms / 1000:g}"
    if clock.periods:
        return "?"
    increment = f"+{clock.increment_ms / 1000:g}" if clock.increment_ms else ""
    return f"{(clock.bank_ms or 0) / 1000:g}{increment}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
