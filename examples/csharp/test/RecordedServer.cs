using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;

/// <summary>A server that can do nothing but repeat one conversation: it sends the lines that begin with "&lt;", and
/// expects those that begin with "&gt;".</summary>
public class RecordedServer
{
    private const int TimeoutMs = 10000;

    private readonly List<string> spoken;
    private readonly bool cut; // send every byte alone?
    private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
    private TcpClient connection;
    private StreamReader reader;

    public RecordedServer(List<string> spoken, bool cut)
    {
        this.spoken = spoken;
        this.cut = cut;
        listener.Start();
    }

    public int Port => ((IPEndPoint)listener.LocalEndpoint).Port;

    /// <summary>The mistake that was found, or an empty text.</summary>
    public string Problem { get; private set; } = "the conversation is not over";

    public void Run()
    {
        try
        {
            foreach (string line in spoken)
            {
                string text = line.Substring(1).Trim();
                if (line.StartsWith("<", StringComparison.Ordinal))
                {
                    Say(text + "\r\n");
                    continue;
                }
                if (text.StartsWith("login ", StringComparison.Ordinal)) // again? Then the connection was lost before
                {
                    Accept();
                }
                string heard = reader.ReadLine();
                if (heard != text)
                {
                    Problem = "the bot said '" + heard + "' instead of '" + text + "'";
                    return;
                }
            }
            Problem = "";
        }
        catch (IOException gone)
        {
            Problem = gone.Message;
        }
        finally
        {
            listener.Stop();
            HangUp();
        }
    }

    /// <summary>Closes the connection so that the bot still gets all that was sent: first says that no more comes.
    /// </summary>
    private void HangUp()
    {
        if (connection == null)
        {
            return;
        }
        try
        {
            connection.Client.Shutdown(SocketShutdown.Send);
            reader.ReadToEnd();
        }
        catch (Exception gone) when (gone is IOException || gone is SocketException)
        {
            // the bot was faster
        }
        connection.Close();
    }

    private void Accept()
    {
        HangUp();
        connection = listener.AcceptTcpClient();
        connection.ReceiveTimeout = TimeoutMs;
        connection.NoDelay = true;
        reader = new StreamReader(connection.GetStream(), Encoding.UTF8);
    }

    private void Say(string text)
    {
        byte[] bytes = Encoding.UTF8.GetBytes(text);
        int size = cut ? 1 : bytes.Length;
        for (int i = 0; i < bytes.Length; i += size)
        {
            connection.GetStream().Write(bytes, i, size);
        }
    }
}
