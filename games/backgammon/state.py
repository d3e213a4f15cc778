"""A game of the family as a `State`: roll, move, end, and the cube before the roll.

What may be done is a table of phases and moves; what is not in `_TRANSITIONS` is refused.

    phase     roll  double  checkers  undo  end  take  drop
    opening     -     -        -        -    -     -     -     a draw decides who starts
    tied        x     -        -        -    -     -     -     the draw did not: both, or who rolls by hand, roll again
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

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from attrs import evolve, field, frozen

from games.backgammon import picture
from games.backgammon.board import BackgammonBoard, Dice, Hop, Hops, without
from games.backgammon.board import Sequence as Steps
from games.backgammon.fields import view_of
from games.backgammon.match import GameOptions
from games.backgammon.notation import Move, Word, split_said, why_not, write_dice, write_hops
from games.backgammon.phases import Cube, TurnPhase, ending_of, outcome_of, question, won
from games.backgammon.picture import DrawnPosition, areas_of, picture_of, touches_of
from games.backgammon.variants import CHECKERS, OFF, Contact, flag
from gameserver.drawing import Paint
from gameserver.game import Chance, IllegalMove, Outcome, Picture, Seat, Side, State, Turn

TURNS_MAX = 2_000
"""Then the game is drawn. Games of sense take 60 turns, senseless ones 300; only a conspiracy takes this many."""
UNDOS_MAX = 100
"""In a turn. Without a limit two players without a clock could go on for ever."""


@frozen(cache_hash=True)
class GameState(State[Move]):
    """One position of a game of the backgammon family, with its dice, its cube and its turn."""

    options: GameOptions
    position: BackgammonBoard
    cube: Cube | None
    phase: TurnPhase
    mover: Seat = 0
    """The seat to move; while a double is offered, the other seat has to answer."""
    number: int = 0
    """The number of the clock's turn."""
    turns: int = 1
    """The number of the game's turn, from 1; a double and its answer belong to the turn they precede."""
    rolled: Dice = ()
    """The dice as they fell, four of a double."""
    left: Dice = ()
    """The dice that are still to be played, ascending."""
    earlier: tuple[tuple[BackgammonBoard, Dice], ...] = field(default=(), repr=False)
    """The boards and dice of this turn before each step, the last one first to be undone."""
    undos: int = 0
    again: tuple[Seat, ...] = ()
    """The seats that have rolled again after a tie."""
    ended: Outcome | None = None
    said: str = ""
    before: BackgammonBoard | None = field(default=None, eq=False, repr=False)
    """The board before the other side's last turn, if checkers moved in it: for the picture."""

    @cached_property
    def turn(self) -> Turn:
        """The turn of backgammon: the mover's, or the other's who was offered a double; nobody's while dice fall."""
        if self.phase in {TurnPhase.OPENING, TurnPhase.ROLLING, TurnPhase.OVER}:
            return Turn(self.number, ())
        if self.phase is TurnPhase.TIED:
            waited_for = (seat for seat in (0, 1) if self.options.by_hand[seat] and seat not in self.again)
            return Turn(self.number, tuple(waited_for))
        return Turn(self.number, (1 - self.mover if self.phase is TurnPhase.DOUBLED else self.mover,))

    def legal_moves(self, seat: Seat) -> Sequence[Move]:
        """Lists backgammon's words, and every play of some or all dice, several hops of a checker also as one."""
        if seat not in self.turn.seats:
            return ()
        words = [word for word in Word if self.allows(word)]
        if self.phase is not TurnPhase.MOVING:
            return words
        plays = self.position.search(seat).hops(self.position.checkers[seat], self.left)
        return [*sorted(plays, reverse=True), *words]

    def allows(self, word: Word) -> bool:
        """True if this is a move for the backgammon player who is to act."""
        if word not in _TRANSITIONS[self.phase]:
            return False
        if word is Word.DOUBLE:
            return self.may_double
        return word is not Word.UNDO or (bool(self.earlier) and self.undos < UNDOS_MAX)

    @property
    def may_double(self) -> bool:
        """True if the mover may offer the doubling cube when it is the time for it."""
        return _may_double(self.cube, self.mover)

    def steps_of(self, hops: Hops) -> Steps | None:
        """Finds the steps that these hops of the mover stand for; None where they cannot be played now."""
        # One search for all questions of a turn: the points that are closed stay as they are in it.
        search, own = self.position.search(self.mover), self.position.checkers[self.mover]
        return search.resolve(own, self.left, hops)

    def stages_of(self, move: Move) -> tuple["GameState", ...]:
        """Lists the backgammon states on the way to the one that a move leads to: after each step of its checkers.

        The last one is that before the turn is passed on; where there is none, as at the game's end, it is omitted.
        """
        # Words have no steps between.
        if isinstance(move, Word):
            return ()
        stages = tuple(_stages(self, self.mover, move))
        return stages if stages[-1].phase is TurnPhase.ENDING else stages[:-1]

    def play(self, seat: Seat, move: Move) -> "GameState":
        """Plays a word of backgammon, or moves checkers; what follows by itself has happened in the state returned."""
        if seat not in self.turn.seats:
            over = self.phase is TurnPhase.OVER
            raise IllegalMove("the game is over, no move can follow" if over else "it is not your turn")
        handler = _TRANSITIONS[self.phase].get(move if isinstance(move, Word) else tuple)
        if handler is None or (isinstance(move, Word) and not self.allows(move)):
            raise IllegalMove(f"now you can {self._choices()}")
        return handler(self, seat, move)

    def _choices(self) -> str:
        words = [word.value for word in Word if self.allows(word)]
        if self.phase is TurnPhase.MOVING:
            words.insert(0, f"play {write_dice(self.left)} as from/to")
        return " or ".join(words)

    @property
    def chance(self) -> Chance | None:
        """The two dice that backgammon waits for: one for each side at the opening, both for the mover after."""
        return Chance(2, 6) if self.phase in {TurnPhase.OPENING, TurnPhase.ROLLING} else None

    def drawn(self, values: tuple[int, ...]) -> "GameState":
        """Goes on with a backgammon game when the dice have come down."""
        if self.phase is TurnPhase.ROLLING:
            return _rolled(self, values)
        white, black = values
        opened = evolve(self, said=f"white rolls {white}, black {black}")
        # A tie is told only to players who roll by hand, as GammonX tells it; for others the dice fall again.
        if white == black:
            return evolve(opened, phase=TurnPhase.TIED, number=self.number + 1) if self.options.tells_ties else opened
        opened = evolve(opened, mover=0 if white > black else 1)
        return _rolled(opened, values) if self.options.starts_with_opening_dice else begun(opened)

    def awaiting_draw(self, seat: Seat) -> "GameState | None":
        """Waits for the opening roll, for a side that would play its dice: it sees its own die when it is ready."""
        if not self.options.plays_opening_dice[seat]:
            return None
        if self.phase is TurnPhase.TIED and seat in self.again:
            return _all_again(self)
        return self if self.phase is TurnPhase.OPENING else None

    @property
    def outcome(self) -> Outcome | None:
        """The points that the winner of a backgammon game has won; the loser has none."""
        return self.ended

    def resigned(self, seat: Seat) -> Outcome:
        """Ends a backgammon game that was given up by GammonX's price: the highest victory, whatever the cube shows."""
        # GammonX's `ResignGame` gives 3 at Backgammon and 2 elsewhere, whatever the cube shows.
        return won(1 - seat, self.position.variant.resigning_costs)

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Shows everything of a backgammon game to any viewer; pairs are white's and black's."""
        cube = self.cube
        return {
            "variant": self.position.variant.name,
            "phase": self.phase.value,
            "mover": self.mover,
            "turn": self.turns,
            "rolled": list(self.rolled),
            "left": list(self.left),
            "cube": None if cube is None else {"value": cube.value, "owner": cube.owner},
            **view_of(self.position),
        }

    def board(self, viewer: Seat | None) -> str:
        """Writes the backgammon board as that viewer sees it; a spectator looks over white's shoulder."""
        status = picture.status_line(self.mover, self.phase.value, () if self.ended else self.left, self.cube)
        return "\n".join([*picture.board_lines(self.position, viewer or 0), status])

    def picture(self, viewer: Seat | None) -> Picture:
        """Draws the backgammon board as its viewer sees it."""
        return self._touchable(picture_of(self._scene(viewer)), viewer)

    def small_picture(self, viewer: Seat | None) -> Picture:
        """Draws the backgammon board without words."""
        return self._touchable(picture_of(self._scene(viewer), is_small=True), viewer)

    def _scene(self, viewer: Seat | None) -> DrawnPosition:
        # The last move is marked: within a turn what moved in it, else the other side's turn.
        before = self.earlier[0][0] if self.earlier else self.before
        return DrawnPosition(self.position, self.rolled, self.left, self.mover, self.cube, before, viewer or 0)

    def _touchable(self, picture: Picture, viewer: Seat | None) -> Picture:
        """The picture with the hops of single checkers to be touched, of which every turn is made, and the words."""
        if viewer is None or viewer not in self.turn.seats:
            return picture
        hops: Sequence[Hop] = ()
        if self.phase is TurnPhase.MOVING:
            hops = self.position.search(viewer).hops_of_one(self.position.checkers[viewer], self.left)
        return evolve(
            picture,
            shapes=(*picture.shapes, *areas_of(hops)),
            touches=touches_of(hops),
            buttons=tuple(word.value for word in Word if self.allows(word)),
        )

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """The colours of both backgammon sides with their pips."""
        colours = zip(picture.COLOURS, (Paint.WHITE, Paint.BLACK), strict=True)
        return tuple(
            Side(name, paint, score=self.position.pips(seat), unit="pips") for seat, (name, paint) in enumerate(colours)
        )

    def prompt(self, seat: Seat) -> str:
        """Tells the dice or the question, and the backgammon position: enough for a bot that remembers nothing."""
        stake = 1 if self.cube is None else self.cube.value
        asked = question(self.phase, self.left, stake, has_moved=bool(self.earlier), may_double=self.may_double)
        return f"{asked} | {picture.position_line(self.position, seat)}"

    def reaction(self, viewer: Seat | None) -> str:
        """Tells the backgammon steps that were played, with a star at each hit or pin, and the dice after."""
        return self.said

    def reaction_words(self, viewer: Seat | None) -> str:
        """Tells people the backgammon dice and the cube; the steps are the move."""
        return split_said(self.said)[1]

    @property
    def steps_words(self) -> str:
        """Says the backgammon steps that were played, in their order; empty if none were."""
        return split_said(self.said, "pin" if self.position.variant.contact is Contact.PINS else "hit")[0]

    @property
    def ending(self) -> str:
        """Tells how many checkers the loser of a backgammon game had left; empty for other ends."""
        white, black = (CHECKERS - self.position.count(seat, OFF) for seat in (0, 1))
        if white and black:
            return ""
        return f"black is off, white has {white} left" if white else f"white is off, black has {black} left"


