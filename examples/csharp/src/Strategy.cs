using System;
using System.Collections.Generic;

/// <summary>Your strategy: the one file that you have to change.</summary>
public class Strategy
{
    private static readonly int[] Corners = { 0, 7, 56, 63 };
    private readonly Random random = new Random();

    /// <summary>
    /// Returns the move to make: one of <c>moves</c>, which are all the legal ones.
    ///
    ///     board.Game       "Reversi", "Tic-tac-toe" or "Connect-four-3D"
    ///     board.Cells[n]   Board.Empty, Board.Me or Board.Opponent; Board.cs says how the cells are numbered
    ///
    /// To look ahead, try a move on a copy:
    ///
    ///     Board after = board.Copy();
    ///     after.Play(move, Board.Me);
    ///     List&lt;int&gt; replies = after.LegalMoves(Board.Opponent);
    ///
    /// You have ten seconds for each move unless your teacher says otherwise. A move that comes later loses the match.
    /// </summary>
    public virtual int Choose(Board board, List<int> moves)
    {
        if (board.Game == "Reversi")
        {
            foreach (int move in moves)
            {
                if (Array.IndexOf(Corners, move) >= 0) // nobody can turn a disc in a corner over again
                {
                    return move;
                }
            }
        }
        return moves[random.Next(moves.Count)];
    }
}
