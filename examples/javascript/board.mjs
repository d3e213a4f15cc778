// The rules of the three games, as far as a bot needs them: which moves are legal, and what they change.
//
// Cells are numbered from 0 at the top left, row by row: in Reversi cell = 8 * row + column. A move is the number of a
// cell. In 3D Connect Four a move is a column, 4 * y + x; the cells of a column are 4 * column (the lowest) to
// 4 * column + 3.

export const EMPTY = 0;
export const ME = 1;
export const OPPONENT = 2;
/** How many cells the board of each game has. */
export const SIZES = { "Tic-tac-toe": 9, Reversi: 64, "Connect-four-3D": 64 };
/** Rows down and columns right. */
const DIRECTIONS = [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];

/** A position, seen by this bot: every cell is EMPTY, or belongs to ME or the OPPONENT. */
export class Board {
  constructor(game, iBegin) {
    this.game = game;
    this.cells = new Array(SIZES[game]).fill(EMPTY);
    if (game === "Reversi") {
      const [black, white] = iBegin ? [ME, OPPONENT] : [OPPONENT, ME]; // the player who moves first is black
      this.cells[28] = this.cells[35] = black;
      this.cells[27] = this.cells[36] = white;
    }
  }

  /** The same position once more, to try moves on. */
  copy() {
    const other = new Board(this.game, true);
    other.cells = [...this.cells];
    return other;
  }

  /** All moves that the player may make; none if it must pass, or the board is full. */
  legalMoves(player) {
    const moves = this.game === "Connect-four-3D" ? 16 : this.cells.length;
    return [...Array(moves).keys()].filter((move) => this.gains(move, player).length > 0);
  }

  /** Makes a legal move. The server decides who has won; the board need not know. */
  play(move, player) {
    for (const cell of this.gains(move, player)) this.cells[cell] = player;
  }

  /** The cells that become the player's by this move; none at all if it is not legal. */
  gains(move, player) {
    if (this.game === "Connect-four-3D") { // the stone falls onto the lowest free cell
      const column = [4 * move, 4 * move + 1, 4 * move + 2, 4 * move + 3];
      return column.filter((cell) => this.cells[cell] === EMPTY).slice(0, 1);
    }
    if (this.cells[move] !== EMPTY) return [];
    if (this.game === "Tic-tac-toe") return [move];
    const turned = DIRECTIONS.flatMap(([down, right]) => this.enclosed(move, player, down, right));
    return turned.length > 0 ? [move, ...turned] : []; // a move in Reversi must turn at least one disc over
  }

  /** The other player's discs from here in one direction, if a disc of the player's own is behind them. */
  enclosed(move, player, down, right) {
    const found = [];
    let row = Math.floor(move / 8) + down;
    let column = (move % 8) + right;
    while (row >= 0 && row < 8 && column >= 0 && column < 8 && this.cells[8 * row + column] !== EMPTY) {
      if (this.cells[8 * row + column] === player) return found;
      found.push(8 * row + column);
      row += down;
      column += right;
    }
    return [];
  }
}
