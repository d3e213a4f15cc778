using System;

/// <summary>The bot cannot go on; the message says why.</summary>
public class GiveUp : Exception
{
    public GiveUp(string why) : base(why)
    {
    }
}
