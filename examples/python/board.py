"""The rules of the three games, as far as a bot needs them: which moves are legal, and what they change.

Cells are numbered from 0 at the top left, row by row: in Reversi cell = 8 * row + column. A move is the number of a
cell. In 3D Connect Four a move is a column, 4 * y + x; the cells of a column are 4 * column (the lowest) to
4 * column + 3.
"""

EMPTY, ME, OPPONENT = 0, 1, 2
SIZES = {"Tic-tac-toe": 9, "Reversi": 64, "Connect-four-3D": 64}  # how many cells the board of each game has
DIRECTIONS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))  # rows down, columns right


class Board:
    """A position, seen by this bot: every cell is EMPTY, or belongs to ME or the OPPONENT."""

    def __init__(self, game: str, *, i_begin: bool) -> None:
        self.game = game
        self.cells = [EMPTY] * SIZES[game]
        if game == "Reversi":  # the player who moves first is black
            black, white = (ME, OPPONENT) if i_begin else (OPPONENT, ME)
            self.cells[28] = self.cells[35] = black
            self.cells[27] = self.cells[36] = white

    def copy(self) -> "Board":
        """The same position once more, to try moves on."""
        other = Board(self.game, i_begin=True)
        other.cells = self.cells.copy()
        return other

    def legal_moves(self, player: int) -> list[int]:
        """All moves that the player may make; none if it must pass, or the board is full."""
        moves = 16 if self.game == "Connect-four-3D" else len(self.cells)
        return [move for move in range(moves) if self.gains(move, player)]

    def play(self, move: int, player: int) -> None:
        """Make a legal move. The server decides who has won; the board need not know."""
        for cell in self.gains(move, player):
            self.cells[cell] = player

    def gains(self, move: int, player: int) -> list[int]:
        """The cells that become the player's by this move; none at all if it is not legal."""
        if self.game == "Connect-four-3D":  # the stone falls onto the lowest free cell
            column = range(4 * move, 4 * move + 4)
            return [cell for cell in column if self.cells[cell] == EMPTY][:1]
        if self.cells[move] != EMPTY:
            return []
        if self.game == "Tic-tac-toe":
            return [move]
        turned: list[int] = []
        for down, right in DIRECTIONS:
            turned += self.enclosed(move, player, down, right)
        return [move, *turned] if turned else []  # a move in Reversi must turn at least one disc over

    def enclosed(self, move: int, player: int, down: int, right: int) -> list[int]:
        """The other player's discs from here in one direction, if a disc of the player's own is behind them."""
        found: list[int] = []
        row, column = move // 8 + down, move % 8 + right
        while 0 <= row < 8 and 0 <= column < 8 and self.cells[8 * row + column] != EMPTY:
            if self.cells[8 * row + column] == player:
                return found
            found.append(8 * row + column)
            row, column = row + down, column + right
        return []
