"""The game of the lobby, one for each variant, with its help for a prompt and its rules for people in a browser.

Those that matches are played of (`match.MATCH_KINDS`) can be asked for as a match, by its length. In a match of the
lobby each game comes with its options, above all who begins it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from attrs import evolve, frozen

from games.backgammon.board import start_of
from games.backgammon.coding import BackgammonCoding
from games.backgammon.mat import write_mat
from games.backgammon.match import MATCH_KINDS, GameOptions, Length, MatchScore
from games.backgammon.notation import Move, read_move, write_move
from games.backgammon.phases import Cube, TurnPhase
from games.backgammon.players import STRATEGIES, win_chance
from games.backgammon.state import UNDOS_MAX, GameState, begun
from games.backgammon.variants import Contact, Variant
from gameserver.game import Evaluator, Export, Game, Outcome, Seat, Series, State, Strategy

_MOVING = (
    "Points are 24 to 1 as you count them, 1 the nearest to your exit; checkers move to lower points, then off.",
    "TURNMESSAGE has the dice first, then your checkers and the other side's, by your points.",
    "move 24/18 13/11   plays your dice; also 24 18 13 11, 24/13 (one checker, both dice), 13/11(2), bar/20, 6/off",
    "                   you may also play one die at a time; you are asked again until no die can be played",
    f"move undo          takes the last step of this turn back, at most {UNDOS_MAX} times",
    "move end           (or pass) when the dice cannot be played, so that both sides see it",
)
_ROLLING = ("The dice are rolled for you when your turn begins.",)
_CUBE_HELP = (
    "The dice are rolled for you when your turn begins, unless you may double: then you are asked first.",
    "move roll          rolls",
    "move double        offers to play for twice as much; the other side answers",
    "move take          (or accept) plays on for twice as much, and the next double is yours",
    "move drop          (or decline) gives the game up for what it was worth before",
)
_RESIGNING = (
    "forfeit            gives the game up. In a match between text players an illegal move costs the match, too."
)


def _help_lines(variant: Variant) -> tuple[str, ...]:
    """The moves of a game, roll and cube included, a line each."""
    return (*_MOVING, *(_CUBE_HELP if variant.has_cube else _ROLLING), _RESIGNING)


_TURN = (
    "Each turn you roll two dice, and move a checker by each number: two checkers, or one checker twice. The same "
    "number on both dice is played four times. Play as many of the numbers as you can."
)
_WAY: Mapping[Contact, str] = {
    Contact.HITS: (
        "Your checkers go one way round the board, from point 24 down to 1, and the other side's the opposite way."
    ),
    Contact.PINS: (
        "All your checkers start on your point 24 and go down to 1, and the other side's go the opposite way."
    ),
    Contact.BLOCKS: (
        "Both sides go the same way round, half a board apart: yours from point 24 down to 1. Nothing is hit."
    ),
}
_MEETING: Mapping[Contact, str] = {
    Contact.HITS: (
        "Two checkers or more hold a point: the other side cannot land there. A single checker can be hit. It goes"
        " to the bar in the middle, and has to enter again, in the other side's home, before its player may move "
        "anything else."
    ),
    Contact.PINS: (
        "Two checkers or more hold a point: the other side cannot land there. A single checker is not hit but "
        "pinned: it cannot move while one of the other side stands on it, and that one holds the point. Watch the "
        "last checker on your start: if it is pinned, the game is all but lost, and if both sides' are, it is a "
        "draw."
    ),
    Contact.BLOCKS: (
        "A single checker holds a point: the other side cannot land there. At first one checker goes alone, until "
        "it is past the other side's start; then the others may follow. You may not close all six points of the "
        "other side's start."
    ),
}
_AIM = (
    "When all your checkers are in the last six points, your home, you take them off by the numbers of the dice, "
    "and whoever has taken all fifteen off first wins."
)
_GAMMON = "The victory counts double (a gammon) if the other side has taken no checker off"
_TRIPLE = ", and three times (a backgammon) if it even has a checker in your home or on the bar"
_CUBE_RULE = (
    "Before you roll you may offer to double the stake. The other side drops, and loses the stake as it was, or "
    "takes: then it alone may double next."
)
WAY_TO_TOUCH = (
    "Touch a checker, then the point where it is to go, or drag it there; the bar in the middle and the tray "
    "beside the board count as points. Everything else is a button by the board."
)


def _paragraphs(variant: Variant) -> tuple[str, ...]:
    """A turn, what happens where checkers meet, the end, and what to touch."""
    turn = f"{_WAY[variant.contact]} {_TURN}"
    end = f"{_AIM} {_GAMMON}{_TRIPLE if variant.has_triple else ''}."
    return (turn, _MEETING[variant.contact], end, *((_CUBE_RULE,) if variant.has_cube else ()), WAY_TO_TOUCH)


@frozen
class MatchSeries(Series):
    """A backgammon match between two of its games, which are played in turns as the match's kind has them."""

    score: MatchScore
    games: tuple[Game[Any], ...]
    options: GameOptions
    """Those of the whole match."""

    @property
    def next_game(self) -> tuple[Game[Any], GameOptions] | None:
        """The next game of a backgammon match and its first player: by the options, then the last winner."""
        if self.score.is_over:
            return None
        played, options = len(self.score.rounds), self.options
        return self.games[played % len(self.games)], GameOptions(
            starter=self.score.next_starter if played else options.starter,
            plays_opening_dice=options.plays_opening_dice,
            by_hand=options.by_hand,
        )

    def after(self, outcome: Outcome) -> Self:
        """Makes the backgammon match after its next game."""
        winner = outcome.winners[0] if outcome.winners else None
        points = 0 if winner is None else outcome.points[winner]
        return evolve(self, score=self.score.after(winner, points))

    def given_up(self, seat: Seat) -> Self:
        """Makes the backgammon match that a side gave up, won by the other."""
        return evolve(self, score=self.score.after_resignation(seat))

    @property
    def outcome(self) -> Outcome:
        """The points of all games of a backgammon match, and the winner once it is over."""
        winner = self.score.winner
        return Outcome(self.score.points, () if winner is None else (winner,))