def begun(state: GameState) -> GameState:
    """Makes the backgammon state at the beginning of the mover's turn."""
    return evolve(state, phase=_first_phase(state, state.mover))


def _first_phase(state: GameState, mover: Seat) -> TurnPhase:
    """The phase that a turn begins with: the dice come at once unless there is something to decide."""
    waits = state.options.by_hand[mover] or _may_double(state.cube, mover)
    return TurnPhase.TO_ROLL if waits else TurnPhase.ROLLING


def _may_double(cube: Cube | None, mover: Seat) -> bool:
    return cube is not None and cube.may_be_offered_by(mover)


def _roll(state: GameState, seat: Seat, _: Any) -> GameState:
    return evolve(state, phase=TurnPhase.ROLLING, said="")


def _rolled_again(state: GameState, seat: Seat, _: Any) -> GameState:
    again = evolve(state, again=(*state.again, seat), said="")
    return again if again.turn.seats else _all_again(again)


def _all_again(state: GameState) -> GameState:
    """The state in which the dice of the opening fall once more."""
    return evolve(state, phase=TurnPhase.OPENING, again=(), number=state.number + 1, said="")


def _rolled(state: GameState, values: tuple[int, ...]) -> GameState:
    first, second = values
    rolled = values if first != second else (first,) * 4
    left = tuple(sorted(rolled))
    told = f"{picture.COLOURS[state.mover]} rolls {first} {second}"
    if state.phase is TurnPhase.OPENING:
        told = f"{picture.COLOURS[state.mover]} begins"
    return evolve(
        state,
        phase=TurnPhase.MOVING if state.position.can_move(state.mover, left) else TurnPhase.ENDING,
        rolled=rolled,
        left=left,
        said=f"{state.said}, {told}" if state.said else told,
    )


