using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading;

/// <summary>
/// The protocol: what the server's lines mean, and what the bot answers. Nothing in here is about winning.
///
/// Three habits keep it out of trouble:
/// 1. The fields of a line are looked up by their key, never by their position. Unknown keys and lines are ignored.
/// 2. OK and ERR answer commands, in the order in which they were sent. Every other line is news, which may come in
///    between: the bot moves because of YOURTURN and changes its board because of MOVE, never because of an OK.
/// 3. A lost connection is not the end: log in again, and the server shows a match that is still going on from the
///    start.
/// </summary>
public class Client
{
    private static readonly Regex Asking = new Regex("^(login|subscribe|challenge) ");
    // Over soon: the server has not noticed yet that our old connection is dead, or it is being restarted.
    private static readonly Regex Passing = new Regex("^ERR ([Dd]uplicate name|The server is stopping)");
    // No new match begins; the server lets those that are going on end, and closes the connection.
    private static readonly Regex Stopping = new Regex("^ERR The server is about to stop");
    // Between two tries to come back: each pause is twice the one before.
    private const int FirstPauseMs = 250, LongestPauseMs = 2000;
    private const int RetryPauseMs = 1000; // before the same challenge again

    private readonly Options options;
    private readonly Strategy strategy;
    private readonly Queue<string> unanswered = new Queue<string>(); // commands whose OK or ERR has not come yet
    private readonly List<GameEvent> challenges = new List<GameEvent>(); // challenges to us that are open
    private volatile Connection connection;
    private bool playing;
    private bool isIn; // are we logged in?
    private bool wasIn; // have we ever been? Then a lost connection is worth another try
    private bool hasAsked; // have we asked for a match since we logged in?
    private volatile bool stopped; // another thread has called Stop

    public Client(Options options, Strategy strategy)
    {
        this.options = options;
        this.strategy = strategy;
    }

    /// <summary>The match that is being played, or the last one.</summary>
    public Game Game { get; private set; }

    /// <summary>How many matches are over.</summary>
    public int Played { get; private set; }

    // ---- the connection

    /// <summary>Plays all matches, over as many connections as it takes.</summary>
    public void Run()
    {
        int pauseMs = FirstPauseMs;
        Stopwatch lost = new Stopwatch();
        while (!IsDone())
        {
            try
            {
                OneConnection();
            }
            catch (IOException problem) // refused, reset, timed out, closed
            {
                if (stopped)
                {
                    return;
                }
                if (isIn)
                {
                    isIn = false;
                    pauseMs = FirstPauseMs;
                    lost.Restart();
                }
                else if (!wasIn || lost.Elapsed.TotalSeconds > options.RetryFor)
                {
                    string where = options.Host + ", port " + options.Port;
                    throw new GiveUp("no server at " + where + ": " + problem.Message);
                }
                Connection.Log("-", "no connection (" + problem.Message + "), trying again in " + pauseMs + " ms");
                Thread.Sleep(pauseMs);
                pauseMs = Math.Min(2 * pauseMs, LongestPauseMs);
            }
        }
    }

    private bool IsDone() => stopped || (options.Matches > 0 && Played >= options.Matches);

    /// <summary>From login to logout. What was known of a match is forgotten: the server shows it again.</summary>
    private void OneConnection()
    {
        unanswered.Clear();
        challenges.Clear();
        playing = hasAsked = false;
        try
        {
            connection = new Connection(options.Host, options.Port, options.Silence);
            Send("login " + options.Name, options.Secret);
            while (!IsDone())
            {
                OnLine(NextLine());
            }
            Send("logout");
        }
        finally
        {
            connection?.Dispose();
            connection = null;
        }
    }

    /// <summary>The next line. If none comes for long, the server is asked for a sign of life.</summary>
    private string NextLine()
    {
        try
        {
            return connection.ReadLine();
        }
        catch (TimeoutException)
        {
            Send("get gamelist"); // a server that is there answers; one that is not cannot tell us
        }
        try
        {
            return connection.ReadLine();
        }
        catch (TimeoutException)
        {
            throw new IOException("no sign of life for " + 2 * options.Silence + " s");
        }
    }

    /// <summary>Sends one command; its answer comes later.</summary>
    private void Send(string command, string secret = "")
    {
        unanswered.Enqueue(command);
        connection.Send(command, secret);
    }

    /// <summary>Leaves at once, so that the opponent need not wait for us. Another thread may call this.</summary>
    public void Stop()
    {
        stopped = true;
        Connection open = connection; // the other thread may set it to null meanwhile
        try
        {
            open?.Send("logout", "");
            open?.Dispose(); // wakes the thread that reads
        }
        catch (IOException)
        {
            // there is no connection any more
        }
    }

