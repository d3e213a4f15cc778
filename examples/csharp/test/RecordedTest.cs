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
    private static readonly Regex News = new Regex("^< SVR GAME (MATCH|WIN|LOSS|DRAW) ");
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

    /// <summary>The lines of server and bot, each line beginning with its mark; without signs of life (here nobody is
    /// silent for long) and the logout at the end.</summary>
    private static List<string> Read(string recording)
    {
        List<string> spoken = new List<string>();
        string command = "";
        int answers = 0;
        foreach (string line in File.ReadAllLines(recording).Where(line => Spoken.IsMatch(line)))
        {
            string text = Spoken.Match(line).Groups[1].Value;
            if (text == "> get gamelist" && !command.StartsWith(Login, StringComparison.Ordinal))
            {
                answers = 2; // OK and the list
            }
            else if (answers > 0 && (text == "< OK" || text.StartsWith("< SVR GAMELIST ", StringComparison.Ordinal)))
            {
                answers--;
            }
            else
            {
                spoken.Add(text);
            }
            command = text.StartsWith(">", StringComparison.Ordinal) ? text : command;
        }
        if (spoken.Last() == "> logout")
        {
            spoken.RemoveAt(spoken.Count - 1);
        }
        return spoken;
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
        catch (GiveUp)
        {
            // the server is gone, because the conversation is over
        }
        serving.Join();
        if (server.Problem != "" || strategy.Problem != "")
        {
            return server.Problem + strategy.Problem;
        }
        int results = spoken.Count(line => Result.IsMatch(line));
        if (client.Played != results)
        {
            return "the bot counts " + client.Played + " matches, not " + results;
        }
        Board board = client.Game?.Board;
        string last = spoken.Last(line => News.IsMatch(line));
        if (board != null && board.Game == "Reversi" && last.Contains("COMMENT: \"\"")) // played to its end
        {
            string discs = "\"" + board.Cells.Count(owner => owner == Board.Me) + "\"";
            return last.Contains(discs) ? "" : "the bot's board has " + discs + " discs of its own: " + last;
        }
        return "";
    }

    /// <summary>The options with which that bot was started; they show in what it said.</summary>
    private static Options OptionsOf(List<string> spoken, int port)
    {
        string name = spoken.First(line => line.StartsWith(Login, StringComparison.Ordinal)).Substring(Login.Length);
        Options options = new Options("127.0.0.1", port, name) { RetryFor = 0 };
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
