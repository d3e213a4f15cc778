"""A match as one client sees it on one connection."""

from typing import Any

from attrs import define

from gameserver.game import Game
from tests.clients.strategic import Match
from tests.simulation.plan import GAMES, WITH_DICE
from tests.simulation.told import Told
from tests.simulation.violation import Violation
from tests.simulation.wire import MatchTold, TurnTold
from tests.support.games import Countdown


@define
class View:
    """What the client knows, and what the server meant by it."""

    meant: MatchTold
    seen: Match
    told: Told
    turn: TurnTold | None = None
    reply_due_ms: int | None = None
    """When the client means to move, in real time; None for never."""
    mutters_ms: int | None = None
    """When it means to send commands that change the lobby; None for never."""
    talk: int = 0
    """How much it means to say just before."""
    reply_end: int | None = None
    """The last byte of the move with which the client answered this turn."""

    @property
    def match(self) -> int:
        """The match's number."""
        return self.meant.match

    @property
    def is_complete(self) -> bool:
        """Whether all moves that were shown with the match have been heard."""
        return len(self.seen.moves) >= self.meant.moves

    def begin_turn(self, turn: TurnTold) -> None:
        """It is the client's turn."""
        if not self.is_complete:
            raise Violation("a turn is told to who is to move", f"before all moves of match {self.match} are shown")
        self.turn, self.reply_end = turn, None

    def spelled(self, text: str) -> str:
        """A move in its one spelling; some protocols tell its number."""
        game = rules_of(self.seen.opened.game)
        return game.write_move(game.read_move(text))


def rules_of(game: str) -> Game[Any]:
    """The rules as a client has them; it does not know that some games are broken on the server."""
    return Countdown() if game.startswith("Broken") else GAMES[game.lower()]


def followed(game: str) -> Game[Any] | None:
    """The rules, where the position follows from the moves alone."""
    rules = rules_of(game)
    return None if rules.name in WITH_DICE else rules
