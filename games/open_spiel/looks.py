"""The look of a game of OpenSpiel: the words of its moves, its board and picture, how it ends.

A `Look` itself takes all of it from OpenSpiel's own texts. It serves for the games that this server does not know;
those that it knows override what they can do better.
"""

import re
from collections.abc import Mapping
from typing import Any

from gameserver.drawing import Picture, Side


class Look:
    """A game of OpenSpiel as pages and prompts show it. `live` is a position of pyspiel's, which nobody may change."""

    sides: tuple[Side, ...] = ()
    """The look of OpenSpiel's players 0 and 1. Who of them has seat 0 depends on who begins, as at a handicap of go."""

    def word(self, live: Any, player: int, action: int) -> str:
        """OpenSpiel's text of an action as one word of ASCII: "Move 15 -> 11" is Move-15->11."""
        text = live.action_to_string(player, action).replace('"', "'").strip().rstrip(";")
        return re.sub(r"[^!-~]+", "-", text)

    def board(self, live: Any) -> str:
        """OpenSpiel's text of a position, as lines that a terminal can show."""
        text = re.sub(r"\x1b\[[0-9;]*m", "", str(live))
        lines = ("".join(letter for letter in line if letter.isprintable()).rstrip() for line in text.split("\n"))
        return "\n".join(lines).strip("\n") or "-"

    def picture(self, live: Any, words: Mapping[str, int], last_move: str, *, is_turned: bool) -> Picture | None:
        """Draws a position, with touches for the words of legal moves, and a mark on the last move.

        It is turned for seat 1, whose players expect their own side of some boards below.
        """
        return None

    def scores(self, live: Any) -> tuple[int, ...]:
        """The scores of OpenSpiel's players 0 and 1, in games that are won by them."""
        return ()

    def prompt(self, live: Any) -> str:
        """Tells the player to move what the board does not show."""
        return ""

    def ending(self, live: Any) -> str:
        """The rule that ended a game, or its scores."""
        least, most = sorted(self.scores(live)) or ("", "")
        return f"{most} {self.sides[0].unit} to {least}" if most else ""
