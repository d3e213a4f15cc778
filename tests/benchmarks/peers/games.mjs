// The rules that a room needs. Each game is played by seats 0 and 1 in turns, and seat 0 begins.
// `play` makes a move and says whether it wins; `isLegal` and `isFull` are asked before and after it.

const ROWS_OF_THREE = [
  ...[[0, 1, 2], [3, 4, 5], [6, 7, 8]],
  ...[[0, 3, 6], [1, 4, 7], [2, 5, 8]],
  ...[[0, 4, 8], [2, 4, 6]],
];

export class TicTacToe {
  cells = new Int8Array(9).fill(-1);
  moves = 0;

  isLegal(cell) {
    return this.cells[cell] === -1;
  }

  play(seat, cell) {
    this.cells[cell] = seat;
    this.moves++;
    return ROWS_OF_THREE.some((row) => row.every((each) => this.cells[each] === seat));
  }

  isFull() {
    return this.moves === 9;
  }
}

// A cell of 3D Connect Four is 4 * column + height, and a column is 4 * y + x.
const cellAt = ([x, y, z]) => 4 * (4 * y + x) + z;
const DIRECTIONS = [
  ...[[0, 0, 1], [1, 0, 0], [0, 1, 0]],
  ...[[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1], [0, 1, -1]],
  ...[[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1]],
];
const LINES_THROUGH = Array.from({ length: 64 }, () => []);
for (const step of DIRECTIONS) {
  for (let start = 0; start < 64; start++) {
    const origin = [(start >> 2) & 3, start >> 4, start & 3];
    const line = [0, 1, 2, 3].map((along) => origin.map((at, axis) => at + along * step[axis]));
    if (line[3].every((at) => at >= 0 && at <= 3)) {
      for (const cell of line) LINES_THROUGH[cellAt(cell)].push(line.map(cellAt));
    }
  }
}

export class ConnectFour3D {
  cells = new Int8Array(64).fill(-1);
  heights = new Int8Array(16);
  moves = 0;

  isLegal(column) {
    return this.heights[column] < 4;
  }

  play(seat, column) {
    const stone = 4 * column + this.heights[column]++;
    this.cells[stone] = seat;
    this.moves++;
    return LINES_THROUGH[stone].some((line) => line.every((each) => this.cells[each] === seat));
  }

  isFull() {
    return this.moves === 64;
  }
}
