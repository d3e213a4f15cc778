"""Reversi in the Smart Game Format (SGF, version 4), where it is game number 2, Othello.

Points are written as in Go: a letter for the column from the left, one for the row from the top. The
turn that a player cannot use is not in the file, because nobody plays it; readers see the same colour
move twice.
"""

from gameserver.game import PlayedGame, PlayedMatch

_ENDED = {"resigned": "R", "late": "T", "illegal move": "F", "dropped": "F"}
_COLOURS = "BW"


def write_sgf(match: PlayedMatch) -> str:
    """The match; black is seat 0."""
    return "".join(f"{_tree(match, game)}\n" for game in match.games)


def _tree(match: PlayedMatch, game: PlayedGame) -> str:
    black, white = match.players
    root = {
        "FF": "4",
        "GM": "2",
        "CA": "UTF-8",
        "AP": "gameserver",
        "SZ": "8",
        "GN": str(match.number),
        "DT": match.opened_at[:10],
        "PB": black,
        "PW": white,
        "RE": _result(game),
    }
    moves = "".join(f";{_COLOURS[seat]}[{_point(int(text))}]" for seat, text in game.steps if seat is not None)
    return f"(;{''.join(f'{name}[{_escaped(value)}]' for name, value in root.items())}\n{moves})"


def _result(game: PlayedGame) -> str:
    """As the format has it: `B+12`, `W+R`, `0` for a draw, `Void`."""
    if game.reason in {"void", "abandoned"}:
        return "Void"
    if not game.winners:
        return "0"
    margin = abs(game.points[0] - game.points[1])
    return f"{_COLOURS[game.winners[0]]}+{_ENDED.get(game.reason, margin)}"


def _point(cell: int) -> str:
    return "abcdefgh"[cell % 8] + "abcdefgh"[cell // 8]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
