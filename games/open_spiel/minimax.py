"""House players of chess and lines of action, and their opinion of positions: alpha-beta over OpenSpiel's positions.

Monte Carlo tree search would be blind there, as games at random are long and say little of the position.

A position of chess is valued by its pieces and their squares, in hundredths of a pawn, after the captures that pay. A
position of lines of action is valued by how far the pieces of either side are from each other.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import pyspiel
from attrs import field, frozen

from games.search import SearchedGame, best_moves, chance_of
from gameserver.game import Choose

Find = Callable[[Any, Choose[Any]], int]
"""Finds an action in a position of pyspiel's."""
Opinion = Callable[[Any], float]
"""The chance to win of the player to move in a position of pyspiel's, 0 to 1."""

_WIN = 100_000
"""The value of a won game, less its move's number: a sooner win is better."""

_PIECES = {"p": 100, "n": 320, "b": 330, "r": 500, "q": 900, "k": 0, ".": 0}
_WORTHS = {letter: worth for piece, worth in _PIECES.items() for letter in (piece, piece.upper())}

_ENDGAME_EMPTY_MIN = 50
"""The empty squares from which on a king of chess is safe in the middle, and needed there: 14 pieces are left."""

_EMPTY_SQUARES = str.maketrans({str(count): "." * count for count in range(1, 9)} | {"/": ""})


def _worth_of(piece: str, column: int, rank: int, *, is_endgame: bool) -> int:
    """The worth of a white piece on a square: most of them in the middle, pawns far up, the king at home."""
    central = 6 - abs(2 * column - 7) // 2 - abs(2 * rank - 7) // 2  # 0 in a corner, 6 in the middle
    match piece:
        case "p":
            is_centre = rank in (3, 4) and column in (3, 4)
            return 100 + (8 * rank if is_endgame else 4 * rank + 20 * is_centre)
        case "k":
            return 10 * central if is_endgame else -10 * rank - 5 * central
        case "n" | "b":
            return _PIECES[piece] + 6 * central
    return _PIECES[piece] + central


def _worths(*, is_endgame: bool) -> tuple[dict[str, int], ...]:
    """For each square, as FEN has them, the worth of each letter to White."""
    tables = []
    for square in range(64):
        row, column = divmod(square, 8)
        white = {piece.upper(): _worth_of(piece, column, 7 - row, is_endgame=is_endgame) for piece in "pnbrqk"}
        black = {piece: -_worth_of(piece, column, row, is_endgame=is_endgame) for piece in "pnbrqk"}
        tables.append({".": 0} | white | black)
    return tuple(tables)


_MIDDLE_GAME, _ENDGAME = _worths(is_endgame=False), _worths(is_endgame=True)


@cache
def _from_and_to(player: int, action: int) -> tuple[int, int]:
    """The squares, as FEN has them, between which an action of chess moves. OpenSpiel's player 0 is Black."""
    start = pyspiel.load_game("chess").new_initial_state()
    if not player:
        start.apply_action(start.legal_actions()[0])
    move = pyspiel.chess.action_to_move(action, start.board())
    left, reached = ((8 * (7 - square.y) + square.x) for square in (move.from_square, move.to_square))
    return left, reached


@frozen
class _Position:
    """A position as the search sees it, known by OpenSpiel's text of it: in chess that is its FEN."""

    text: str
    live: Any = field(eq=False)

    @property
    def chess_squares(self) -> str:
        """The letters of the pieces on the 64 squares, as FEN has them, and dots."""
        return self.text.partition(" ")[0].translate(_EMPTY_SQUARES)

    def after(self, action: int) -> "_Position":
        """The position after an action."""
        live = self.live.clone()
        live.apply_action(action)
        return _Position(str(live), live)


@frozen
class _SearchedChess(SearchedGame[_Position, int]):
    """Chess as the search sees it. A beginner does not look at exchanges, and so takes what is taken back."""

    sees_exchanges: bool

    def successors(self, position: _Position) -> Sequence[tuple[int, _Position]]:
        """Each action of chess with the position after it, the most valuable captures first."""
        squares, player = position.chess_squares, position.live.current_player()
        actions = position.live.legal_actions()
        actions.sort(key=lambda action: -_WORTHS[squares[_from_and_to(player, action)[1]]])
        return [(action, position.after(action)) for action in actions]

    def value(self, position: _Position) -> int:
        """Values pieces and squares, after the best capture and what follows on its square."""
        best = _standing(position)
        for _, _, action, reached in _captures(position) if self.sees_exchanges else ():
            best = max(best, -_exchanged(position.after(action), reached, -best))
        return best


