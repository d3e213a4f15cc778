"""House players of 3D Connect Four. All of them make a line if they can, else stop one.

Then `novice` plays anywhere, `greedy` and `club` where most lines are to be made, and `master` searches.

An attack is a win by a chain of threats, each of which leaves the other side one answer. A threat is a cell that would
complete a line of a side's. It can be carried out while the cell is playable, that is, the lowest free one of its
column. Most games end by such a chain, which is often too long for a search of all moves, but has hardly any branches.

A position of the search knows its threats and the score of its lines. Both change only by the 4 to 7 lines through the
last stone, so a move does not count all 76 again.

An open threat that is not playable yet decides a game late: somebody has to play the cell below it in the end. When all
other columns are full, the side that began gets the first and the third layer, because it is its turn whenever an even
number of cells is taken; the other side gets the second and the fourth. A threat in a layer of one's own is therefore
worth more.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from attrs import define

from games.connect_four_3d_lines import LINES, LINES_THROUGH, TOP_CELLS, landing, line_made
from games.search import SearchedGame, best_moves, chance_of
from gameserver.game import Choose, Seat

_ALL = (1 << 64) - 1
_BOTTOM = 0x1111111111111111
"""The lowest cell of each column."""

# By judgement: a chain of forced answers has hardly any branches, and this is asked at every node of the search.
_NODES_MAX = 30


def _playable_cells(taken: int) -> int:
    return (taken << 1 | _BOTTOM) & ~taken & _ALL


def _cell_above(stone: int) -> int:
    """The cell on top of another; 0 for the highest of a column."""
    return stone << 1 & ~_BOTTOM & _ALL


def attack(own: int, other: int, own_threats: int, other_threats: int) -> int:
    """Finds for a house player the stone that begins `own`'s winning attack at 3D Connect Four; 0 if none is found.

    The threats are those of each side, also where a cell is taken meanwhile.
    """
    return _Attack().first_stone(own, other, own_threats, other_threats)


@define
class _Attack:
    _nodes_left: int = _NODES_MAX

    def first_stone(self, own: int, other: int, own_threats: int, other_threats: int) -> int:
        """As `attack`, within the nodes that are left. There is no line to be completed at once."""
        playable = _playable_cells(own | other)
        forced = other_threats & playable
        for stone, more_threats in _threatening(own, other, own_threats, playable).items():
            # The other side would complete its line: only an attack that stops it as well will do.
            if forced and stone != forced:
                continue
            next_playable = playable ^ stone | _cell_above(stone)
            threats = own_threats | more_threats
            open_threats = threats & next_playable
            # A stone below the other's threat would hand it the line.
            if not open_threats or other_threats & next_playable:
                continue
            # Two open threats at once cannot both be stopped, so the lowest bit decides whether there is one.
            answer = open_threats & -open_threats
            if answer != open_threats or self._goes_on(own | stone, other, answer, threats, other_threats):
                return stone
        return 0

    def _goes_on(self, own: int, other: int, answer: int, own_threats: int, other_threats: int) -> bool:
        """True if the attack still wins after the one answer that there is."""
        if self._nodes_left <= 0:
            return False
        self._nodes_left -= 1
        for line in LINES_THROUGH[answer]:
            if not line & own and (line & other).bit_count() == 2:
                other_threats |= line & ~other
        other |= answer
        if own_threats & _playable_cells(own | other):
            return True
        return bool(self.first_stone(own, other, own_threats, other_threats))


def _threatening(own: int, other: int, own_threats: int, playable: int) -> dict[int, int]:
    """The playable cells where a stone could threaten something, each with the threats that it adds."""
    found: dict[int, int] = {}
    for line in LINES:
        if not line & other and (line & own).bit_count() == 2:
            rest = line & ~own
            first = rest & -rest
            second = rest ^ first
            if first & playable:
                found[first] = found.get(first, 0) | second
            if second & playable:
                found[second] = found.get(second, 0) | first
    below_threats = (own_threats & ~_BOTTOM) >> 1 & playable
    while below_threats:
        stone = below_threats & -below_threats
        below_threats ^= stone
        # A stone right below an own threat makes it playable, and adds none.
        found.setdefault(stone, 0)
    return found


Position = tuple[int, int, int, int, int]
"""The stones of the side to move and of the other, the threats of either, and the score of the lines to the former.

