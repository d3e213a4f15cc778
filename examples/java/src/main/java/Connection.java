import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;

/**
 * Lines of text to a server and from it.
 *
 * A line is complete when its end has come: one read from the network may hold half a line, or three. Everything that
 * is said is logged: {@code <} is a line from the server, {@code >} a line to it, {@code -} a remark of the bot.
 * Redirected into a file, the log of a match can be played again as a test.
 */
public class Connection implements AutoCloseable {
    private static final int CONNECT_TIMEOUT_MS = 10_000;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss.SSS");

    private final Socket socket = new Socket();
    private final InputStream in;
    private final ByteArrayOutputStream unfinished = new ByteArrayOutputStream(); // a line whose end has not come yet

    /** Connects; after this many seconds of silence {@link #readLine} throws a SocketTimeoutException. */
    public Connection(String host, int port, int silence) throws IOException {
        try {
            socket.connect(new InetSocketAddress(host, port), CONNECT_TIMEOUT_MS);
            socket.setTcpNoDelay(true); // send each command at once
            socket.setSoTimeout(silence * 1000);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException problem) {
            socket.close();
            throw problem;
        }
    }

    /** Waits for the next line that is not empty, however the network cuts the bytes up. */
    public String readLine() throws IOException, SocketTimeoutException {
        while (true) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the server closed it");
            }
            if (next != '\r' && next != '\n') { // a line ends in CR LF, LF or CR
                unfinished.write(next);
                continue;
            }
            String line = unfinished.toString(StandardCharsets.UTF_8).strip();
            unfinished.reset();
            if (!line.isEmpty()) {
                log("<", line);
                return line;
            }
        }
    }

    /** Sends one line. A secret goes behind it and is never logged. */
    public synchronized void send(String line, String secret) throws IOException {
        log(">", line);
        byte[] bytes = ((line + " " + secret).strip() + "\r\n").getBytes(StandardCharsets.UTF_8);
        socket.getOutputStream().write(bytes);
    }

    /** Wakes a thread that waits in readLine, too. */
    @Override
    public void close() throws IOException {
        socket.close();
    }

    public static void log(String mark, String text) {
        System.out.println(LocalTime.now().format(TIME) + " " + mark + " " + text);
    }
}
