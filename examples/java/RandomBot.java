import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bot that plays random legal moves in Tic-tac-toe, Reversi and 3D Connect Four: a model to copy.
 * JDK 17, nothing else.
 *
 * <pre>java RandomBot.java --name ann --game Reversi
 *     [--host H] [--port P] [--matches K] [--challenge OPPONENT] [--seed S]
 *     [--retry-for SECONDS]</pre>
 *
 * Three habits keep it out of trouble:
 * <ol>
 * <li>The fields of a message are looked up by their key, never by their position.
 * <li>A line is complete when its end of line has come: one read may hold half a line, or three.
 * <li>{@code OK} and {@code ERR} answer commands, in the order they were sent; every other line is news, and news may
 *     come in between. The bot moves because of YOURTURN and changes its board because of MOVE, never because of an OK.
 * </ol>
 */
public final class RandomBot {
    /** The events that mean something outside a match. */
    private static final List<String> ANY_TIME = List.of("MATCH", "CHALLENGE");
    // SVR GAME MOVE {PLAYER: "ann", MOVE: "44", DETAILS: ""}
    private static final Pattern GAME_EVENT = Pattern.compile("SVR GAME ([A-Z ]+?) ?(?:\\{.*\\})?");
    // PLAYER: "ann"
    private static final Pattern FIELD = Pattern.compile("(\\w+)\\s*:\\s*\"([^\"]*)\"");
    /** What will be over soon: the server still holds our old connection, or it is being restarted. */
    private static final Pattern PASSING = Pattern.compile("(?i)ERR (duplicate name|the server is stopping)");
    /** No new match begins; the server lets the running ones end, then closes the connection. */
    private static final Pattern STOPPING = Pattern.compile("(?i)ERR the server is about to stop");
    /** To connect and log in; afterwards an opponent may keep us waiting for long. */
    private static final int LOGIN_TIMEOUT_MS = 10_000;
    /** Between two tries to come back: each pause is twice the one before. */
    private static final int FIRST_PAUSE_MS = 250, LONGEST_PAUSE_MS = 2000;
    /** Player one moves first, and is black in Reversi. */
    private static final int ONE = 0, TWO = 1, NOBODY = -1;

    /** The bot cannot go on; the message says why, in one sentence. */
    private static final class Failure extends Exception {
        private static final long serialVersionUID = 1;
        private final int exitCode;

        Failure(int exitCode, String sentence) {
            super(sentence);
            this.exitCode = exitCode;
        }
    }

    /** Tic-tac-toe, and what all boards share. Cells are numbered row by row from the top left. */
    private static class Board {
        protected final int[] cells;

        Board(int size) {
            cells = new int[size];
            Arrays.fill(cells, NOBODY);
        }

        static Board of(String game) throws Failure {
            return switch (game) {
                case "Tic-tac-toe" -> new Board(9);
                case "Reversi" -> new Reversi();
                case "Connect-four-3D" -> new ConnectFour3D();
                default -> throw new Failure(1, "this bot cannot play " + game);
            };
        }

        /** The cells that become the side's if it plays on this one; none at all if that is not legal. */
        List<Integer> gains(int cell, int side) {
            return cells[cell] == NOBODY ? List.of(cell) : List.of();
        }

        /** The cells where the side may play. */
        List<Integer> legal(int side) {
            List<Integer> legal = new ArrayList<>();
            for (int cell = 0; cell < cells.length; cell++) {
                if (!gains(cell, side).isEmpty()) {
                    legal.add(cell);
                }
            }
            return legal;
        }

        /** Make that move. The server decides who has won; a bot need not know. */
        void play(int cell, int side) {
            for (int gained : gains(cell, side)) {
                cells[gained] = side;
            }
        }
    }

    /** Cell = row * 8 + column. A move must turn at least one disc over. */
    private static final class Reversi extends Board {
        private static final int[][] DIRECTIONS =
                {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}};

