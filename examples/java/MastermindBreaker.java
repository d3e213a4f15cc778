import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bot that breaks the codes of a Mastermind server over raw TCP: a model to copy. JDK 17, nothing else.
 *
 * <pre>java MastermindBreaker.java [--host H] [--port P] [--colors N] [--length L] [--tries T] [--games K] [--seed S]</pre>
 *
 * Three habits keep it out of trouble:
 * <ol>
 * <li>A message is complete when its line feed has come: one read may hold half a message, or three.
 * <li>Every message that is sent has exactly one answer. So it asks, waits, and looks at the type of what comes.
 * <li>Values are looked up by their key, never by their position.
 * </ol>
 */
public final class MastermindBreaker {
    private static final int NEW_GAME = 0, GUESS = 1, ANSWER = 2, GAME_END = 3, ACCEPT = 5, ERROR = 6;
    /** The numbers in an answer, which is sorted: only how many there are counts. */
    private static final int CORRECT = 0, ELSEWHERE = 1;
    // 2|{"Answer":[0,1,2,2]}
    private static final Pattern MESSAGE = Pattern.compile("(\\d+)\\|(\\{.*\\})");
    /** More possible codes than that are not gone through one by one. */
    private static final int CODES_MAX = 300_000;
    private static final int CONNECT_TIMEOUT_MS = 10_000;
    private static final int REFUSED_MAX = 3;
    private static final int[] RETRY_WAITS_MS = {250, 500, 1000, 2000, 4000};

    /** The bot cannot go on; the message says why, in one sentence. */
    private static final class Failure extends Exception {
        private static final long serialVersionUID = 1;
        private final int exitCode;

        Failure(int exitCode, String sentence) {
            super(sentence);
            this.exitCode = exitCode;
        }
    }

    /** What the server says: its type, and its values by their keys. */
    private record Message(int type, String json) {
        static Message of(String line) throws Failure {
            Matcher found = MESSAGE.matcher(line);
            if (!found.matches()) {
                throw new Failure(1, "this is no message: " + line);
            }
            return new Message(Integer.parseInt(found.group(1)), found.group(2));
        }

        /** What is behind the key: a number, a word, a list in brackets, or a text without its quotes. */
        String value(String key) throws Failure {
            String value = "(?:\"([^\"]*)\"|\\[([^\\]]*)\\]|([^,}]*))";
            Matcher found = Pattern.compile("\"" + key + "\"\\s*:\\s*" + value).matcher(json);
            if (!found.find()) {
                throw new Failure(1, "the server's message has no " + key + ": " + json);
            }
            return found.group(1) != null ? found.group(1) : found.group(2) != null ? found.group(2) : found.group(3);
        }

        int number(String key) throws Failure {
            return Integer.parseInt(value(key).strip());
        }

        long count(String key, int number) throws Failure {
            String wanted = String.valueOf(number);
            return Arrays.stream(value(key).split(",")).filter(each -> each.strip().equals(wanted)).count();
        }
    }

    /** Keeps the codes that fit every answer so far, and guesses any of them. */
    private static final class Solver {
        private final int colors;
        private final Random random;
        private List<int[]> codes = new ArrayList<>();

        Solver(int colors, int length, Random random) {
            this.colors = colors;
            this.random = random;
            long count = Math.round(Math.pow(colors, length));
            for (int number = 0; number < count; number++) {
                int[] code = new int[length];
                for (int place = length - 1, rest = number; place >= 0; place--, rest /= colors) {
                    code[place] = rest % colors;
                }
                codes.add(code);
            }
        }

        int[] guess() {
            return codes.get(random.nextInt(codes.size()));
        }

        /** Drop every code to which this would not have been the answer. */
        void learn(int[] guess, long exact, long elsewhere) {
            codes.removeIf(code -> {
                int same = 0, common = 0;
                int[] mine = new int[colors], theirs = new int[colors];
                for (int place = 0; place < code.length; place++) {
                    same += guess[place] == code[place] ? 1 : 0;
                    mine[guess[place]]++;
                    theirs[code[place]]++;
                }
                for (int color = 0; color < colors; color++) {
                    common += Math.min(mine[color], theirs[color]);
                }
                return same != exact || common - same != elsewhere;
            });
        }
    }

    private final Map<String, String> options;
    private final int colors, length, tries, games;
    private final Random random;
    private BufferedReader lines;
    private Writer out;
    /** Connections lost in a row. */
    private int lost;

    private MastermindBreaker(Map<String, String> options) throws Failure {
        this.options = options;
        colors = number("colors", 6);
        length = number("length", 4);
        tries = number("tries", 12);
        games = number("games", 1);
        random = options.containsKey("seed") ? new Random(number("seed", 0)) : new Random();
        if (Math.pow(colors, length) > CODES_MAX) {
            throw new Failure(2, colors + " colors in " + length + " places are more than " + CODES_MAX + " codes");
        }
    }