A threat stays in its mask when its cell is taken.
"""

WIN = 100_000
"""The value of a win, less a point for each stone: a sooner one is better."""

_LINE_SCORES = (0, 1, 5, 20, 0)
"""The score of a line with so many stones of one side and none of the other."""

_THREAT = 10
_THREAT_IN_OWN_LAYER = 40

_OWN_LAYERS = (_BOTTOM | _BOTTOM << 2, _BOTTOM << 1 | _BOTTOM << 3)
"""The cells of the layers that seat 0 gets in the end, and seat 1."""

_GAINS = {
    (mine, theirs): _LINE_SCORES[mine + 1] - _LINE_SCORES[mine]
    if not theirs
    else _LINE_SCORES[theirs]
    if not mine
    else 0
    for mine in range(4)
    for theirs in range(4 - mine)
}
"""The gain by a stone in a line, by the stones of either side in it before."""


def position_of(own: int, other: int) -> Position:
    """Makes the searched 3D Connect Four position of these stones, with `own` to move."""
    threats, score = [0, 0], 0
    for line in LINES:
        mine, theirs = (line & own).bit_count(), (line & other).bit_count()
        if not theirs:
            score += _LINE_SCORES[mine]
            threats[0] |= line & ~own if mine == 3 else 0
        elif not mine:
            score -= _LINE_SCORES[theirs]
            threats[1] |= line & ~other if theirs == 3 else 0
    return own, other, threats[0], threats[1], score


class LineGame(SearchedGame[Position, int]):
    """3D Connect Four as a search sees it for which lines are all that counts. A move is a column's number."""

    def successors(self, position: Position) -> Sequence[tuple[int, Position]]:
        """Lists 3D Connect Four moves that are not senseless, the best lines first; none where a move wins at once."""
        own, other, own_threats, other_threats, score = position
        playable = _playable_cells(own | other)
        # A line to be completed decides: no other move is worth a look.
        if own_threats & playable:
            return ()
        found = []
        stones = self._stones(position, playable)
        while stones:
            stone = stones & -stones
            stones ^= stone
            threats, score_after = own_threats, score
            for line in LINES_THROUGH[stone]:
                mine, theirs = (line & own).bit_count(), (line & other).bit_count()
                score_after += _GAINS[mine, theirs]
                if mine == 2 and not theirs:
                    threats |= line & ~own
            column = stone.bit_length() - 1 >> 2
            found.append((column, (other, own | stone, other_threats, threats, -score_after)))
        # Good moves first let alpha-beta cut most of the rest.
        found.sort(key=_score_to_other)
        return found

    def _stones(self, position: Position, playable: int) -> int:
        """The cells to try: the one that stops a line, else those on top of which the other side cannot win."""
        other_threats = position[3]
        forced = other_threats & playable
        if forced:
            return forced & -forced
        return playable & ~((other_threats & ~_BOTTOM) >> 1) or playable & -playable

    def value(self, position: Position) -> int:
        """Scores the lines of a 3D Connect Four position, unless the game is decided."""
        own, other, own_threats, other_threats, score = position
        taken = own | other
        playable = _playable_cells(taken)
        if own_threats & playable:
            # The fewer stones, the sooner the win.
            return WIN - taken.bit_count()
        if not playable:
            return 0
        to_stop = other_threats & playable
        # Two lines to stop and one stone to do it with.
        if to_stop & to_stop - 1:
            return taken.bit_count() + 1 - WIN
        return score + self._threats_value(own_threats & ~taken, other_threats & ~taken, taken.bit_count() % 2)

    def _threats_value(self, mine: int, theirs: int, seat: int) -> int:
        return 0


class ThreatGame(LineGame):
    """3D Connect Four as a search sees it for which threats count, and which finds attacks."""

    def _stones(self, position: Position, playable: int) -> int:
        return attack(*position[:4]) or super()._stones(position, playable)

    def _threats_value(self, mine: int, theirs: int, seat: int) -> int:
        """The worth of threats that are not playable yet, by their layers."""
        if not mine and not theirs:
            return 0
        own_layers, others_layers = _OWN_LAYERS[seat], _OWN_LAYERS[1 - seat]
        return (
            _THREAT * (mine.bit_count() - theirs.bit_count())
            + (_THREAT_IN_OWN_LAYER - _THREAT) * (mine & own_layers).bit_count()
            - (_THREAT_IN_OWN_LAYER - _THREAT) * (theirs & others_layers).bit_count()
        )


