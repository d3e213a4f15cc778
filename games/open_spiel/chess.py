"""Chess as this server shows it: the words of its moves, its board and picture, how a game ended, and its PGN.

The rules are OpenSpiel's. The Portable Game Notation (PGN) has moves in standard algebraic notation, such as Nf3, which
OpenSpiel writes.
"""

import re
import textwrap
from collections.abc import Mapping
from functools import cache
from typing import Any

import pyspiel

from gameserver.drawing import Anchor, Box, Label, Paint, Picture, Point, Polygon, Shape, Touch
from gameserver.game import PlayedGame, PlayedMatch

GUIDE = """\
A move is the square that a piece leaves and the square it goes to:

move e2e4          a pawn's first move, for example
move e1g1          castling: the king's own two squares
move e7e8q         a pawn becomes a queen; r rook, b bishop, n knight

8  r n b q k b n r     Capitals are white's pieces, small letters
7  p p p p p p p p     black's: king, queen, rook, bishop, pawn,
6  . . . . . . . .     and n for the knight.
5  . . . . . . . .
4  . . . . . . . .     PLAYERTOMOVE is white and begins.
3  . . . . . . . .     Checkmate wins.
2  P P P P P P P P
1  R N B Q K B N R
   a b c d e f g h

The game is drawn at once, and nobody has to claim it: at stalemate, at
the third time of the same position, after fifty moves of each side
without a capture or a pawn's move, if too few pieces are left for a
mate, and after 300 moves of each side.
An illegal move loses a match between text players: one that leaves the
king in check, or another spelling, such as Nf3, O-O, e2-e4 or e7e8."""

HOW_TO_PLAY = (
    "Attack the king of the other colour so that no move can save it: that is checkmate, and wins. A piece is captured "
    "by moving to where it stands. White begins. While your king is attacked, its square is red, and your move has to "
    "save it.\n"
    "The king steps to any square beside it. The queen goes any way, straight or diagonally; the rook straight; the "
    "bishop diagonally; the knight two squares straight and one aside, over whatever stands between. A pawn goes one "
    "square ahead, or two from where it began, and captures one square diagonally ahead. A pawn that has just gone two "
    "squares, past one of yours, can be captured as if it had gone one.\n"
    "Castling moves the king two squares towards a rook, which jumps over it. Neither may have moved, nothing may "
    "stand between, and the king may not be attacked where it stands, passes or arrives. A pawn that reaches the far "
    "side becomes a queen, rook, bishop or knight.\n"
    "It is a draw if you cannot move though your king is not attacked, if the same position comes for the third time, "
    "after fifty moves of each side without a capture or a pawn's move, if too few pieces are left for a mate, and "
    "after 300 moves of each side.\n"
    "Touch a piece and then the square where it goes; to castle, the king. A pawn that reaches the far side needs a "
    "third touch: the piece that it becomes, above the board."
)

_FILES, _RANKS = "abcdefgh", "87654321"
_SQUARE = re.compile("[a-h][1-8]")
_CELL = 40
_EDGE, _RIM = 20, 6
"""Room below the board for letters and to its left for numbers, and room on the other two sides."""
_STRIP = 52
"""Room above the board for the pieces that a pawn can become."""

_PROMOTIONS = {"q": "queen", "r": "rook", "b": "bishop", "n": "knight"}


def _mirrored(*left: Point) -> tuple[Point, ...]:
    return *left, *((_CELL - x, y) for x, y in reversed(left))


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


def word(live: Any, player: int, action: int) -> str:
    """Long algebraic form of a chess move, as engines read it: e2e4, e7e8q, and e1g1 for castling."""
    move = pyspiel.chess.action_to_move(action, live.board())
    # In Chess960 a king may reach the same square by castling and by a step.
    if move.is_castling() and live.get_game().get_parameters()["chess960"]:
        return str(live.action_to_string(player, action)).rstrip("+#")
    return str(move.to_lan())


def ending(live: Any) -> str:
    """The rule that ended a game of chess."""
    if not live.board().has_legal_moves():
        return "checkmate" if any(live.returns()) else "stalemate"
    if live.is_repetition_draw():
        return "the same position three times"
    if int(str(live).split()[4]) >= 100:  # the half moves since the last capture or pawn's move
        return "fifty moves without a capture or a pawn's move"
    return "too few pieces are left for a mate"


def prompt(live: Any) -> str:
    """Tells a chess player of a check."""
    return "your king is in check" if _is_check(live) else ""


def board(live: Any) -> str:
    """Writes the chess board for a prompt."""
    standing, mover = _standing(live), _mover(live)
    lines = [f"{row}  {' '.join(standing[f'{file}{row}'] for file in _FILES)}" for row in _RANKS]
    check = ", and in check" if _is_check(live) else ""
    to_move = "the game is over" if live.is_terminal() else f"{mover} is to move{check}"
    return "\n".join([*lines, f"   {' '.join(_FILES)}", f"white has the capitals, {to_move}"])


