"""Alpha-beta search for house players of games of two, without chance and without secrets.

A game hands in a `SearchedGame`: its moves and values over a position of its own, usually a tuple of
bitboards, because a search looks at ten thousand of them for a move. For Tic-tac-toe it would be:

    class SearchedTicTacToe(SearchedGame):
        def successors(self, position):  # (own, other), a bit for each cell, as the side to move sees it
            own, other = position
            if any(other & line == line for line in LINES):
                return ()
            return [(cell, (other, own | 1 << cell)) for cell in range(9) if not (own | other) >> cell & 1]

        def value(self, position):
            return -1 if any(position[1] & line == line for line in LINES) else 0

    def master(state, seat, choose):
        return choose(best_moves(SearchedTicTacToe(), bits_of(state, seat), nodes_max=5000).moves)

The search is negamax: a value is always that to the side to move, and a move's is the negative of the
value of the position after it. It deepens ply by ply. A table keeps the bounds that were proved for
a position, and the move that proved them, which is tried first the next time. Every move but the first
is only asked whether it is better than the best so far, and searched again if it is.

It is limited in nodes, never in time, so the same position gives the same moves on every machine.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from math import exp
from typing import Generic, TypeVar

from attrs import define, evolve, field, frozen

MoveT = TypeVar("MoveT")
PositionT = TypeVar("PositionT", bound=Hashable)

_INFINITY = 1 << 60
"""Greater than every value of a game."""

_DEPTH_MAX = 99
"""More plies than a game has. In the table it marks a bound that no more depth can change."""

_SORTED_DEPTH_MIN = 3
"""From this depth on it pays to sort unknown moves by the values of the positions after them."""


class SearchedGame(ABC, Generic[PositionT, MoveT]):
    """A game as the minimax search sees it. A position is any hashable value, seen by the side that is to move."""

    @abstractmethod
    def successors(self, position: PositionT) -> Sequence[tuple[MoveT, PositionT]]:
        """Each move with the position after it, as the other side sees it; likely good moves first.

        It is empty where the game is over, or decided whatever is played. A forced pass is a move of
        its own. Moves that cannot be the best may be left out.
        """

    @abstractmethod
    def value(self, position: PositionT) -> int:
        """Values a position for the side to move, as the search's estimate; exact where there are no successors."""


@frozen
class Found(Generic[MoveT]):
    """The result of a game search: the moves of the best value, all those that are equal."""

    moves: tuple[MoveT, ...]
    value: int
    depth: int
    """The plies that were searched to the end."""
    nodes: int
    """The positions that were looked at."""
    solved: bool
    """True if no estimate was needed: the value is that of perfect play."""


def best_moves(
    game: SearchedGame[PositionT, MoveT], position: PositionT, *, nodes_max: int, depth_max: int = _DEPTH_MAX
) -> Found[MoveT]:
    """Searches a game's position by minimax until it is solved, or the depth or the nodes are used up.

    The first ply is searched in any case, and what is begun at the limit are at most the moves of one position.
    """
    return _Search(game, nodes_max).run(position, depth_max)


def chance_of(value: float, unit: float) -> float:
    """Turns a search's value into a chance to win: 0 is an even game, one `unit` 73 %, three of them 95 %."""
    return 1 / (1 + exp(-max(-50.0, min(50.0, value / unit))))


class _OutOfNodes(Exception):
    """The limit is reached, and what is under way is abandoned."""