    // ---- what the server says

    /// <summary>Sorts one line: the answer to the oldest open command, or news.</summary>
    private void OnLine(string line)
    {
        if (line == "OK" || line.StartsWith("ERR", StringComparison.Ordinal))
        {
            OnAnswer(unanswered.Count > 0 ? unanswered.Dequeue() : "", line);
            return;
        }
        GameEvent gameEvent = GameEvent.Of(line);
        if (gameEvent != null) // else the banner, a chat message, a list, or something new: nothing to do
        {
            OnEvent(gameEvent);
        }
    }

    /// <summary>The server accepted this command (OK), or refused it (ERR and why).</summary>
    private void OnAnswer(string command, string answer)
    {
        if (answer == "OK")
        {
            if (command.StartsWith("login ", StringComparison.Ordinal))
            {
                wasIn = isIn = true;
                Send("get gamelist"); // a match of ours that is still going on is shown before the answer
            }
            else if (command == "get gamelist" && !hasAsked)
            {
                hasAsked = true;
                AskForMatch();
            }
        }
        else if (Passing.IsMatch(answer) && wasIn)
        {
            throw new IOException(answer);
        }
        else if (command.StartsWith("challenge accept ", StringComparison.Ordinal)) // that challenge is gone
        {
            AskForMatch();
        }
        else if (playing || Stopping.IsMatch(answer))
        {
            return; // a tournament was faster than we were; or the server will close the connection in a moment
        }
        else if (command.StartsWith("challenge ", StringComparison.Ordinal) && Played > 0)
        {
            Thread.Sleep(RetryPauseMs); // our opponent is busy, or has lost the connection as well
            AskForMatch();
        }
        else if (Asking.IsMatch(command))
        {
            throw new GiveUp("the server refused '" + command + "': " + answer);
        }
        // A refused move came too late or too early. If it is still our turn, YOURTURN comes again.
    }

    /// <summary>Looks for the next opponent, unless a match has begun already.</summary>
    private void AskForMatch()
    {
        if (playing)
        {
            return;
        }
        if (options.Challenge != "")
        {
            Send("challenge \"" + options.Challenge + "\" \"" + options.Game + "\"");
        }
        else if (challenges.Count > 0) // the oldest first
        {
            GameEvent oldest = challenges[0];
            challenges.RemoveAt(0);
            Connection.Log("-", "accepting the challenge of " + oldest["CHALLENGER"]);
            Send("challenge accept " + oldest["CHALLENGENUMBER"]);
        }
        else if (options.Game != "")
        {
            Send("subscribe " + options.Game);
        }
    }

    /// <summary>Something happened in the game, or is about to.</summary>
    private void OnEvent(GameEvent news)
    {
        switch (news.Kind)
        {
            case "MATCH":
                playing = true;
                Game = new Game(news, options.Name);
                break;
            case "CHALLENGE":
                OnChallenge(news);
                break;
            case "CHALLENGE CANCELLED":
                challenges.RemoveAll(open => open["CHALLENGENUMBER"] == news["CHALLENGENUMBER"]);
                break;
            case "MOVE":
                Game?.OnMove(news);
                break;
            case "YOURTURN": // nothing counts turns: if the opponent must pass, it comes twice
                if (playing)
                {
                    int move = Game.ChooseMove(strategy);
                    Send(move < 0 ? "forfeit" : "move " + move);
                }
                break;
            case "WIN": case "LOSS": case "DRAW":
                OnResult(news);
                break;
        }
    }

    /// <summary>Accepts it if we have nothing better to do, else after the match.</summary>
    private void OnChallenge(GameEvent challenge)
    {
        string game = challenge["GAMETYPE"];
        if (options.Challenge != "" || !Board.Sizes.ContainsKey(game) || (options.Game != "" && options.Game != game))
        {
            return;
        }
        challenges.Add(challenge);
        if (!unanswered.Any(command => command.StartsWith("challenge accept ", StringComparison.Ordinal)))
        {
            AskForMatch();
        }
    }

    /// <summary>The match is over.</summary>
    private void OnResult(GameEvent result)
    {
        if (!playing)
        {
            return;
        }
        string kind = result.Kind.ToLowerInvariant();
        Connection.Log("-", "RESULT " + kind + " " + Game.Opponent + " " + Game.Score(result));
        playing = false;
        Played++;
        if (!IsDone())
        {
            AskForMatch();
        }
    }
}