    private int number(String option, int usual) throws Failure {
        try {
            int number = Integer.parseInt(options.getOrDefault(option, String.valueOf(usual)));
            if (number >= 1 || option.equals("seed")) {
                return number;
            }
        } catch (NumberFormatException problem) {
            // Told below, as a number that is too small.
        }
        throw new Failure(2, "--" + option + " takes a number from 1");
    }

    /** Play all games, over as many connections as it takes. */
    private void run() throws Failure, InterruptedException {
        int played = 0;
        String host = options.getOrDefault("host", "localhost");
        int port = number("port", 8081);
        if (port > 65535) {
            throw new Failure(2, "--port goes from 1 to 65535");
        }
        while (played < games) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(host, port), CONNECT_TIMEOUT_MS);
                socket.setTcpNoDelay(true);
                lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
                out = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
                for (; played < games; played++) {
                    play();
                }
            } catch (IOException problem) {
                if (lost == RETRY_WAITS_MS.length) {
                    throw new Failure(1, "no server at " + host + ", port " + port + ": " + problem.getMessage());
                }
                say("connection lost (" + problem.getMessage() + "), next try in " + RETRY_WAITS_MS[lost] + " ms");
                Thread.sleep(RETRY_WAITS_MS[lost++]);
            }
        }
    }

    /** One game, from NewGame to GameEnd. */
    private void play() throws IOException, Failure {
        Message accepted = ask(NEW_GAME, size(colors, tries, length));
        expect(accepted, ACCEPT);
        lost = 0;
        // What was accepted counts, not what was asked for.
        int colors = accepted.number("NbrColors"), length = accepted.number("CodeLength");
        say("new game: " + size(colors, accepted.number("MaxTries"), length));
        Solver solver = new Solver(colors, length, random);
        int refused = 0;
        while (true) {
            int[] guess = solver.guess();
            String written = Arrays.toString(guess).replace(" ", "");
            Message heard = ask(GUESS, "{\"Guess\":" + written + "}");
            if (heard.type() == ERROR && ++refused < REFUSED_MAX) { // costs no try: as if nothing had been sent
                say("the server says: " + heard.value("Message"));
                continue;
            }
            if (heard.type() == GAME_END) {
                boolean won = heard.value("Won").strip().equals("true");
                say("RESULT " + (won ? "won" : "lost") + " " + heard.value("Tries") + " " + heard.value("Code"));
                return;
            }
            expect(heard, ANSWER);
            long exact = heard.count("Answer", CORRECT), elsewhere = heard.count("Answer", ELSEWHERE);
            solver.learn(guess, exact, elsewhere);
            say("guess " + written + ": " + exact + " exact, " + elsewhere + " elsewhere, "
                    + solver.codes.size() + " left");
        }
    }

    private static String size(int colors, int tries, int length) {
        return "{\"NbrColors\":" + colors + ",\"MaxTries\":" + tries + ",\"CodeLength\":" + length + "}";
    }

    /** Send one message and wait for its answer. */
    private Message ask(int type, String json) throws IOException, Failure {
        out.write(type + "|" + json + "\n");
        out.flush();
        String line = lines.readLine();
        if (line == null) {
            throw new EOFException("the server closed it");
        }
        Message heard = Message.of(line);
        if (heard.type() == ERROR && heard.value("Message").contains("stopping")) {
            throw new EOFException(heard.value("Message"));
        }
        return heard;
    }

    private static void expect(Message heard, int type) throws Failure {
        if (heard.type() != type) {
            throw new Failure(1, "the server says: "
                    + (heard.type() == ERROR ? heard.value("Message") : heard.type() + "|" + heard.json()));
        }
    }

    private static void say(String text) {
        System.out.println(text);
        System.out.flush();
    }

    private static Map<String, String> read(String[] arguments) throws Failure {
        Set<String> known = Set.of("host", "port", "colors", "length", "tries", "games", "seed");
        Map<String, String> options = new HashMap<>();
        for (int at = 0; at < arguments.length; at += 2) {
            String option = arguments[at].startsWith("--") ? arguments[at].substring(2) : "";
            if (!known.contains(option) || at + 1 == arguments.length) {
                throw new Failure(2, "usage: java MastermindBreaker.java [--host H] [--port P] [--colors N] [--length L]"
                        + " [--tries T] [--games K] [--seed S]");
            }
            options.put(option, arguments[at + 1]);
        }
        return options;
    }

    public static void main(String[] arguments) throws InterruptedException {
        try {
            new MastermindBreaker(read(arguments)).run();
        } catch (Failure failure) {
            System.err.println("MastermindBreaker: " + failure.getMessage());
            System.exit(failure.exitCode);
        }
    }
}
