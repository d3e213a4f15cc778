"""A game of the family as a `State`: roll, move, end, and the cube before the roll.

What may be done is a table of phases and moves; what is not in `_TRANSITIONS` is refused.

    phase     roll  double  checkers  undo  end  take  drop
    opening     -     -        -        -    -     -     -     a draw decides who starts
    to roll     x     x        -        -    -     -     -     double: where the cube may be offered
    rolling     -     -        -        -    -     -     -     a draw
    moving      -     -        x        x    -     -     -     undo: a play of this turn
    ending      -     -        -        x    x     -     -     nothing is left to play
    doubled     -     -        -        -    -     x     x     the other side answers
    over        -     -        -        -    -     -     -

How much of that a player does is an option of each seat. By hand, as GammonX clients do it, every
turn is rolled for and ended by a move. Otherwise, as suits a line protocol, the dice are there when
the turn begins, unless the player may double first, and the turn ends with the last checker. Only a
turn in which nothing can be played is ended by hand by everybody, so that both sides see the pass.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any

from attrs import evolve, field, frozen, validators

from games.backgammon import display
from games.backgammon.board import Board
from games.backgammon.cube import Cube
from games.backgammon.fields import fields_of, pinned_fields_of
from games.backgammon.lanes import BAR, OFF, flag
from games.backgammon.notation import Hops, Move, Word, merged, write_hops
from games.backgammon.refusals import why_not, write_dice
from games.backgammon.scoring import Ending, Victory, ending_of
from games.backgammon.search import Dice, Sequence as Steps
from gameserver.game import Chance, IllegalMove, Outcome, Seat, State, Turn

TURNS_MAX = 2_000
"""Then the game is drawn. Games of sense take 60 turns, senseless ones 300; only a conspiracy takes this many."""

UNDOS_MAX = 100
"""In a turn. Without a limit two players without a clock could go on for ever."""


class Phase(StrEnum):
    """What the game waits for."""

    OPENING = "opening"
    TO_ROLL = "to roll"
    ROLLING = "rolling"
    MOVING = "moving"
    ENDING = "ending"
    DOUBLED = "doubled"
    OVER = "over"


@frozen
class GameOptions:
    """What may be chosen for a game."""

    starter: Seat | None = field(default=None, validator=validators.in_([None, 0, 1]))
    """Who starts; None lets the opening roll decide."""
    plays_opening_dice: bool = False
    """Whether the starter plays the dice of the opening roll, or rolls anew."""
    by_hand: tuple[bool, bool] = (False, False)
    """The seats that roll and end their turns themselves."""


@frozen
class GameState(State[Move]):
    """One position of one game."""

    options: GameOptions
    position: Board
    cube: Cube | None
    phase: Phase
    mover: Seat = 0
    """Whose turn it is; while a double is offered, it is the other's to answer."""
    number: int = 0
    """The number of the clock's turn."""
    turns: int = 1
    """The number of the game's turn, from 1; a double and its answer belong to the turn they precede."""
    rolled: Dice = ()
    """The dice as they fell, four of a double."""
    left: Dice = ()
    """Those still to be played, ascending."""
    earlier: tuple[tuple[Board, Dice], ...] = field(default=(), repr=False)
    """The boards and dice of this turn before each step, the last one first to be undone."""
    undos: int = 0
    ended: Outcome | None = None
    said: str = ""

    @property
    def turn(self) -> Turn:
        """The mover's, or the other's who was offered a double; nobody's while dice fall."""
        if self.phase in {Phase.OPENING, Phase.ROLLING, Phase.OVER}:
            return Turn(self.number, ())
        return Turn(self.number, (1 - self.mover if self.phase is Phase.DOUBLED else self.mover,))

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Words; and every play of some or all dice, several hops of a checker also as one."""
        if seat not in self.turn.seats:
            return ()
        plays = sorted(self._plays(), reverse=True) if self.phase is Phase.MOVING else ()
        return (*plays, *(word for word in Word if self.allows(word)))

    def allows(self, word: Word) -> bool:
        """Whether this is a move for whoever is to act."""
        if word not in _TRANSITIONS[self.phase]:
            return False
        if word is Word.DOUBLE:
            return self.may_double
        return word is not Word.UNDO or (bool(self.earlier) and self.undos < UNDOS_MAX)

    @property
    def may_double(self) -> bool:
        """Whether the cube is the mover's to offer, if it is the time for it."""
        return self.cube is not None and self.cube.may_be_offered_by(self.mover)

    def _plays(self) -> set[Hops]:
        """All sets of hops that `resolve` finds steps for."""
        search, own = self.position.search(self.mover), self.position.checkers[self.mover]
        found: set[Hops] = set()
        level: dict[tuple[Hops, Dice], int] = {((), self.left): own}
        while level:
            following: dict[tuple[Hops, Dice], int] = {}
            for (hops, left), checkers in level.items():
                for step, after, rest in search.steps(checkers, left) if left else ():
                    following[tuple(sorted((*hops, step.hop), reverse=True)), rest] = after
            for hops, _ in following:
                found |= merged(hops)
            level = following
        return found

    def steps_of(self, hops: Hops) -> Steps | None:
        """The steps that these hops of the mover stand for; None where they cannot be played now."""
        search, own = self.position.search(self.mover), self.position.checkers[self.mover]
        return search.resolve(own, self.left, hops)

    def play(self, seat: Seat, move: Move) -> "GameState":
        """A word, or checkers moved; what follows by itself has happened in the state returned."""
        if seat not in self.turn.seats:
            over = self.phase is Phase.OVER
            raise IllegalMove("the game is over, no move can follow" if over else "it is not your turn")
        handler = _TRANSITIONS[self.phase].get(move if isinstance(move, Word) else tuple)
        if handler is None or (isinstance(move, Word) and not self.allows(move)):
            raise IllegalMove(f"now you can {self._choices()}")
        return handler(self, move)

    def _choices(self) -> str:
        words = [word.value for word in Word if self.allows(word)]
        if self.phase is Phase.MOVING:
            words.insert(0, f"play {write_dice(self.left)} as from/to")
        return " or ".join(words)

    @property
    def chance(self) -> Chance | None:
        """Two dice: one for each side at the opening, both for the mover after."""
        return Chance(2, 6) if self.phase in {Phase.OPENING, Phase.ROLLING} else None

    def drawn(self, values: tuple[int, ...]) -> "GameState":
        """The dice have come down."""
        if self.phase is Phase.ROLLING:
            return _rolled(self, values)
        white, black = values
        opened = evolve(self, said=f"white rolls {white}, black {black}")
        if white == black:
            return opened
        opened = evolve(opened, mover=0 if white > black else 1)
        return _rolled(opened, values) if self.options.plays_opening_dice else begun(opened)

    @property
    def outcome(self) -> Outcome | None:
        """The points that the winner has won; the loser has none."""
        return self.ended

    def resigned(self, seat: Seat) -> Outcome:
        """The price of GammonX: the highest victory, whatever the cube shows."""
        return _won(1 - seat, self.position.variant.resigning_costs)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Everything, whoever looks. Fields as white counts, negative for white; pairs are white's and black's."""
        board, cube = self.position, self.cube
        return {
            "variant": board.variant.name,
            "phase": self.phase.value,
            "mover": self.mover,
            "turn": self.turns,
            "rolled": list(self.rolled),
            "left": list(self.left),
            "fields": list(fields_of(board)),
            "pinned": pinned_fields_of(board),
            "bar": [board.count(seat, BAR) for seat in (0, 1)],
            "off": [board.count(seat, OFF) for seat in (0, 1)],
            "pips": [board.pips(seat) for seat in (0, 1)],
            "cube": None if cube is None else {"value": cube.value, "owner": cube.owner},
        }

    def board(self, viewer: Seat | None) -> str:
        """The board as that viewer sees it; a spectator looks over white's shoulder."""
        lines = display.board_lines(self.position, viewer or 0)
        dice = f", dice {write_dice(self.left)}" if self.left else ""
        cube = f", cube {self.cube.value}" if self.cube is not None else ""
        return "\n".join([*lines, f"{display.COLOURS[self.mover]}: {self.phase.value}{dice}{cube}"])

    def prompt(self, seat: Seat) -> str:
        """The dice or the question, and the position as the player counts: enough for a bot that remembers nothing."""
        return f"{self._asked()} | {display.position_line(self.position, seat)}"

    def _asked(self) -> str:
        stake = 1 if self.cube is None else self.cube.value
        match self.phase:
            case Phase.MOVING:
                return f"dice {write_dice(self.left)}"
            case Phase.ENDING if self.earlier:
                return "end or undo"
            case Phase.ENDING:
                return f"dice {write_dice(self.left)} cannot be played, end"
            case Phase.DOUBLED:
                return f"take or drop, cube {stake} to {2 * stake}"
            case _:
                return f"roll or double, cube {stake}" if self.may_double else "roll"

    def reaction(self, viewer: Seat | None) -> str:
        """The steps that were played, with a star at each hit or pin, and the dice that fell after."""
        return self.said


