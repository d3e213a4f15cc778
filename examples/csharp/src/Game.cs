using System;
using System.Collections.Generic;
using System.Text.RegularExpressions;

/// <summary>One match as this bot sees it, from its MATCH line to its result.</summary>
public class Game
{
    private static readonly Regex Number = new Regex("^[0-9]{1,2}$");

    private readonly string me;
    private readonly bool iBegin;

    /// <summary>A match begins, or is shown again after we came back. Either way the board is empty.</summary>
    public Game(GameEvent match, string me)
    {
        this.me = me;
        iBegin = match["PLAYERTOMOVE"] == me;
        Opponent = match["OPPONENT"];
        string game = match["GAMETYPE"];
        Board = Board.Sizes.ContainsKey(game) ? new Board(game, iBegin) : null;
        string who = iBegin ? "I begin" : "they begin";
        Connection.Log("-", "match of " + game + " against " + Opponent + ", " + who);
    }

    public string Opponent { get; }

    /// <summary>The position; null if we cannot play this game.</summary>
    public Board Board { get; }

    /// <summary>Somebody moved; our own moves, too, reach our board only here. An illegal one then loses.</summary>
    public void OnMove(GameEvent move)
    {
        int player = move["PLAYER"] == me ? Board.Me : Board.Opponent;
        string text = move["MOVE"];
        if (Board != null && Number.IsMatch(text) && Board.LegalMoves(player).Contains(int.Parse(text)))
        {
            Board.Play(int.Parse(text), player);
        }
    }

    /// <summary>Asks the strategy for a move; -1 if there is none.</summary>
    public int ChooseMove(Strategy strategy)
    {
        List<int> moves = Board?.LegalMoves(Board.Me) ?? new List<int>();
        if (moves.Count == 0)
        {
            Connection.Log("-", "there is nothing that I could play");
            return -1;
        }
        int move = -1;
        try
        {
            move = strategy.Choose(Board.Copy(), new List<int>(moves));
        }
        catch (Exception bug) // a bug in the strategy should cost a good move, not the tournament
        {
            Console.Error.WriteLine(bug);
        }
        if (!moves.Contains(move))
        {
            Connection.Log("-", "the strategy found no legal move, playing " + moves[0] + " instead of " + move);
            move = moves[0];
        }
        return move;
    }

    /// <summary>Our score and theirs. The server names that of the player who began first.</summary>
    public string Score(GameEvent result)
    {
        string first = result["PLAYERONESCORE"], second = result["PLAYERTWOSCORE"];
        return iBegin ? first + ":" + second : second + ":" + first;
    }
}
