using System.Collections.Generic;
using System.Text.RegularExpressions;

/// <summary>A line about a game, such as SVR GAME MOVE {PLAYER: "ann", MOVE: "44", DETAILS: ""}.</summary>
public class GameEvent
{
    private static readonly Regex Line = new Regex(@"^SVR GAME ([A-Z ]+?) ?(\{.*\})?$"); // sometimes without the braces
    // PLAYER: "ann". A value ends where the next key or the closing brace comes: a name may have a comma in it.
    private static readonly Regex Field = new Regex(@"(\w+)\s*:\s*""(.*?)""\s*(?=,\s*\w+\s*:|\}$)");

    private readonly Dictionary<string, string> fields = new Dictionary<string, string>();

    private GameEvent(string kind)
    {
        Kind = kind;
    }

    /// <summary>Reads a line; null if it is not about a game.</summary>
    public static GameEvent Of(string line)
    {
        Match found = Line.Match(line);
        if (!found.Success)
        {
            return null;
        }
        GameEvent gameEvent = new GameEvent(found.Groups[1].Value);
        foreach (Match field in Field.Matches(line))
        {
            gameEvent.fields[field.Groups[1].Value] = field.Groups[2].Value;
        }
        return gameEvent;
    }

    /// <summary>The words before the braces, such as MOVE or CHALLENGE CANCELLED.</summary>
    public string Kind { get; }

    /// <summary>The value of this key, or an empty text if there is none.</summary>
    public string this[string key] => fields.TryGetValue(key, out string value) ? value : "";
}
