import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A position, seen by this bot, and the rules of the three games as far as a bot needs them: which moves are legal,
 * and what they change.
 *
 * Cells are numbered from 0 at the top left, row by row: in Reversi cell = 8 * row + column. A move is the number of a
 * cell. In 3D Connect Four a move is a column, 4 * y + x; the cells of a column are 4 * column (the lowest) to
 * 4 * column + 3.
 */
public class Board {
    public static final int EMPTY = 0, ME = 1, OPPONENT = 2;
    /** How many cells the board of each game has. */
    public static final Map<String, Integer> SIZES = Map.of("Tic-tac-toe", 9, "Reversi", 64, "Connect-four-3D", 64);
    /** Rows down and columns right. */
    private static final int[][] DIRECTIONS =
            {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};

    public final String game;
    public final int[] cells;

    public Board(String game, boolean iBegin) {
        this.game = game;
        cells = new int[SIZES.get(game)];
        if (game.equals("Reversi")) { // the player who moves first is black
            cells[28] = cells[35] = iBegin ? ME : OPPONENT;
            cells[27] = cells[36] = iBegin ? OPPONENT : ME;
        }
    }

    /** The same position once more, to try moves on. */
    public Board copy() {
        Board other = new Board(game, true);
        System.arraycopy(cells, 0, other.cells, 0, cells.length);
        return other;
    }

    /** All moves that the player may make; none if it must pass, or the board is full. */
    public List<Integer> legalMoves(int player) {
        List<Integer> legal = new ArrayList<>();
        int moves = game.equals("Connect-four-3D") ? 16 : cells.length;
        for (int move = 0; move < moves; move++) {
            if (!gains(move, player).isEmpty()) {
                legal.add(move);
            }
        }
        return legal;
    }

    /** Makes a legal move. The server decides who has won; the board need not know. */
    public void play(int move, int player) {
        for (int cell : gains(move, player)) {
            cells[cell] = player;
        }
    }

    /** The cells that become the player's by this move; none at all if it is not legal. */
    private List<Integer> gains(int move, int player) {
        if (game.equals("Connect-four-3D")) { // the stone falls onto the lowest free cell
            for (int cell = 4 * move; cell < 4 * move + 4; cell++) {
                if (cells[cell] == EMPTY) {
                    return List.of(cell);
                }
            }
            return List.of();
        }
        if (cells[move] != EMPTY) {
            return List.of();
        }
        if (game.equals("Tic-tac-toe")) {
            return List.of(move);
        }
        List<Integer> gained = new ArrayList<>();
        for (int[] direction : DIRECTIONS) {
            gained.addAll(enclosed(move, player, direction[0], direction[1]));
        }
        if (!gained.isEmpty()) { // a move in Reversi must turn at least one disc over
            gained.add(move);
        }
        return gained;
    }

    /** The other player's discs from here in one direction, if a disc of the player's own is behind them. */
    private List<Integer> enclosed(int move, int player, int down, int right) {
        List<Integer> found = new ArrayList<>();
        int row = move / 8 + down, column = move % 8 + right;
        while (0 <= row && row < 8 && 0 <= column && column < 8 && cells[8 * row + column] != EMPTY) {
            if (cells[8 * row + column] == player) {
                return found;
            }
            found.add(8 * row + column);
            row += down;
            column += right;
        }
        return List.of();
    }
}
