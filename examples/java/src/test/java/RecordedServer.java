import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A server that can do nothing but repeat one conversation: it sends the `<` lines, and expects the `>` lines. */
public class RecordedServer extends Thread {
    private static final int TIMEOUT_MS = 10_000;

    private final List<String> spoken;
    private final boolean cut;
    private final ServerSocket listener;
    private Socket connection;
    private BufferedReader in;
    private volatile String problem = "the conversation is not over";

    /** The lines begin with `< ` or `> `; if `cut`, every byte is sent alone. */
    public RecordedServer(List<String> spoken, boolean cut) throws IOException {
        this.spoken = spoken;
        this.cut = cut;
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        listener.setSoTimeout(TIMEOUT_MS);
        setDaemon(true);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** The mistake that was found, or an empty text. */
    public String problem() {
        return problem;
    }

    @Override
    public void run() {
        try (listener) {
            for (String line : spoken) {
                String text = line.substring(1).strip();
                if (line.startsWith("<")) {
                    say(text + "\r\n");
                    continue;
                }
                if (text.startsWith("login ")) { // again? Then the connection was lost before
                    accept();
                }
                String heard = in.readLine();
                if (!text.equals(heard)) {
                    problem = "the bot said '" + heard + "' instead of '" + text + "'";
                    return;
                }
            }
            problem = "";
        } catch (IOException gone) {
            problem = gone.toString();
        } finally {
            hangUp();
        }
    }

    /** Closes the connection so that the bot still gets all that was sent: first says that no more comes. */
    private void hangUp() {
        if (connection == null) {
            return;
        }
        try (Socket closing = connection) {
            closing.shutdownOutput();
            while (in.readLine() != null) {
                // nobody wants to know
            }
        } catch (IOException gone) {
            // the bot was faster
        }
    }

    private void accept() throws IOException {
        hangUp();
        connection = listener.accept();
        connection.setSoTimeout(TIMEOUT_MS);
        connection.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
    }

    private void say(String text) throws IOException {
        OutputStream out = connection.getOutputStream();
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int size = cut ? 1 : bytes.length;
        for (int i = 0; i < bytes.length; i += size) {
            out.write(bytes, i, size);
        }
    }
}