@define
class _Search(Generic[PositionT, MoveT]):
    """One search. Its table lives no longer than it, so that no earlier move has an influence on a later one."""

    _game: SearchedGame[PositionT, MoveT]
    _nodes_max: int
    _nodes: int = 0
    _estimated: bool = False
    """True if an estimate was used under the node at hand: more depth may tell more."""
    _table: dict[PositionT, tuple[int, int, int, MoveT]] = field(factory=dict)
    """The depth of a search of a position, the bounds of its value that it proved, and its best move."""

    def run(self, position: PositionT, depth_max: int) -> Found[MoveT]:
        """Deepen ply by ply."""
        moves = list(self._game.successors(position))
        found = None
        # Each depth costs a fraction of the next one, and leaves the table and the order for it.
        for depth in range(1, depth_max + 1):
            deeper = self._root(moves, depth)
            found = deeper or found
            if deeper is None or deeper.solved or self._nodes >= self._nodes_max:
                break
        assert found is not None, "the first ply is searched in any case"
        return evolve(found, nodes=self._nodes)

    def _root(self, moves: list[tuple[MoveT, PositionT]], depth: int) -> Found[MoveT] | None:
        """Search every move and sort them for the next ply; None if the nodes ended without news.

        The windows are wider by one than those within the tree, so that equal moves are known as such.
        """
        self._estimated = False
        best = -_INFINITY
        best_of: list[MoveT] = []
        values: list[int] = []
        try:
            for move, after in moves:
                # The null window of the first question is what makes a search of equal moves affordable.
                value = -self._value(after, depth - 1, -best, 1 - best) if best_of else -_INFINITY
                if not best_of or value >= best:
                    value = -self._value(after, depth - 1, -_INFINITY, 1 - best)
                values.append(value)
                if value > best:
                    best, best_of = value, [move]
                elif value == best:
                    best_of.append(move)
        except _OutOfNodes:
            # A move that is better than the best of the ply before is news, even if others were not searched.
            if not best_of or moves[0][0] in best_of:
                return None
            return Found(tuple(best_of), best, depth - 1, self._nodes, solved=False)
        order = sorted(range(len(moves)), key=lambda at: -values[at])
        # The best of this depth is likely the best of the next, and a good first move cuts most.
        moves[:] = [moves[at] for at in order]
        return Found(tuple(best_of), best, depth, self._nodes, not self._estimated)

    def _value(self, position: PositionT, depth: int, alpha: int, beta: int) -> int:
        """The value of a position if it lies between `alpha` and `beta`, else a bound of it on that side."""
        self._nodes += 1
        if depth <= 0:
            self._estimated = True
            return self._game.value(position)
        if self._nodes > self._nodes_max:
            raise _OutOfNodes
        known = self._table.get(position)
        if known is not None and known[0] >= depth:
            known_depth, low, high, _ = known
            # A kept bound may rest on an estimate: then this value does, too.
            self._estimated = self._estimated or known_depth < _DEPTH_MAX
            if low >= beta or low == high:
                return low
            if high <= alpha:
                return high
        moves = self._game.successors(position)
        if not moves:
            return self._game.value(position)
        estimated, self._estimated = self._estimated, False
        if len(moves) == 1:
            depth += 1  # a forced move decides nothing and is not to use up the depth
        elif known is not None:
            first = known[3]
            moves = sorted(moves, key=lambda each: each[0] != first)
        elif depth >= _SORTED_DEPTH_MIN:
            # Each value that sorts is a position looked at, and the limit is one of work.
            self._nodes += len(moves)
            moves = sorted(moves, key=lambda each: self._game.value(each[1]))
        best, best_move = self._best(moves, depth - 1, alpha, beta)
        low = best if best > alpha else -_INFINITY
        high = best if best < beta else _INFINITY
        self._table[position] = (depth if self._estimated else _DEPTH_MAX, low, high, best_move)
        self._estimated = self._estimated or estimated
        return best

    def _best(self, moves: Sequence[tuple[MoveT, PositionT]], depth: int, alpha: int, beta: int) -> tuple[int, MoveT]:
        best, best_move = -_INFINITY, moves[0][0]
        for move, after in moves:
            floor = max(alpha, best)
            if best == -_INFINITY:
                value = -self._value(after, depth, -beta, -floor)
            else:
                value = -self._value(after, depth, -floor - 1, -floor)
                if floor < value < beta:
                    value = -self._value(after, depth, -beta, -floor)
            if value > best:
                best, best_move = value, move
                if value >= beta:
                    break
        return best, best_move