def begun(state: GameState) -> GameState:
    """The state at the beginning of the mover's turn, whose dice come at once unless there is something to decide."""
    waits = state.options.by_hand[state.mover] or state.may_double
    return evolve(state, phase=Phase.TO_ROLL if waits else Phase.ROLLING)


def _roll(state: GameState, _: Any) -> GameState:
    return evolve(state, phase=Phase.ROLLING, said="")


def _rolled(state: GameState, values: tuple[int, ...]) -> GameState:
    first, second = values
    rolled = values if first != second else (first,) * 4
    left = tuple(sorted(rolled))
    told = f"{display.COLOURS[state.mover]} rolls {first} {second}"
    if state.phase is Phase.OPENING:
        told = f"{display.COLOURS[state.mover]} begins"
    return evolve(
        state,
        phase=Phase.MOVING if state.position.can_move(state.mover, left) else Phase.ENDING,
        rolled=rolled,
        left=left,
        said=f"{state.said}, {told}" if state.said else told,
    )


def _moved(state: GameState, hops: Hops) -> GameState:
    steps = state.steps_of(hops)
    seat, position, left, earlier = state.mover, state.position, state.left, state.earlier
    if steps is None:
        raise IllegalMove(why_not(position, seat, left, hops))
    hits: list[int] = []
    ending = None
    for index, step in enumerate(steps):
        earlier = (*earlier, (position, left))
        if position.blots(seat) & flag(step.target):
            hits.append(index)
        position = position.moved(seat, step.source, step.target)
        index = left.index(step.die)
        left = left[:index] + left[index + 1 :]
        ending = ending_of(position)
        if ending is not None:
            # Two pinned mothers of Plakoto end the game at once, whatever was still to be moved.
            break
    moved = evolve(
        state,
        position=position,
        left=left,
        earlier=earlier,
        said=write_hops(tuple(step.hop for step in steps), frozenset(hits)),
    )
    if ending is not None:
        return _over(moved, _outcome(ending, state.cube))
    if left and position.can_move(seat, left):
        return evolve(moved, phase=Phase.MOVING)
    return evolve(moved, phase=Phase.ENDING) if state.options.by_hand[seat] else _passed_on(moved)


