using System;

/// <summary>Starts the bot: reads the command line, and lets the client play with your strategy.</summary>
public static class MyBot
{
    public static int Main(string[] args)
    {
        try
        {
            Client client = new Client(Options.Of(args), new Strategy());
            Console.CancelKeyPress += (sender, pressed) =>
            {
                pressed.Cancel = true; // Run returns instead, and the program ends in good order
                client.Stop();
            };
            AppDomain.CurrentDomain.ProcessExit += (sender, ended) => client.Stop();
            client.Run();
            return 0;
        }
        catch (ArgumentException wrong)
        {
            Console.Error.WriteLine("MyBot: " + wrong.Message + "\n" + Options.Usage);
            return 2;
        }
        catch (GiveUp problem)
        {
            Console.Error.WriteLine("MyBot: " + problem.Message);
            return 1;
        }
    }
}
