"""The five games of the lobby."""

from collections.abc import Mapping
from typing import ClassVar

from attrs import evolve

from games.backgammon.board import start_of
from games.backgammon.cube import Cube
from games.backgammon.notation import Move, read_move, write_move
from games.backgammon.state import GameOptions, GameState, Phase, begun
from games.backgammon.strategy import steady
from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, Variant
from gameserver.game import Game, Strategy


class BackgammonFamily(Game[Move]):
    """A game of the family; `variant` is what distinguishes it."""

    options_type = GameOptions
    strategies: ClassVar[Mapping[str, Strategy]] = {"steady": steady}

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.name = variant.name

    def start(self, options: GameOptions) -> GameState:
        """All checkers at their start; the opening roll or the options tell who begins."""
        cube = Cube() if self.variant.has_cube else None
        state = GameState(options, start_of(self.variant), cube, Phase.OPENING)
        if options.starter is None:
            return state
        return begun(evolve(state, mover=options.starter))

    def read_move(self, text: str) -> Move:
        """See `games.backgammon.notation`."""
        return read_move(text)

    def write_move(self, move: Move) -> str:
        """In the mover's numbers, rearmost checker first."""
        return write_move(move)