def _undone(state: GameState, _: Any) -> GameState:
    *earlier, (position, left) = state.earlier
    return evolve(
        state,
        position=position,
        left=left,
        earlier=tuple(earlier),
        undos=state.undos + 1,
        phase=Phase.MOVING,
        said="undone",
    )


def _ended(state: GameState, _: Any) -> GameState:
    return _passed_on(evolve(state, said="" if state.earlier else f"{write_dice(state.left)} cannot be played"))


def _passed_on(state: GameState) -> GameState:
    """The state at the other side's turn."""
    if state.turns == TURNS_MAX:
        return _over(state, Outcome((0, 0), (), f"nobody won in {TURNS_MAX} turns"))
    passed = evolve(
        state,
        mover=1 - state.mover,
        number=state.number + 1,
        turns=state.turns + 1,
        rolled=(),
        left=(),
        earlier=(),
        undos=0,
    )
    return begun(passed)


def _doubled(state: GameState, _: Any) -> GameState:
    return evolve(state, phase=Phase.DOUBLED, number=state.number + 1, said="")


def _taken(state: GameState, _: Any) -> GameState:
    assert state.cube is not None, "only a cube can be offered"
    cube = state.cube.taken_by(1 - state.mover)
    return begun(evolve(state, cube=cube, number=state.number + 1, said=f"cube {cube.value}"))


def _dropped(state: GameState, _: Any) -> GameState:
    assert state.cube is not None, "only a cube can be offered"
    return _over(state, _won(state.mover, state.cube.value, "double dropped"))


def _over(state: GameState, outcome: Outcome) -> GameState:
    return evolve(state, phase=Phase.OVER, ended=outcome)


def _outcome(ending: Ending, cube: Cube | None) -> Outcome:
    if ending.winner is None or ending.victory is None:
        return Outcome((0, 0), (), "both mothers are pinned")
    reason = "" if ending.victory is Victory.SINGLE else ending.victory.name.lower()
    return _won(ending.winner, ending.victory * (1 if cube is None else cube.value), reason)


def _won(winner: Seat, points: int, reason: str = "") -> Outcome:
    return Outcome((points, 0) if winner == 0 else (0, points), (winner,), reason)


_TRANSITIONS: Mapping[Phase, Mapping[Any, Callable[[GameState, Any], GameState]]] = {
    Phase.OPENING: {},
    Phase.TO_ROLL: {Word.ROLL: _roll, Word.DOUBLE: _doubled},
    Phase.ROLLING: {},
    Phase.MOVING: {tuple: _moved, Word.UNDO: _undone},
    Phase.ENDING: {Word.UNDO: _undone, Word.END: _ended},
    Phase.DOUBLED: {Word.TAKE: _taken, Word.DROP: _dropped},
    Phase.OVER: {},
}
"""The moves of each phase; `tuple` stands for checkers moved."""
