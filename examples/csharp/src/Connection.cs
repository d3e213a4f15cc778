using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Text;

/// <summary>
/// Lines of text to a server and from it.
///
/// A line is complete when its end has come: one read from the network may hold half a line, or three. Everything that
/// is said is logged: "&lt;" is a line from the server, "&gt;" a line to it, "-" a remark of the bot. Redirected into a
/// file, the log of a match can be played again as a test.
/// </summary>
public class Connection : IDisposable
{
    private readonly Socket socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
    private readonly byte[] received = new byte[4096];
    private int next, end; // the bytes received[next] to received[end - 1] have not been looked at yet
    private readonly List<byte> unfinished = new List<byte>(); // a line whose end has not come yet

    /// <summary>Connects. After this many seconds without a byte, ReadLine throws a TimeoutException.</summary>
    public Connection(string host, int port, int silence)
    {
        try
        {
            socket.Connect(host, port);
            socket.NoDelay = true; // send each command at once
            socket.ReceiveTimeout = 1000 * silence;
        }
        catch (SocketException problem)
        {
            socket.Dispose();
            throw new IOException(problem.Message);
        }
    }

    /// <summary>Waits for the next line that is not empty, however the network cuts the bytes up.</summary>
    public string ReadLine()
    {
        while (true)
        {
            byte one = ReadByte();
            if (one != '\r' && one != '\n') // a line ends in CR LF, LF or CR
            {
                unfinished.Add(one);
                continue;
            }
            string line = Encoding.UTF8.GetString(unfinished.ToArray()).Trim();
            unfinished.Clear();
            if (line != "")
            {
                Log("<", line);
                return line;
            }
        }
    }

    private byte ReadByte()
    {
        if (next == end)
        {
            next = 0;
            end = 0;
            end = Receive();
        }
        return received[next++];
    }

    private int Receive()
    {
        try
        {
            int count = socket.Receive(received);
            if (count == 0)
            {
                throw new IOException("the server closed it");
            }
            return count;
        }
        catch (SocketException problem)
        {
            bool isSilent = problem.SocketErrorCode == SocketError.TimedOut
                || problem.SocketErrorCode == SocketError.WouldBlock;
            if (isSilent)
            {
                throw new TimeoutException();
            }
            throw new IOException(problem.Message);
        }
        catch (ObjectDisposedException)
        {
            throw new IOException("the bot was stopped");
        }
    }

    /// <summary>Sends one line. A secret goes behind it and is never logged.</summary>
    public void Send(string line, string secret)
    {
        Log(">", line);
        try
        {
            socket.Send(Encoding.UTF8.GetBytes((line + " " + secret).Trim() + "\r\n"));
        }
        catch (SocketException problem)
        {
            throw new IOException(problem.Message);
        }
        catch (ObjectDisposedException)
        {
            throw new IOException("the connection is closed");
        }
    }

    /// <summary>Wakes a thread that waits in ReadLine, too.</summary>
    public void Dispose()
    {
        try
        {
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (SocketException)
        {
            // the connection was lost already
        }
        catch (ObjectDisposedException)
        {
            // and it was closed as well
        }
        socket.Dispose();
    }

    public static void Log(string mark, string text)
    {
        Console.WriteLine(DateTime.Now.ToString("HH:mm:ss.fff") + " " + mark + " " + text);
    }
}
