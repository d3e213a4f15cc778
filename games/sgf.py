"""The Smart Game Format (SGF, version 4, https://www.red-bean.com/sgf): what Reversi, Go and Hex write alike.

A file has a tree for each game of a match: properties of the game, then a node for each move. Games differ in their
number in the format, in how a point is written, and in what they tell besides.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from gameserver.game import PlayedGame, PlayedMatch, Seat
from gameserver.time_control import TimeControl

# The property RE: by resignation, by time, by forfeit.
_ENDED = {"resigned": "R", "late": "T", "illegal move": "F", "dropped": "F"}


def sgf_tree(
    match: PlayedMatch,
    game: PlayedGame,
    properties: Mapping[str, Sequence[str]],
    point: Callable[[str], str],
    margin: str,
    black: Seat = 0,
) -> str:
    """Writes one game of a match in the Smart Game Format.

    `properties` are those of its kind, such as `{"GM": ["2"], "SZ": ["8"]}`; `point` writes a move; `margin` is by how
    much the winner won, if the game was played to its end.
    """
    colours, clock = "BW" if black == 0 else "WB", TimeControl.read(match.clock)
    root = {
        "FF": ["4"],
        "CA": ["UTF-8"],
        "AP": ["gameserver"],
        **properties,
        "GN": [str(match.number)],
        "DT": [match.opened_at[:10]],
        "PB": [match.players[black]],
        "PW": [match.players[1 - black]],
        "RE": [_result(game, colours, margin)],
        **_limits(clock),
    }
    told = "".join(name + "".join(f"[{_escaped(value)}]" for value in values) for name, values in root.items())
    moves = "".join(
        f";{colours[seat]}[{point(text)}]{_left(clock, colours[seat], left_ms)}"
        for (seat, text), left_ms in zip_longest(game.steps, game.left_ms)
        if seat is not None
    )
    return f"(;{told}\n{moves})\n"


def _limits(clock: TimeControl) -> Mapping[str, Sequence[str]]:
    """The main time, and what follows it. A limit for the turn alone is one period again and again."""
    if not clock.has_bank:
        return {"TM": ["0"], "OT": [f"1x{_seconds(clock.turn_time_ms)} byo-yomi"]} if clock.turn_time_ms else {}
    overtime = f"{_seconds(clock.increment_ms)} fischer" if clock.increment_ms else ""
    if clock.periods:
        overtime = f"{clock.periods}x{_seconds(clock.period_ms)} byo-yomi"
    return {"TM": [_seconds(clock.bank_ms)], **({"OT": [overtime]} if overtime else {})}


def _left(clock: TimeControl, colour: str, left_ms: int | None) -> str:
    """The time left after a move; within the periods that of one, and their number."""
    if left_ms is None:
        return ""
    before_ms, periods = clock.stages(left_ms)
    if before_ms or not periods:
        return f"{colour}L[{_seconds(before_ms)}]"
    return f"{colour}L[{_seconds(clock.period_ms)}]O{colour}[{periods}]"


def _seconds(ms: int | None) -> str:
    return f"{(ms or 0) / 1000:.10g}"


def _result(game: PlayedGame, colours: str, margin: str) -> str:
    """As the format has it: `B+12`, `W+R`, `0` for a draw, `Void`."""
    if game.reason in {"void", "abandoned"}:
        return "Void"
    if not game.winners:
        return "0"
    return f"{colours[game.winners[0]]}+{_ENDED.get(game.reason, margin)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")
