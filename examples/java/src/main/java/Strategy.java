import java.util.List;
import java.util.Random;

/** Your strategy: the one file that you have to change. */
public class Strategy {
    private static final List<Integer> CORNERS = List.of(0, 7, 56, 63);
    private final Random random = new Random();

    /**
     * Returns the move to make: one of {@code moves}, which are all the legal ones.
     *
     * <pre>
     * board.game       "Reversi", "Tic-tac-toe" or "Connect-four-3D"
     * board.cells[n]   Board.EMPTY, Board.ME or Board.OPPONENT; Board.java says how the cells are numbered
     * </pre>
     *
     * To look ahead, try a move on a copy:
     *
     * <pre>
     * Board after = board.copy();
     * after.play(move, Board.ME);
     * List&lt;Integer&gt; replies = after.legalMoves(Board.OPPONENT);
     * </pre>
     *
     * You have ten seconds for each move unless your teacher says otherwise. A move that comes later loses the match.
     */
    public int choose(Board board, List<Integer> moves) {
        if (board.game.equals("Reversi")) {
            for (int move : moves) {
                if (CORNERS.contains(move)) { // nobody can turn a disc in a corner over again
                    return move;
                }
            }
        }
        return moves.get(random.nextInt(moves.size()));
    }
}