def _moved(state: GameState, seat: Seat, hops: Hops) -> GameState:
    *_, moved = _stages(state, seat, hops)
    is_through = moved.phase is TurnPhase.ENDING and not state.options.by_hand[seat]
    return _passed_on(moved, moved.said) if is_through else moved


def _stages(state: GameState, seat: Seat, hops: Hops) -> Iterator[GameState]:
    """The states after each step; the last one waits for the turn to be ended, if nothing is left to play."""
    steps = state.steps_of(hops)
    if steps is None:
        raise IllegalMove(why_not(state.position, seat, state.left, hops))
    told: list[str] = []
    for step in steps:
        hits = state.position.blots(seat) & flag(step.target)
        told.append(write_hops((step.hop,)) + ("*" if hits else ""))
        position, left = state.position.moved(seat, step.source, step.target), without(state.left, step.die)
        state = evolve(
            state,
            phase=TurnPhase.MOVING if left and position.can_move(seat, left) else TurnPhase.ENDING,
            position=position,
            left=left,
            earlier=(*state.earlier, (state.position, state.left)),
            said=" ".join(told),
        )
        ending = ending_of(position)
        if ending is not None:
            # Two pinned mothers of Plakoto end the game at once, whatever was still to be moved.
            yield _over(state, outcome_of(ending, 1 if state.cube is None else state.cube.value))
            return
        yield state


