"""The backgammon family in numbers, for agents that learn."""

from collections.abc import Mapping, Sequence
from itertools import chain

from games.backgammon.notation import Move, Word
from games.backgammon.phases import CUBE_MAX, TurnPhase
from games.backgammon.state import TURNS_MAX, GameState
from games.backgammon.variants import BAR, CHECKERS, OFF, Contact, count_at
from gameserver.game import Coding, Seat, State

_DISTANCE_MAX = 6
_HOPS = BAR * _DISTANCE_MAX
_WORDS = (Word.ROLL, Word.DOUBLE, Word.TAKE, Word.DROP, Word.END)
_PLACES = range(OFF, BAR + 1)


class BackgammonCoding(Coding[Move]):
    """The numbers of all games of the backgammon family: 150 hops of a checker and 5 words.

    A play of several checkers has no number, as there would be millions: an agent moves one after the other, as a turn
    allows. A hop is 6 * (source - 1) + distance - 1 in the mover's own places; the way off is as far as place 0. The
    distance is that of a die, or of several that carry a checker there. `undo` has no number: an agent decides before
    it moves, and random ones would go to and fro.

    An observation has, in the seat's own places, 26 times four numbers for its checkers and as many for the other
    side's: 1 if there is one, two, three, and a twelfth of those above. Then come both sides' pinned checkers; how
    often each die is left, in fourths; a 1 for the phase and a 1 for the contact; if the seat is to act; the cube's
    doublings in sixths, if the seat may turn it, if the other side may; and how much of the longest game has passed.
    """

    actions = _HOPS + len(_WORDS)
    shape = (10 * len(_PLACES) + _DISTANCE_MAX + len(TurnPhase) + len(Contact) + 5,)

    def number(self, state: State[Move], seat: Seat, move: Move) -> int | None:
        """The number of a word or of a single hop of backgammon."""
        if isinstance(move, Word):
            return _HOPS + _WORDS.index(move) if move in _WORDS else None
        (source, target), *more = move
        distance = source - target
        return None if more or distance > _DISTANCE_MAX else _DISTANCE_MAX * (source - 1) + distance - 1

    def moves(self, state: State[Move], seat: Seat) -> Mapping[int, Move]:
        """The numbered moves of backgammon, without a search for all plays: those of a double can be thousands."""
        assert isinstance(state, GameState), "a state of this family"
        if seat not in state.turn.seats:
            return {}
        found: list[Move] = [word for word in _WORDS if state.allows(word)]
        if state.phase is TurnPhase.MOVING:
            hops = state.position.search(seat).hops_of_one(state.position.checkers[seat], state.left)
            found += [(hop,) for hop in hops]
        return {number: move for move in found if (number := self.number(state, seat, move)) is not None}

    def observation(self, state: State[Move], seat: Seat) -> Sequence[float]:
        """The backgammon board, the dice, the cube and the phase as the seat sees them."""
        assert isinstance(state, GameState), "a state of this family"
        board, cube, other = state.position, state.cube, 1 - seat
        seen = [(seat, place) for place in _PLACES]
        seen += [(other, board.variant.opposite[place]) for place in _PLACES]
        counts = [count_at(board.checkers[side], place) for side, place in seen]
        pinned = [count_at(board.pinned[side], place) for side, place in seen]
        return (
            *chain.from_iterable(map(_levels, counts)),
            *pinned,
            *(state.left.count(die) / 4 for die in range(1, _DISTANCE_MAX + 1)),
            *(phase is state.phase for phase in TurnPhase),
            *(contact is board.variant.contact for contact in Contact),
            seat in state.turn.seats,
            0 if cube is None else (cube.value.bit_length() - 1) / (CUBE_MAX.bit_length() - 1),
            *(cube is not None and cube.may_be_offered_by(side) for side in (seat, other)),
            state.turns / TURNS_MAX,
        )


def _levels(count: int) -> Sequence[float]:
    """TD-Gammon's inputs for the checkers of a place: a single one is in danger, two hold it, three can spare one."""
    return count >= 1, count >= 2, count >= 3, max(0, count - 3) / (CHECKERS - 3)