def series_of(kind: str, length: Length, games: Sequence[Game[Any]], options: GameOptions) -> MatchSeries:
    """Makes the match, before its first game, if the lobby's rules for backgammon are asked for one."""
    return MatchSeries(MatchScore(MATCH_KINDS[kind], length), tuple(games), options)


class FamilyGame(Game[Move]):
    """The house players, files and moves that all games of the backgammon family and their matches share."""

    strategies: ClassVar[Mapping[str, Strategy]] = STRATEGIES
    evaluators: ClassVar[Mapping[str, Evaluator]] = {"master": win_chance}
    exports: ClassVar[Mapping[str, Export]] = {"mat": write_mat}
    family = "Backgammon and its relatives"
    draw_noun = "roll"

    def coding(self, options: GameOptions) -> BackgammonCoding:
        """Codes the backgammon family for agents that learn."""
        return BackgammonCoding()

    def read_move(self, text: str) -> Move:
        """Reads a move of the backgammon family, by `games.backgammon.notation`."""
        return read_move(text)

    def move_words(self, state: State[Move], move: Move) -> str:
        """Says a backgammon move's steps in the order of play; empty for a move without any."""
        assert isinstance(state, GameState), "a state of this family"
        return state.steps_words

    def write_move(self, move: Move) -> str:
        """Writes a move of the backgammon family in the mover's numbers, rearmost checker first."""
        return write_move(move)


class BackgammonFamily(FamilyGame):
    """A game of the backgammon family; `variant` is what distinguishes it."""

    options_type = GameOptions

    def __init__(self, variant: Variant) -> None:
        self.variant = variant
        self.name = variant.name
        self.guide = "\n".join(_help_lines(variant))
        self.how_to_play = "\n".join(_paragraphs(variant))

    def start(self, options: GameOptions) -> GameState:
        """Sets all backgammon checkers at their start; the opening roll or the options tell who begins."""
        cube = Cube() if self.variant.has_cube else None
        state = GameState(options, start_of(self.variant), cube, TurnPhase.OPENING)
        if options.starter is None:
            return state
        return begun(evolve(state, mover=options.starter))

    def series(self, options: GameOptions) -> MatchSeries | None:
        """Makes the backgammon match that is asked for by its length; some games are played singly only."""
        if options.length is None or self.name not in MATCH_KINDS:
            return None
        return series_of(self.name, options.length, (self,), options)