def _score_to_other(successor: tuple[int, Position]) -> int:
    return successor[1][4]


# By judgement: its own move alone. `LineGame` rules out one on top of which the other side wins.
_CLUB_DEPTH = 1
_CLUB_NODES_MAX = 100
# With half as many master won 87 of 100 games against club, and a level is to win 85.
MASTER_NODES_MAX = 16_000
"""Five or six plies, and a fifth of a second."""

_WIN_UNIT = 80
"""The value with which the side to move wins 73 of 100 games: fitted to 50 games of a quick `master` against itself."""

LINE_GAME, THREAT_GAME = LineGame(), ThreatGame()


class _Board(Protocol):
    """The part of a 3D Connect Four position that the house players look at."""

    @property
    def stones(self) -> tuple[int, int]:
        """The stones of each seat of 3D Connect Four."""

    @property
    def taken(self) -> int:
        """The stones of both seats of 3D Connect Four."""

    def legal_moves(self, seat: Seat) -> Sequence[int]:
        """The columns of 3D Connect Four that are not full."""


def novice(position: _Board, seat: Seat, choose: Choose[int]) -> int:
    """A beginner at 3D Connect Four, who plays anywhere unless there is a line to make or to stop."""
    return choose(_decisive(position, seat) or position.legal_moves(seat))


def club(position: _Board, seat: Seat, choose: Choose[int]) -> int:
    """A player of 3D Connect Four who builds lines, hinders the other's, and lets nobody win on top of a stone."""
    decisive = _decisive(position, seat)
    if decisive:
        return choose(decisive)
    searched = position_of(*_own_and_other(position, seat))
    return choose(best_moves(LINE_GAME, searched, nodes_max=_CLUB_NODES_MAX, depth_max=_CLUB_DEPTH).moves)


def master(position: _Board, seat: Seat, choose: Choose[int]) -> int:
    """A player of 3D Connect Four who looks some five plies ahead, further at threats, and counts on them late."""
    decisive = _decisive(position, seat)
    if decisive:
        return choose(decisive)
    searched = position_of(*_own_and_other(position, seat))
    return choose(best_moves(THREAT_GAME, searched, nodes_max=MASTER_NODES_MAX).moves)


def win_chance(position: _Board) -> float:
    """The opinion of `master` on a 3D Connect Four position: the chance that the seat which began wins."""
    seat = position.taken.bit_count() % 2
    searched = position_of(*_own_and_other(position, seat))
    if THREAT_GAME.successors(searched):
        value = best_moves(THREAT_GAME, searched, nodes_max=MASTER_NODES_MAX).value
    else:  # a line can be completed
        value = THREAT_GAME.value(searched)
    chance = chance_of(value, _WIN_UNIT)
    return 1 - chance if seat else chance


def greedy(position: _Board, seat: Seat, choose: Choose[int]) -> int:
    """A house player of 3D Connect Four that wins if it can, else stops a line, else fights for good cells."""
    decisive = _decisive(position, seat)
    if decisive:
        return choose(decisive)
    own, other = _own_and_other(position, seat)
    worths = {move: _promise(cell, own, other) for move, cell in _cells(position, seat).items()}
    best = max(worths.values())
    return choose([move for move, worth in worths.items() if worth == best])


def _promise(stone: int, own: int, other: int) -> int:
    """The value of a cell: the lines through it that a seat can still fill, each stone in them counting tenfold.

    Nothing is worse than a stone that the other can win on top of.
    """
    if not stone & TOP_CELLS and line_made(other, stone << 1):
        return -1
    open_lines = (line for line in LINES_THROUGH[stone] if not (line & own and line & other))
    return sum(10 ** (line & (own | other)).bit_count() for line in open_lines)


def _own_and_other(position: _Board, seat: Seat) -> tuple[int, int]:
    return position.stones[seat], position.stones[1 - seat]


def _cells(position: _Board, seat: Seat) -> Mapping[int, int]:
    return {move: landing(position.taken, move) for move in position.legal_moves(seat)}


def _decisive(position: _Board, seat: Seat) -> list[int]:
    """The moves that make a line; if there are none, those that stop one."""
    cells = _cells(position, seat)
    for stones in _own_and_other(position, seat):
        decisive = [move for move, cell in cells.items() if line_made(stones, cell)]
        if decisive:
            return decisive
    return []
