"""Tavli: a match of Portes, Plakoto and Fevga in turns, one of each for cash, or to five or seven points.

The rules are in `games.backgammon`, and the match is `games.backgammon.match`'s.
"""

from collections.abc import Mapping
from typing import ClassVar

from games.backgammon.mat import write_mat
from games.backgammon.match import GameOptions, TavliOptions
from games.backgammon.notation import Move, read_move, write_move
from games.backgammon.players import STRATEGIES
from games.backgammon.rules import WAY_TO_TOUCH, MatchSeries, series_of
from games.backgammon.state import GameState
from games.fevga import GAME as FEVGA
from games.plakoto import GAME as PLAKOTO
from games.portes import GAME as PORTES
from gameserver.game import Export, Game, State, Strategy

_GAMES = (PORTES, PLAKOTO, FEVGA)


class Tavli(Game[Move]):
    """The match as a game of the lobby: who asks for it plays the games it is made of."""

    name = "Tavli"
    options_type = TavliOptions
    guide = (
        "A match of three games: Portes, Plakoto, Fevga. The player with the most points in total wins.\n"
        "The winner of a game begins the next one; see the help of each game."
    )
    how_to_play = (
        "A match of three games, played one after the other: Portes, Plakoto and Fevga. Whoever has the most "
        "points in total wins; the winner of a game begins the next. The rules of each game are shown when it "
        "begins.\n" + WAY_TO_TOUCH
    )
    strategies: ClassVar[Mapping[str, Strategy]] = STRATEGIES
    exports: ClassVar[Mapping[str, Export]] = {"mat": write_mat}
    family = "Backgammon and its relatives"
    draw_noun = "roll"

    def start(self, options: GameOptions) -> GameState:
        """Its first game's start."""
        return PORTES.start(options)

    def series(self, options: TavliOptions) -> MatchSeries:
        """The three games in turns."""
        return series_of(self.name, options.length, _GAMES, options)

    def read_move(self, text: str) -> Move:
        """Same as in each of its games."""
        return read_move(text)

    def move_words(self, state: State[Move], move: Move) -> str:
        """The steps in the order of play; empty for a move without any."""
        assert isinstance(state, GameState), "a state of this family"
        return state.steps_words

    def write_move(self, move: Move) -> str:
        """Same as in each of its games."""
        return write_move(move)


GAME = Tavli()
