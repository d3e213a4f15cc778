// Your strategy: the one file that you have to change.

const CORNERS = [0, 7, 56, 63];

/**
 * The move to make: one of `moves`, which are all the legal ones.
 *
 *     board.game       "Reversi", "Tic-tac-toe" or "Connect-four-3D"
 *     board.cells[n]   EMPTY, ME or OPPONENT (import them from "./board.mjs", which says how the cells are numbered)
 *
 * To look ahead, try a move on a copy:
 *
 *     const after = board.copy();
 *     after.play(move, ME);
 *     const replies = after.legalMoves(OPPONENT);
 *
 * You have ten seconds for each move unless your teacher says otherwise. A move that comes later loses the match.
 */
export function choose(board, moves) {
  if (board.game === "Reversi") {
    const corner = moves.find((move) => CORNERS.includes(move));
    if (corner !== undefined) return corner; // nobody can turn a disc in a corner over again
  }
  return moves[Math.floor(Math.random() * moves.length)];
}
