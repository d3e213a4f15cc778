"""The game as such, one for each variant: `GAME` of `games.backgammon`, `games.tavla` and so on.

Those that matches are played of (`match.MATCH_KINDS`) can be asked for as a match, by its length.
"""

from collections.abc import Mapping
from typing import ClassVar

from attrs import evolve

from games.backgammon.board import start_of
from games.backgammon.cube import Cube
from games.backgammon.help_text import help_lines
from games.backgammon.how_to_play import paragraphs
from games.backgammon.levels import STRATEGIES
from games.backgammon.mat import write_mat
from games.backgammon.match import MATCH_KINDS
from games.backgammon.notation import Move, read_move, write_move
from games.backgammon.options import GameOptions
from games.backgammon.phases import TurnPhase
from games.backgammon.series import MatchSeries, series_of
from games.backgammon.state import GameState, begun
from games.backgammon.variants import Variant
from gameserver.game import Export, Game, State, Strategy


class BackgammonFamily(Game[Move]):
    """A game of the family; `variant` is what distinguishes it."""

    options_type = GameOptions
    strategies: ClassVar[Mapping[str, Strategy]] = STRATEGIES
    exports: ClassVar[Mapping[str, Export]] = {"mat": write_mat}
    family = "Backgammon and its relatives"
    draw_noun = "roll"

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.name = variant.name
        self.guide = "\n".join(help_lines(variant))
        self.how_to_play = "\n".join(paragraphs(variant))

    def start(self, options: GameOptions) -> GameState:
        """All checkers at their start; the opening roll or the options tell who begins."""
        cube = Cube() if self.variant.has_cube else None
        state = GameState(options, start_of(self.variant), cube, TurnPhase.OPENING)
        if options.starter is None:
            return state
        return begun(evolve(state, mover=options.starter))

    def series(self, options: GameOptions) -> MatchSeries | None:
        """The match that is asked for by its length; games that no match is made of alone are played singly."""
        if options.length is None or self.name not in MATCH_KINDS:
            return None
        return series_of(self.name, options.length, (self,), options)

    def read_move(self, text: str) -> Move:
        """See `games.backgammon.notation`."""
        return read_move(text)

    def move_words(self, state: State[Move], move: Move) -> str:
        """The steps in the order of play; empty for a move without any."""
        assert isinstance(state, GameState), "a state of this family"
        return state.steps_words

    def write_move(self, move: Move) -> str:
        """In the mover's numbers, rearmost checker first."""
        return write_move(move)