def picture(live: Any, words: Mapping[str, int], last_move: str, *, is_turned: bool = False) -> Picture:
    """Draws the chess board, black's side below if it is turned; above it what a pawn can become, if one can."""
    standing, is_white = _standing(live), _mover(live) == "white"
    king = ("K" if is_white else "k") if _is_check(live) else ""
    touches = tuple(
        Touch(move, (*squares, *(_PROMOTIONS[piece] for piece in move[4:])))
        for move in words
        if (squares := _SQUARE.findall(move))
    )
    top = _RIM + _STRIP * any(len(touch.spots) > 2 for touch in touches)

    files, ranks = (_FILES[::-1], _RANKS[::-1]) if is_turned else (_FILES, _RANKS)

    def corner(square: str) -> Point:
        return _EDGE + _CELL * files.index(square[0]), top + _CELL * ranks.index(square[1])

    def cell(square: str, fill: Paint | None, spot: str = "") -> Box:
        return Box(*corner(square), _CELL, _CELL, fill, spot=spot)

    width, height = 8 * _CELL + _EDGE + _RIM, 8 * _CELL + _EDGE + top
    shapes: list[Shape] = [Box(0, 0, width, height, Paint.BOARD, rounding=8)]
    for index, (square, piece) in enumerate(standing.items()):
        alternate = (Paint.FIELD, Paint.OTHER_FIELD)[(index + index // 8) % 2]
        shapes.append(cell(square, Paint.VALUE_6 if piece == king else alternate))
    for square in _SQUARE.findall(last_move):
        x, y = corner(square)
        shapes.append(Box(x + 1.5, y + 1.5, _CELL - 3, _CELL - 3, None, Paint.LAST, 3))
    shapes += [_piece(piece, *corner(square)) for square, piece in standing.items() if piece != "."]
    for number, (file, rank) in enumerate(zip(files, ranks, strict=True)):
        shapes.append(Label(_EDGE + (number + 0.5) * _CELL, height - _EDGE / 2, file, 15))
        shapes.append(Label(_EDGE / 2, top + (number + 0.5) * _CELL, rank, 15))
    if top > _RIM:
        shapes.append(Label(_EDGE + 3.5 * _CELL, _RIM + _CELL / 2, "a pawn becomes", 15, anchor=Anchor.END))
        for x, (letter, name) in enumerate(_PROMOTIONS.items(), 4):
            left = _EDGE + x * _CELL
            shapes.append(Box(left, _RIM, _CELL, _CELL, Paint.FIELD, Paint.GRID))
            shapes.append(_piece(letter.upper() if is_white else letter, left, _RIM))
            shapes.append(Box(left, _RIM, _CELL, _CELL, spot=name))
    shapes += [cell(spot, None, spot) for spot in sorted({spot for touch in touches for spot in touch.spots[:2]})]
    return Picture(width, height, tuple(shapes), _in_words(standing, king), touches)


def _standing(live: Any) -> Mapping[str, str]:
    """What stands on each square, from a8 to h1: a letter, a capital for white's, and a dot for nothing."""
    pieces = re.sub(r"\d", lambda digit: "." * int(digit[0]), str(live).split()[0].replace("/", ""))
    return dict(zip((f"{file}{row}" for row in _RANKS for file in _FILES), pieces, strict=True))


def _mover(live: Any) -> str:
    return "white" if str(live).split()[1] == "w" else "black"


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
    """A piece in the square whose corner is at x and y; its outline tells it from the ground on any page."""
    fill, stroke = (Paint.WHITE, Paint.BLACK) if piece.isupper() else (Paint.BLACK, Paint.WHITE)
    return Polygon(tuple((x + dx, y + dy) for dx, dy in _OUTLINES[piece.lower()]), fill, stroke, 1.5)


def _in_words(standing: Mapping[str, str], king: str) -> str:
    names = _PROMOTIONS | {"k": "king", "p": "pawn"}
    pieces = [
        f"{'white' if piece.isupper() else 'black'} {names[piece.lower()]} {square}{', in check' * (piece == king)}"
        for square, piece in standing.items()
        if piece != "."
    ]
    return "; ".join(pieces)


def write_pgn(match: PlayedMatch) -> str:
    """Writes a chess match in the Portable Game Notation; white is seat 0."""
    return "\n".join(_pgn_of(match, game) for game in match.games)


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
    }
    moves: list[str] = []
    for (seat, text), before in zip(game.steps, positions, strict=False):
        if seat is None:  # Chess960 draws the first position
            tags |= {"Variant": "Chess960"}
            continue
        if not moves and "Variant" in tags:
            tags |= {"SetUp": "1", "FEN": str(before.live)}
        if _mover(before.live) == "white":
            moves.append(f"{str(before.live).split()[5]}.")
        moves.append(before.live.action_to_string(before.live.current_player(), before.words[text]))
    if positions[-1].ending:
        moves.append(f"{{{positions[-1].ending}}}")
    roster = "".join(f'[{name} "{_escaped(tag)}"]\n' for name, tag in tags.items())
    lines = textwrap.wrap(" ".join([*moves, tags["Result"]]), 79, break_on_hyphens=False)  # O-O is one word
    return "\n".join([roster, *lines, ""])


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
