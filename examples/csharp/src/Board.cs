using System.Collections.Generic;

/// <summary>
/// A position, seen by this bot, and the rules of the three games as far as a bot needs them: which moves are legal,
/// and what they change.
///
/// Cells are numbered from 0 at the top left, row by row: in Reversi cell = 8 * row + column. A move is the number of a
/// cell. In 3D Connect Four a move is a column, 4 * y + x; the cells of a column are 4 * column (the lowest) to
/// 4 * column + 3.
/// </summary>
public class Board
{
    public const int Empty = 0, Me = 1, Opponent = 2;

    /// <summary>How many cells the board of each game has.</summary>
    public static readonly Dictionary<string, int> Sizes = new Dictionary<string, int>
    {
        { "Tic-tac-toe", 9 }, { "Reversi", 64 }, { "Connect-four-3D", 64 },
    };

    public readonly string Game;
    public readonly int[] Cells;

    public Board(string game, bool iBegin)
    {
        Game = game;
        Cells = new int[Sizes[game]];
        if (game == "Reversi") // the player who moves first is black
        {
            Cells[28] = Cells[35] = iBegin ? Me : Opponent;
            Cells[27] = Cells[36] = iBegin ? Opponent : Me;
        }
    }

    /// <summary>The same position once more, to try moves on.</summary>
    public Board Copy()
    {
        Board other = new Board(Game, true);
        Cells.CopyTo(other.Cells, 0);
        return other;
    }

    /// <summary>All moves that the player may make; none if it must pass, or the board is full.</summary>
    public List<int> LegalMoves(int player)
    {
        List<int> legal = new List<int>();
        int moves = Game == "Connect-four-3D" ? 16 : Cells.Length;
        for (int move = 0; move < moves; move++)
        {
            if (Gains(move, player).Count > 0)
            {
                legal.Add(move);
            }
        }
        return legal;
    }

    /// <summary>Makes a legal move. The server decides who has won; the board need not know.</summary>
    public void Play(int move, int player)
    {
        foreach (int cell in Gains(move, player))
        {
            Cells[cell] = player;
        }
    }

    /// <summary>The cells that become the player's by this move; none at all if it is not legal.</summary>
    private List<int> Gains(int move, int player)
    {
        List<int> gained = new List<int>();
        if (Game == "Connect-four-3D") // the stone falls onto the lowest free cell
        {
            int lowest = 4 * move;
            while (lowest < 4 * move + 4 && Cells[lowest] != Empty)
            {
                lowest++;
            }
            if (lowest < 4 * move + 4)
            {
                gained.Add(lowest);
            }
            return gained;
        }
        if (Cells[move] != Empty)
        {
            return gained;
        }
        if (Game == "Tic-tac-toe")
        {
            gained.Add(move);
            return gained;
        }
        for (int down = -1; down <= 1; down++)
        {
            for (int right = -1; right <= 1; right++)
            {
                if (down != 0 || right != 0)
                {
                    gained.AddRange(Enclosed(move, player, down, right));
                }
            }
        }
        if (gained.Count > 0) // a move in Reversi must turn at least one disc over
        {
            gained.Add(move);
        }
        return gained;
    }

    /// <summary>The other player's discs from here in one direction, if the player's own disc is behind them.</summary>
    private List<int> Enclosed(int move, int player, int down, int right)
    {
        List<int> found = new List<int>();
        int row = move / 8 + down, column = move % 8 + right;
        while (0 <= row && row < 8 && 0 <= column && column < 8 && Cells[8 * row + column] != Empty)
        {
            if (Cells[8 * row + column] == player)
            {
                return found;
            }
            found.Add(8 * row + column);
            row += down;
            column += right;
        }
        return new List<int>();
    }
}