def _standing(position: _Position) -> int:
    """The value of a position of chess to the side to move, by its pieces and their squares."""
    if not position.live.legal_actions():
        # The side to move is mated, unless it is a draw.
        return int(position.text.rpartition(" ")[2]) - _WIN if any(position.live.returns()) else 0
    squares = position.chess_squares
    worths = _ENDGAME if squares.count(".") >= _ENDGAME_EMPTY_MIN else _MIDDLE_GAME
    white = sum([worth[letter] for worth, letter in zip(worths, squares, strict=True)])
    return white if position.live.current_player() else -white


def _captures(position: _Position) -> list[tuple[int, int, int, int]]:
    """The captures in a position of chess, the most valuable piece by the least valuable one first.

    Each with the negative worth of the victim, the worth of the piece that takes it, the action, and the square.
    """
    squares, player = position.chess_squares, position.live.current_player()
    found = []
    for action in position.live.legal_actions():
        left, reached = _from_and_to(player, action)
        if squares[reached] != ".":
            found.append((-_WORTHS[squares[reached]], _WORTHS[squares[left]], action, reached))
    return sorted(found)


def _exchanged(position: _Position, square: int, beta: int) -> int:
    """The value to the side to move, if both take with their least piece on that square, or stop where that is better.

    Other captures are left out, because each of them may have as many answers: positions of many would take seconds.
    """
    best = _standing(position)
    if best < beta:
        for _, _, action, reached in _captures(position):
            if reached == square:
                return max(best, -_exchanged(position.after(action), square, -best))
    return best


class _SearchedLines(SearchedGame[_Position, int]):
    """Lines of action as the search sees it."""

    def successors(self, position: _Position) -> Sequence[tuple[int, _Position]]:
        """Each action of lines of action with the position after it."""
        return [(action, position.after(action)) for action in position.live.legal_actions()]

    def value(self, position: _Position) -> int:
        """Compares how far the pieces of lines of action are from each other, in hundredths of a square for a piece."""
        moves: int = position.live.move_number()
        side = moves % 2
        if position.live.is_terminal():
            return int(position.live.returns()[side]) * (_WIN - moves)
        spreads = [_spread([at for at, letter in enumerate(position.text) if letter == mark]) for mark in "xo"]
        return spreads[1 - side] - spreads[side]


def _spread(places: Sequence[int]) -> int:
    """The mean distance of pieces from their middle. A row of OpenSpiel's text has ten characters."""
    count = len(places)
    rows, columns = [at // 10 for at in places], [at % 10 for at in places]
    row, column = sum(rows) / count, sum(columns) / count
    away = [max(abs(down - row), abs(along - column)) for down, along in zip(rows, columns, strict=True)]
    return int(100 * sum(away) / count)


def _by_search(
    game: SearchedGame[_Position, int], nodes_max: int, depth_max: int, live: Any, choose: Choose[Any]
) -> int:
    """One of the best actions of an OpenSpiel game within so many nodes and plies."""
    return int(choose(best_moves(game, _Position(str(live), live), nodes_max=nodes_max, depth_max=depth_max).moves))


def _chance_of(game: SearchedGame[_Position, int], nodes_max: int, unit: float, live: Any) -> float:
    """The chance to win of the player to move in an OpenSpiel game, by a search of so many nodes."""
    return chance_of(best_moves(game, _Position(str(live), live), nodes_max=nodes_max).value, unit)


CHESS: Mapping[str, Find] = {
    "novice": partial(_by_search, _SearchedChess(sees_exchanges=False), 100, 1),
    "club": partial(_by_search, _SearchedChess(sees_exchanges=True), 400, 2),
    "master": partial(_by_search, _SearchedChess(sees_exchanges=True), 3000, 99),
}
LINES_OF_ACTION: Mapping[str, Find] = {
    "club": partial(_by_search, _SearchedLines(), 100, 1),
    "master": partial(_by_search, _SearchedLines(), 5000, 99),
}

CHESS_OPINION: Opinion = partial(_chance_of, _SearchedChess(sees_exchanges=True), 3000, 174)
# A pawn is worth 100 points of Elo, by the usual rule; the unit of lines of action fits 31 games of this search.
LINES_OPINION: Opinion = partial(_chance_of, _SearchedLines(), 5000, 120)
