"""Words about a position of OpenSpiel's grid games: the rule that ended it, and what a part of a turn asks for."""

import re
from collections.abc import Iterator
from typing import Any

from games.open_spiel.grids import BREAKTHROUGH, CHECKERS, GO, LINES_OF_ACTION, Cell, Rows

_ACROSS = ((0, 1), (1, 0), (0, -1), (-1, 0))
_AROUND = (*_ACROSS, (1, 1), (1, -1), (-1, 1), (-1, -1))
_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six"}


def hex_ending(live: Any) -> str:
    """The edges that were joined in Hex."""
    return "top and bottom are joined" if live.returns()[0] > 0 else "left and right are joined"


def row_ending(live: Any) -> str:
    """The row that won Connect four or Gomoku, or a full board."""
    parameters = live.get_game().get_parameters()
    length = parameters.get("x_in_row") or parameters["connect"]
    return f"{_NUMBERS.get(length, length)} in a row" if any(live.returns()) else "the board is full"


def go_ending(live: Any) -> str:
    """The margin of a game of Go, such as "black wins by 3.5"."""
    score = go_score(live)
    if not any(live.returns()):
        return "a position came up again" if score else "equal scores"
    limit = live.get_game().max_game_length()
    after = f" after {limit} moves" if len(live.history()) >= limit else ""
    return f"{'black' if score > 0 else 'white'} wins by {abs(score):g}{after}"


def go_score(live: Any) -> float:
    """The area of black less that of white and the komi, as Tromp and Taylor count: all stones on the board live."""
    rows, parameters = GO.rows(live), live.get_game().get_parameters()
    areas = {"B": 0, "W": 0}
    for mark, cells, beside in _regions(rows, _ACROSS):
        owner = mark if mark != "." else "".join(beside)
        if owner in areas:
            areas[owner] += len(cells)
    handicap = parameters["handicap"] if parameters["handicap"] >= 2 else 0
    return float(areas["B"] - areas["W"] - handicap - parameters["komi"])


def checkers_ending(live: Any) -> str:
    """The way in which a game of Checkers was won, or the rule that drew it."""
    if not any(live.returns()):
        return "forty moves without a capture"
    loser = "B" if live.returns()[0] > 0 else "W"
    return "no move is left" if loser in "".join(CHECKERS.rows(live)).upper() else "all pieces are captured"


def checkers_prompt(live: Any) -> str:
    """The piece that has to go on jumping in a turn of Checkers."""
    history = live.full_history()
    if not history or history[-1].player != live.current_player():
        return ""
    cells: list[str] = re.findall(r"[a-z]\d+", live.action_to_string(live.legal_actions()[0]))
    return f"jump on with {cells[0]}"


def breakthrough_ending(live: Any) -> str:
    """The way in which a game of Breakthrough was won."""
    rows = BREAKTHROUGH.rows(live)
    return "the last row is reached" if "W" in rows[0] or "B" in rows[-1] else "all pieces are captured"


def amazons_ending(live: Any) -> str:
    """The end of any game of Amazons."""
    return "no queen of the other side can move"


def amazons_prompt(live: Any) -> str:
    """The part of a turn of Amazons that comes next."""
    return ("choose a queen", "choose where it goes", "choose where it shoots")[len(live.history()) % 3]


def lines_of_action_ending(live: Any) -> str:
    """The way in which a game of Lines of Action was won, or the rule that drew it."""
    black, white = live.returns()
    if black == white:
        limit = live.get_game().max_game_length()
        return f"no end within {limit:,} moves" if len(live.history()) >= limit else "the same position again"
    winner = "B" if black > 0 else "W"
    groups = sum(mark == winner for mark, _, _ in _regions(LINES_OF_ACTION.rows(live), _AROUND))
    return "all pieces are connected" if groups == 1 else "no move is left"


def _regions(rows: Rows, steps: tuple[Cell, ...]) -> Iterator[tuple[str, set[Cell], set[str]]]:
    """The connected cells of one mark, each region with the marks of the pieces beside it."""
    left = {(row, column) for row in range(len(rows)) for column in range(len(rows[0]))}
    while left:
        start = left.pop()
        mark, cells, beside, edge = rows[start[0]][start[1]], {start}, set(), [start]
        while edge:
            row, column = edge.pop()
            for down, across in steps:
                cell = row + down, column + across
                if cell in left and rows[cell[0]][cell[1]] == mark:
                    left.remove(cell)
                    cells.add(cell)
                    edge.append(cell)
                elif 0 <= cell[0] < len(rows) and 0 <= cell[1] < len(rows[0]):
                    beside.add(rows[cell[0]][cell[1]])
        yield mark, cells, beside - {mark}
