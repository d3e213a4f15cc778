using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;

/// <summary>
/// Plays recorded conversations again, to the bot.
///
/// A recording is the log of a bot. A server of our own sends its "&lt;" lines, and expects its "&gt;" lines from the
/// bot. Put the log of a match that went wrong into recorded/, and it is played again here, as often as it takes to
/// find the mistake.
/// </summary>
public static class RecordedTest
{
    // 12:00:01.123 > move 19
    private static readonly Regex Spoken = new Regex(@"^\S+ ([<>].*)$");
    private static readonly Regex Result = new Regex("^< SVR GAME (WIN|LOSS|DRAW) ");
    private static readonly Regex Subscribed = new Regex("^> subscribe (.*)$");
    private static readonly Regex Challenged = new Regex("^> challenge \"(.*)\" \"(.*)\"$");
    private const string Login = "> login ";

    public static int Main()
    {
        foreach (string recording in Directory.GetFiles("recorded", "*.txt").OrderBy(name => name))
        {
            foreach (bool cut in new[] { false, true })
            {
                string name = Path.GetFileName(recording) + (cut ? ", byte by byte" : "");
                Console.WriteLine("==== " + name);
                string problem = Play(Read(recording), cut);
                if (problem != "")
                {
                    Console.Error.WriteLine(name + ": " + problem);
                    return 1;
                }
            }
        }
        Console.WriteLine("the bot passed");
        return 0;
    }

    /// <summary>What server and bot said, each line beginning with its mark.</summary>
    private static List<string> Read(string recording)
    {
        IEnumerable<Match> found = File.ReadAllLines(recording).Select(line => Spoken.Match(line));
        return found.Where(match => match.Success).Select(match => match.Groups[1].Value).ToList();
    }

    /// <summary>Plays one recording again; what went wrong, or an empty text.</summary>
    private static string Play(List<string> spoken, bool cut)
    {
        RecordedServer server = new RecordedServer(spoken, cut);
        Thread serving = new Thread(server.Run) { IsBackground = true };
        SameMoves strategy = new SameMoves(spoken);
        Options options = OptionsOf(spoken, server.Port);
        Client client = new Client(options, strategy);
        serving.Start();
        try
        {
            client.Run();
        }
        catch (GiveUp problem)
        {
            return server.Problem + "; the bot gave up: " + problem.Message;
        }
        serving.Join();
        if (server.Problem != "" || strategy.Problem != "")
        {
            return server.Problem + strategy.Problem;
        }
        if (client.Played != options.Matches)
        {
            return "the bot counts " + client.Played + " matches, not " + options.Matches;
        }
        string discs = "\"" + client.Game.Board.Cells.Count(owner => owner == Board.Me) + "\"";
        string last = spoken.Last(line => Result.IsMatch(line));
        if (options.Game == "Reversi" && !last.Contains(discs)) // a pass, or a disc that was not turned over?
        {
            return "the bot's board has " + discs + " discs of its own: " + last;
        }
        return "";
    }

    /// <summary>The options with which that bot was started; they show in what it said.</summary>
    private static Options OptionsOf(List<string> spoken, int port)
    {
        string name = spoken.First(line => line.StartsWith(Login, StringComparison.Ordinal)).Substring(Login.Length);
        Options options = new Options("127.0.0.1", port, name)
        {
            Matches = spoken.Count(line => Result.IsMatch(line)),
            RetryFor = 0,
        };
        foreach (string line in spoken)
        {
            Match subscribed = Subscribed.Match(line), challenged = Challenged.Match(line);
            if (subscribed.Success)
            {
                options.Game = subscribed.Groups[1].Value;
            }
            else if (challenged.Success)
            {
                options.Challenge = challenged.Groups[1].Value;
                options.Game = challenged.Groups[2].Value;
            }
        }
        return options;
    }

    /// <summary>Chooses the moves of the recording, and looks whether your strategy would find a legal one.</summary>
    private class SameMoves : Strategy
    {
        private readonly Queue<int> moves;

        public SameMoves(List<string> spoken)
        {
            IEnumerable<string> said = spoken.Where(line => line.StartsWith("> move ", StringComparison.Ordinal));
            moves = new Queue<int>(said.Select(line => int.Parse(line.Substring("> move ".Length))));
        }

        public string Problem { get; private set; } = "";

        public override int Choose(Board board, List<int> legal)
        {
            int yours = base.Choose(board.Copy(), legal);
            int recorded = moves.Dequeue();
            if (!legal.Contains(yours))
            {
                Problem = "your strategy chose " + yours + ", which is none of " + string.Join(", ", legal);
            }
            else if (!legal.Contains(recorded))
            {
                Problem = "the recorded move " + recorded + " is none of " + string.Join(", ", legal);
            }
            return recorded;
        }
    }
}
