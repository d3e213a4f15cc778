"""A match as one client sees it on one connection."""

from typing import Any

from attrs import define

from gameserver.game import Game, State
from tests.simulation.heard import Move, Opened
from tests.simulation.plan import GAMES, WITH_DICE
from tests.simulation.told import Told
from tests.simulation.violation import Violation
from tests.simulation.wire import MatchTold, TurnTold
from tests.support.games import Countdown


@define
class View:
    """What the client knows: the position follows from the moves that it heard, by the game's own rules."""

    meant: MatchTold
    heard: Opened
    told: Told
    seat: int
    state: State[Any] | None
    """The position; None where chance has a part in it."""
    moves: int = 0
    turn: TurnTold | None = None
    reply_due_ms: int | None = None
    """When the client means to move, in real time; None for never."""
    talk: int = 0
    """How much it means to say just before."""
    reply_end: int | None = None
    """The last byte of the move with which the client answered this turn."""
    may_hear_turn_again: bool = False
    """Whether a move was refused, after which the same turn is told once more."""

    @property
    def match(self) -> int:
        """The match's number."""
        return self.meant.match

    @property
    def is_complete(self) -> bool:
        """Whether all moves that were shown with the match have been heard."""
        return self.moves >= self.meant.moves

    def begin_turn(self, turn: TurnTold) -> None:
        """It is the client's turn, by its own reckoning too."""
        if self.turn is not None and not self.may_hear_turn_again:
            raise Violation("a turn is told once", f"again in match {self.match}")
        if not self.is_complete or (self.state is not None and self.seat not in self.state.turn.seats):
            raise Violation("a turn is told to who is to move", f"seat {self.seat} is not, after {self.told.moves}")
        self.turn, self.reply_end, self.may_hear_turn_again = turn, None, False

    def spelled(self, text: str) -> str:
        """A move in its one spelling; some protocols tell its number."""
        game = rules_of(self.heard.game)
        return game.write_move(game.read_move(text))

    def move(self, heard: Move, *, mine: bool) -> None:
        """Follow a move."""
        self.moves += 1
        if mine:
            self.turn = None
        if self.state is not None:
            game = rules_of(self.heard.game)
            self.state = self.state.play(self.seat if mine else 1 - self.seat, game.read_move(heard.text))


def rules_of(game: str) -> Game[Any]:
    """The rules as a client has them; it does not know that some games are broken on the server."""
    return Countdown() if game.startswith("Broken") else GAMES[game.lower()]


def start_of(game: str) -> State[Any] | None:
    """The position at the start, where it can be followed."""
    rules = rules_of(game)
    return None if rules.name in WITH_DICE else rules.start(rules.options_type())