def _undone(state: GameState, seat: Seat, _: Any) -> GameState:
    *earlier, (position, left) = state.earlier
    return evolve(
        state,
        position=position,
        left=left,
        earlier=tuple(earlier),
        undos=state.undos + 1,
        phase=TurnPhase.MOVING,
        said="undone",
    )


def _ended(state: GameState, seat: Seat, _: Any) -> GameState:
    return _passed_on(state, "" if state.earlier else f"{write_dice(state.left)} cannot be played")


def _passed_on(state: GameState, said: str) -> GameState:
    """The state at the other side's turn."""
    if state.turns == TURNS_MAX:
        return _over(evolve(state, said=said), Outcome((0, 0), (), f"nobody won in {TURNS_MAX} turns"))
    mover = 1 - state.mover
    return evolve(
        state,
        phase=_first_phase(state, mover),
        mover=mover,
        number=state.number + 1,
        turns=state.turns + 1,
        rolled=(),
        left=(),
        earlier=(),
        undos=0,
        said=said,
        before=state.earlier[0][0] if state.earlier else None,
    )


def _doubled(state: GameState, seat: Seat, _: Any) -> GameState:
    return evolve(state, phase=TurnPhase.DOUBLED, number=state.number + 1, said="")


def _taken(state: GameState, seat: Seat, _: Any) -> GameState:
    assert state.cube is not None, "only a cube can be offered"
    cube = state.cube.taken_by(1 - state.mover)
    return begun(evolve(state, cube=cube, number=state.number + 1, said=f"cube {cube.value}"))


def _dropped(state: GameState, seat: Seat, _: Any) -> GameState:
    assert state.cube is not None, "only a cube can be offered"
    return _over(state, won(state.mover, state.cube.value, "double dropped"))


def _over(state: GameState, outcome: Outcome) -> GameState:
    return evolve(state, phase=TurnPhase.OVER, ended=outcome)


_TRANSITIONS: Mapping[TurnPhase, Mapping[Any, Callable[[GameState, Seat, Any], GameState]]] = {
    TurnPhase.OPENING: {},
    TurnPhase.TIED: {Word.ROLL: _rolled_again},
    TurnPhase.TO_ROLL: {Word.ROLL: _roll, Word.DOUBLE: _doubled},
    TurnPhase.ROLLING: {},
    TurnPhase.MOVING: {tuple: _moved, Word.UNDO: _undone},
    TurnPhase.ENDING: {Word.UNDO: _undone, Word.END: _ended},
    TurnPhase.DOUBLED: {Word.TAKE: _taken, Word.DROP: _dropped},
    TurnPhase.OVER: {},
}
"""The moves of each phase; `tuple` stands for checkers moved."""
