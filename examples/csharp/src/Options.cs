using System;

/// <summary>The name, the server and the game: the arguments of the command line.</summary>
public class Options
{
    public const string Usage =
        "usage: MyBot HOST PORT NAME [--game GAME] [--challenge OPPONENT] [--matches K]\n" +
        "    [--secret SECRET] [--retry-for SECONDS] [--silence SECONDS]";

    public readonly string Host;
    public readonly int Port;
    public readonly string Name;

    /// <summary>Look for opponents at this game; without it wait to be called, as in a tournament.</summary>
    public string Game = "";

    /// <summary>Challenge this player again and again instead.</summary>
    public string Challenge = "";

    public string Secret = "";

    /// <summary>How many to play; 0 means until the bot is stopped.</summary>
    public int Matches = 0;

    /// <summary>Seconds to try to come back after a lost connection.</summary>
    public int RetryFor = 60;

    /// <summary>Seconds without a line after which the server is asked for a sign of life.</summary>
    public int Silence = 20;

    public Options(string host, int port, string name)
    {
        Host = host;
        Port = port;
        Name = name.Trim();
    }

    /// <summary>Reads the command line; throws an ArgumentException that says what is wrong with it.</summary>
    public static Options Of(string[] args)
    {
        if (args.Length < 3)
        {
            throw new ArgumentException("HOST, PORT and NAME are needed");
        }
        Options options = new Options(args[0], Number("PORT", args[1]), args[2]);
        for (int i = 3; i < args.Length; i += 2)
        {
            if (i + 1 == args.Length)
            {
                throw new ArgumentException(args[i] + " needs a value");
            }
            string value = args[i + 1].Trim();
            switch (args[i])
            {
                case "--game": options.Game = value; break;
                case "--challenge": options.Challenge = value; break;
                case "--matches": options.Matches = Number(args[i], value); break;
                case "--secret": options.Secret = value; break;
                case "--retry-for": options.RetryFor = Number(args[i], value); break;
                case "--silence": options.Silence = Number(args[i], value); break;
                default: throw new ArgumentException("there is no " + args[i]);
            }
        }
        if (options.Game != "" && !Board.Sizes.ContainsKey(options.Game))
        {
            throw new ArgumentException("--game is one of " + string.Join(", ", Board.Sizes.Keys));
        }
        if (options.Challenge != "" && options.Game == "")
        {
            throw new ArgumentException("--challenge needs --game");
        }
        return options;
    }

    private static int Number(string what, string text)
    {
        if (!int.TryParse(text, out int number))
        {
            throw new ArgumentException(what + " needs a number, not " + text);
        }
        return number;
    }
}
