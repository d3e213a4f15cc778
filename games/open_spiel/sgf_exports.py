"""Go and Hex of OpenSpiel in the Smart Game Format, for editors and analysis by other programs."""

from typing import Any

from games.open_spiel.grid_games import GO, HEX
from games.sgf import sgf_tree
from gameserver.game import PlayedGame, PlayedMatch


def write_go(match: PlayedMatch) -> str:
    """Writes games of Go; with a handicap white begins, and has seat 0."""
    return "".join(_go_tree(match, game) for game in match.games)


def _go_tree(match: PlayedMatch, game: PlayedGame) -> str:
    positions: list[Any] = list(game.positions())
    start = positions[0].live
    rows, parameters = GO.rows(start), start.get_game().get_parameters()
    size = len(rows)

    def point(move: str) -> str:
        # "" is the format's pass. Its letters count from the top left, and have an i.
        return "" if move == "pass" else _letters(size - int(move[1:]), GO.letters.index(move[0]))

    stones = [_letters(row, column) for row in range(size) for column in range(size) if rows[row][column] == "B"]
    handicap = {"HA": [str(len(stones))], "AB": stones} if stones else {}
    kind = {"GM": ["1"], "SZ": [str(size)], "KM": [f"{parameters['komi']:g}"], "RU": ["Tromp-Taylor"], **handicap}
    margin = f"{abs(GO.score(positions[-1].live)):g}"
    return sgf_tree(match, game, kind, point, margin, black=1 if stones else 0)


def _letters(row: int, column: int) -> str:
    return chr(ord("a") + column) + chr(ord("a") + row)


def write_hex(match: PlayedMatch) -> str:
    """Writes games of Hex, whose cells the format names as moves do here. No margin is told: a chain has none."""
    return "".join(_hex_tree(match, game) for game in match.games)


def _hex_tree(match: PlayedMatch, game: PlayedGame) -> str:
    start: Any = next(game.positions())
    rows = HEX.rows(start.live)
    size = str(len(rows)) if len(rows) == len(rows[0]) else f"{len(rows[0])}:{len(rows)}"
    return sgf_tree(match, game, {"GM": ["11"], "SZ": [size]}, _hex_point, "")


def _hex_point(move: str) -> str:
    # OpenSpiel turns the first stone into one of the second player, mirrored: what the format calls swapping pieces.
    return "swap-pieces" if move == "swap" else move