        Reversi() {
            super(64);
            cells[28] = cells[35] = ONE;
            cells[27] = cells[36] = TWO;
        }

        /** The cell itself, and every disc enclosed between it and another disc of the side. */
        @Override
        List<Integer> gains(int cell, int side) {
            List<Integer> gains = new ArrayList<>();
            for (int[] step : DIRECTIONS) {
                // The opponent's discs in this direction, until one of our own closes the row.
                List<Integer> run = new ArrayList<>();
                int row = cell / 8 + step[0];
                int column = cell % 8 + step[1];
                while (owner(row, column) == 1 - side) {
                    run.add(row * 8 + column);
                    row += step[0];
                    column += step[1];
                }
                if (owner(row, column) == side) {
                    gains.addAll(run);
                }
            }
            if (gains.isEmpty() || cells[cell] != NOBODY) {
                return List.of();
            }
            gains.add(cell);
            return gains;
        }

        private int owner(int row, int column) {
            boolean onBoard = 0 <= row && row < 8 && 0 <= column && column < 8;
            return onBoard ? cells[row * 8 + column] : NOBODY;
        }
    }

    /** A move is a column, 4 * y + x. It holds four stones, in the cells from 4 * column; the next one falls on top. */
    private static final class ConnectFour3D extends Board {
        ConnectFour3D() {
            super(64);
        }

        /** The lowest free cell of the column. */
        @Override
        List<Integer> gains(int column, int side) {
            for (int cell = 4 * column; column < 16 && cell < 4 * column + 4; cell++) {
                if (cells[cell] == NOBODY) {
                    return List.of(cell);
                }
            }
            return List.of();
        }
    }

    private final Options options;
    private final Random random;
    /** Commands sent whose OK or ERR has not come yet. */
    private final Queue<String> unanswered = new ArrayDeque<>();
    private Socket socket;
    // The match being played, reset by every MATCH; the board is null outside a match.
    private Board board;
    private int side;
    private String opponent;
    private int played;
    /** Did a login ever succeed? Then a lost connection is worth another try. */
    private boolean wasIn;
    /** Are we logged in? */
    private boolean isIn;

    private RandomBot(Options options) {
        this.options = options;
        this.random = new Random(options.seed);
    }

    /** Play all matches, over as many connections as it takes. */
    private void run() throws Failure, InterruptedException {
        int pauseMs = FIRST_PAUSE_MS;
        long lostNs = 0;
        String told = "";
        while (played < options.matches) {
            try {
                oneConnection();
            } catch (IOException problem) { // refused, reset, timed out, closed
                String why = String.valueOf(problem.getMessage());
                if (isIn) { // a lost connection is not a lost match: come back and play on
                    isIn = false;
                    pauseMs = FIRST_PAUSE_MS;
                    lostNs = System.nanoTime();
                    say("connection lost (" + why + "), trying to come back for " + options.retryForS + " s");
                } else if (!wasIn || System.nanoTime() - lostNs > options.retryForS * 1_000_000_000L) {
                    throw new Failure(1, "no server at " + options.host + ", port " + options.port + ": " + why);
                } else if (!why.equals(told)) { // say it once, not at each try
                    say("not back yet (" + why + ")");
                }
                told = why;
                Thread.sleep(pauseMs);
                pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
            }
        }
    }

    /** From login to the last result. A player who logs in under the same name gets the seat back. */
    private void oneConnection() throws IOException, Failure {
        unanswered.clear();
        board = null; // if our match still runs, the server shows it again: MATCH, then every MOVE so far
        try (Socket connection = new Socket()) {
            socket = connection;
            socket.connect(new InetSocketAddress(options.host, options.port), LOGIN_TIMEOUT_MS);
            socket.setSoTimeout(LOGIN_TIMEOUT_MS);
            send("login " + options.name, options.secret);
            // The reader collects bytes until a line is complete, however the network cut them up.
            var lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (String line; (line = lines.readLine()) != null; ) { // null: the end of the connection, not a line
                onLine(line.strip());
                if (played == options.matches) {
                    send("logout");
                    return;
                }
            }
        }
        throw new IOException("the server closed it");
    }

    /** Send one command, in one piece; its answer comes some time later. */
    private void send(String command) throws IOException {
        send(command, "");
    }

    /** A secret goes behind the command and is never printed. */
    private void send(String command, String secret) throws IOException {
        unanswered.add(command);
        String line = (command + " " + secret).strip() + "\r\n";
        socket.getOutputStream().write(line.getBytes(StandardCharsets.UTF_8));
    }

    /** Wait in the queue for anybody, or challenge somebody. */
    private void askForMatch() throws IOException {
        if (options.challenge == null) {
            say("waiting for a match of " + options.game);
            send("subscribe " + options.game);
        } else {
            say("challenging " + options.challenge + " at " + options.game);
            send("challenge \"" + options.challenge + "\" \"" + options.game + "\"");
        }
    }

    /** Sort one line: the answer to the oldest open command, or news. */
    private void onLine(String line) throws IOException, Failure {
        if (line.equals("OK") || line.startsWith("ERR")) {
            String command = unanswered.poll();
            onAnswer(command == null ? "" : command, line);
        } else {
            onNews(line);
        }
    }

    /** The server accepted this command (OK) or refused it (ERR and why). */
    private void onAnswer(String command, String answer) throws IOException, Failure {
        boolean ok = answer.equals("OK");
        boolean mayBeLate = command.startsWith("move ") || command.startsWith("challenge accept ");
        if (ok && command.startsWith("login ")) {
            say("logged in as " + options.name);
            wasIn = isIn = true;
            socket.setSoTimeout(0);
            send("get gamelist"); // if a match of ours still runs, its MATCH comes before the answer to this
        } else if (ok && command.equals("get gamelist") && board == null) {
            askForMatch();
        } else if (wasIn && PASSING.matcher(answer).lookingAt()) {
            throw new IOException(answer);
        } else if (STOPPING.matcher(answer).lookingAt()) {
            say("server says: " + answer);
        } else if (!ok && !command.isEmpty() && !mayBeLate) {
            throw new Failure(1, "the server refused '" + command + "': " + answer);
        } else if (!ok) { // a refused move or yes came too late; if it is still our turn, the server asks again
            say("server says: " + answer);
        }
    }

    /** Act on a game event; show any other line and ignore it. */
    private void onNews(String line) throws IOException, Failure {
        Matcher event = GAME_EVENT.matcher(line);
        String kind = event.matches() && (board != null || ANY_TIME.contains(event.group(1))) ? event.group(1) : "";
        Map<String, String> fields = fields(line);
        switch (kind) {
            case "MATCH" -> { // a new match, or ours shown again after we came back: either way from the start
                String game = fields.getOrDefault("GAMETYPE", "?");
                String first = fields.getOrDefault("PLAYERTOMOVE", "?");
                opponent = fields.getOrDefault("OPPONENT", "?");
                say("match of " + game + " against " + opponent + ", " + first + " begins");
                board = Board.of(game);
                side = first.equals(options.name) ? ONE : TWO;
            }
            case "YOURTURN" -> { // nothing counts turns here: if the opponent must pass, we are asked twice in a row
                List<Integer> moves = board.legal(side);
                send(moves.isEmpty() ? "forfeit" : "move " + moves.get(random.nextInt(moves.size())));
            }
            case "MOVE" -> { // our own moves, too, reach our board only here
                String player = fields.getOrDefault("PLAYER", "?");
                String move = fields.getOrDefault("MOVE", "?");
                say("move " + player + " " + move);
                int mover = player.equals(options.name) ? side : 1 - side;
                if (move.matches("[0-9]{1,2}") && board.legal(mover).contains(Integer.parseInt(move))) {
                    board.play(Integer.parseInt(move), mover); // an illegal move is announced as well, and then loses
                }
            }
            case "WIN", "LOSS", "DRAW" -> onResult(kind.toLowerCase(Locale.ROOT), fields);
            case "CHALLENGE" -> { // say yes where it can: that ends the wait in the queue
                if (board == null && options.challenge == null && options.game.equals(fields.get("GAMETYPE"))) {
                    say("challenged by " + fields.getOrDefault("CHALLENGER", "?"));
                    send("challenge accept " + fields.getOrDefault("CHALLENGENUMBER", "?"));
                } else {
                    say("server says: " + line);
                }
            }
            default -> say("server says: " + line);
        }
    }

    /** The match is over. The scores are those of player one and two: ours is not always the first. */
    private void onResult(String result, Map<String, String> fields) throws IOException {
        String comment = fields.getOrDefault("COMMENT", "?");
        say("end of match: " + (comment.isEmpty() ? "played out" : comment));
        String one = fields.getOrDefault("PLAYERONESCORE", "?");
        String two = fields.getOrDefault("PLAYERTWOSCORE", "?");
        say("RESULT " + result + " " + opponent + " " + (side == ONE ? one + ":" + two : two + ":" + one));
        board = null;
        played++;
        if (played < options.matches) {
            askForMatch();
        }
    }

    /** The map of a line by key, in whatever order its fields came. */
    private static Map<String, String> fields(String line) {
        Map<String, String> fields = new HashMap<>();
        for (Matcher field = FIELD.matcher(line); field.find(); ) {
            fields.put(field.group(1), field.group(2));
        }
        return fields;
    }

    private static void say(String text) {
        System.out.println(text);
    }

    /** The command line; what is missing has its default, what is wrong is one sentence. */
    private record Options(String host, int port, String name, String secret, String game, int matches,
            String challenge, long seed, int retryForS) {
        private static final List<String> FLAGS =
                List.of("--host", "--port", "--name", "--secret", "--game", "--matches", "--challenge", "--seed",
                        "--retry-for");
        private static final List<String> GAMES = List.of("Tic-tac-toe", "Reversi", "Connect-four-3D");

        static Options of(String[] args) throws Failure {
            Map<String, String> given = new HashMap<>(Map.of("--host", "localhost", "--port", "7789", "--name", "",
                    "--secret", "", "--game", "", "--matches", "1", "--retry-for", "60",
                    "--seed", String.valueOf(System.nanoTime())));
            for (int i = 0; i < args.length; i += 2) {
                if (!FLAGS.contains(args[i]) || i + 1 == args.length) {
                    throw new Failure(2, "'" + args[i] + "' is not one of " + FLAGS + ", each followed by its value");
                }
                given.put(args[i], args[i + 1].strip());
            }
            if (given.get("--name").isEmpty() || !GAMES.contains(given.get("--game"))) {
                throw new Failure(2, "--name NAME is needed, and --game with one of " + GAMES);
            }
            return new Options(given.get("--host"), (int) number(given, "--port", 1, 65535), given.get("--name"),
                    given.get("--secret"), given.get("--game"), (int) number(given, "--matches", 1, Integer.MAX_VALUE),
                    given.get("--challenge"), number(given, "--seed", Long.MIN_VALUE, Long.MAX_VALUE),
                    (int) number(given, "--retry-for", 0, Integer.MAX_VALUE));
        }

        private static long number(Map<String, String> given, String flag, long least, long most) throws Failure {
            try {
                long number = Long.parseLong(given.get(flag));
                if (least <= number && number <= most) {
                    return number;
                }
            } catch (NumberFormatException noNumber) {
                // said below
            }
            throw new Failure(2, flag + " needs a number from " + least + " to " + most);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        try {
            new RandomBot(Options.of(args)).run();
        } catch (Failure failure) {
            System.err.println("RandomBot: " + failure.getMessage());
            System.exit(failure.exitCode);
        }
    }
}
