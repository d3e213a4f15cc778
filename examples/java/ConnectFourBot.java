import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.IntStream;

/**
 * A bot for 3D Connect Four, a JSON object a line: a model to copy. JDK 17, nothing else.
 *
 * <pre>java ConnectFourBot.java --name ann
 *     [--secret S] [--host H] [--port P] [--matches K] [--room N] [--seed N] [--retry-for SECONDS]</pre>
 *
 * It wins if it can, blocks if it must, and plays at random otherwise. Four habits keep it out of trouble:
 * <ol>
 * <li>A message is known by its "event", its values by their keys; whatever else a message or the server says is
 *     ignored.
 * <li>A line is complete when its end of line has come: one read may hold half a line, or three.
 * <li>The server does not repeat our own moves. They are on our board as soon as they are sent, and come off
 *     if refused.
 * <li>No message says who begins. Moves alternate, so whoever is asked for one after an even number of them did.
 * </ol>
 */
public final class ConnectFourBot {
    /** To connect and enter the lobby; afterwards an opponent may keep us waiting for long. */
    private static final int LOGIN_TIMEOUT_MS = 10_000;
    /** Between two tries to come back: each pause is twice the one before. */
    private static final int FIRST_PAUSE_MS = 250, LONGEST_PAUSE_MS = 2000;
    /** Instead of the opponent's name in a room. */
    private static final String FREE = "No player1 yet", ALONE = "No player2 yet";
    private static final int NOWHERE = -1;
    /** For a move that we were not told. */
    private static final int UNKNOWN = -1;

    /** The bot cannot go on; the message says why, in one sentence. */
    private static final class Failure extends Exception {
        private static final long serialVersionUID = 1;
        private final int exitCode;

        Failure(int exitCode, String sentence) {
            super(sentence);
            this.exitCode = exitCode;
        }
    }

    /** Column = 4 * y + x, and holds four stones; the cell at height z has bit 4 * column + z in its side's stones. */
    private static final class Board {
        /** The 76 lines of four, each a number with a bit set for each of its cells. */
        private static final long[] LINES = allLines();

        /** Of who moved first, and of the other. */
        private final long[] stones = new long[2];
        private final int[] heights = new int[16];

        Board(List<Integer> moves) {
            for (int number = 0; number < moves.size(); number++) {
                int column = moves.get(number);
                if (column != UNKNOWN && heights[column] < 4) {
                    stones[number % 2] |= 1L << (4 * column + heights[column]++);
                }
            }
        }

        boolean isFull(int column) {
            return heights[column] == 4;
        }

        /** Does a stone in this column complete a line of that side? */
        boolean wins(int column, int side) {
            long after = stones[side] | 1L << (4 * column + heights[column]);
            return Arrays.stream(LINES).anyMatch(line -> (after & line) == line);
        }

        private static long[] allLines() {
            List<Long> lines = new ArrayList<>();
            for (int start = 0; start < 64; start++) {
                // Steps 14 to 26 are one of each two opposite directions; with all 26 each line would be there twice.
                for (int step = 14; step < 27; step++) {
                    int stepY = step / 9 - 1, stepX = step / 3 % 3 - 1, stepZ = step % 3 - 1;
                    long line = 0;
                    for (int n = 0; n < 4; n++) {
                        int y = start / 16 + n * stepY, x = start / 4 % 4 + n * stepX, z = start % 4 + n * stepZ;
                        boolean onBoard = ((y | x | z) & ~3) == 0;
                        line |= onBoard ? 1L << (16 * y + 4 * x + z) : 0;
                    }
                    if (Long.bitCount(line) == 4) {
                        lines.add(line);
                    }
                }
            }
            return lines.stream().mapToLong(Long::longValue).toArray();
        }
    }

    /** Reads one JSON text: objects become maps, arrays lists, the rest String, Double, Boolean or null. */
    private static final class Json {
        private final String text;
        private int at;

        private Json(String text) {
            this.text = text;
        }

        /** The object on this line; an empty one if there is none. */
        static Map<?, ?> object(String line) {
            try {
                return new Json(line).value() instanceof Map<?, ?> object ? object : Map.of();
            } catch (RuntimeException noJson) { // the text ended too soon, or a number is none
                return Map.of();
            }
        }

        private Object value() {
            char first = peek();
            switch (first) {
                case '{': {
                    Map<String, Object> object = new HashMap<>();
                    for (at++; !closes('}'); ) {
                        peek();
                        String key = string();
                        if (peek() != ':') {
                            throw new IllegalArgumentException("no colon");
                        }
                        at++;
                        object.put(key, value());
                    }
                    return object;
                }
                case '[': {
                    List<Object> array = new ArrayList<>();
                    for (at++; !closes(']'); ) {
                        array.add(value());
                    }
                    return array;
                }
                case '"':
                    return string();
                default: {
                    int from = at;
                    while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                        at++;
                    }
                    String word = text.substring(from, at);
                    return switch (word) {
                        case "null" -> null;
                        case "true", "false" -> Boolean.valueOf(word);
                        default -> Double.valueOf(word);
                    };
                }
            }
        }

        /** The next character that is no space; it stays unread. */
        private char peek() {
            while (Character.isWhitespace(text.charAt(at))) {
                at++;
            }
            return text.charAt(at);
        }

        /** Is this the end of the object or array? If not, whatever separates its members is skipped. */
        private boolean closes(char end) {
            char next = peek();
            at += next == end || next == ',' ? 1 : 0;
            return next == end;
        }

        private String string() {
            StringBuilder string = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char character = text.charAt(at);
                if (character == '\\') {
                    character = text.charAt(++at);
                    int control = "bfnrt".indexOf(character);
                    if (control >= 0) {
                        character = "\b\f\n\r\t".charAt(control);
                    } else if (character == 'u') {
                        character = (char) Integer.parseInt(text.substring(at + 1, at + 5), 16);
                        at += 4;
                    }
                }
                string.append(character);
            }
            at++;
            return string.toString();
        }
    }

    private final Options options;
    private final Random random;
    private Socket socket;
    /** The last action. */
    private String sent = "";
    private boolean playing;
    private String opponent = "";
    /** The columns of the game so far. */
    private final List<Integer> moves = new ArrayList<>();
    /** How many moves there were when we were asked for ours. */
    private int beforeOurs;
    /** Columns that the server did not take, this turn. */
    private final Set<Integer> refused = new HashSet<>();
    /** Where we sit; and where a seat may wait for us after a lost connection. */
    private int room = NOWHERE, keptRoom = NOWHERE;
    /** Rooms that were full when we came. */
    private final Set<Integer> full = new HashSet<>();
    private int played;
    /** Did the lobby ever let us in? Then a lost connection is worth another try. */
    private boolean wasIn;
    /** Are we logged in? */
    private boolean isIn;

    private ConnectFourBot(Options options) {
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

    /** From "connect" to the last result. A player who reconnects goes to the same room, for the same seat. */
    private void oneConnection() throws IOException, Failure {
        playing = false; // if our match still runs, "started" tells its moves
        if (room != NOWHERE) {
            keptRoom = room;
        }
        try (Socket connection = new Socket()) {
            socket = connection;
            socket.connect(new InetSocketAddress(options.host, options.port), LOGIN_TIMEOUT_MS);
            socket.setSoTimeout(LOGIN_TIMEOUT_MS);
            String proof = options.secret.isEmpty() ? "" : ",\"secret\":" + quoted(options.secret);
            send("connect", "name", quoted(options.name) + proof);
            // The reader collects bytes until a line is complete, however the network cut them up.
            var lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            for (String line; (line = lines.readLine()) != null; ) { // null: the end of the connection, not a line
                onMessage(Json.object(line), line.strip());
                if (sent.equals("disconnect")) {
                    return;
                }
            }
        }
        throw new IOException("the server closed it");
    }

    private void send(String action) throws IOException {
        write(action, "{\"action\":\"" + action + "\"}");
    }

    /** Send one action with a value, which is JSON. */
    private void send(String action, String key, String value) throws IOException {
        write(action, "{\"action\":\"" + action + "\",\"" + key + "\":" + value + "}");
    }

    /** Some actions have no answer until the other player acts, a good move has none at all. */
    private void write(String action, String json) throws IOException {
        sent = action;
        socket.getOutputStream().write((json + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Act on an event; show any other message and ignore it. */
    private void onMessage(Map<?, ?> message, String line) throws IOException, Failure {
        String event = text(message, "event");
        boolean inGame = Set.of("make move", "opponent moved", "game over").contains(event);
        switch (inGame && !playing ? "" : event) {
            case "lobby" -> onLobby(message.get("free lobbies") instanceof List<?> rooms ? rooms : List.of());
            case "game" -> {
                String other = text(message, "opponent");
                say("in room " + room + (other.equals(ALONE) ? ", waiting" : " with " + other));
                send("start"); // no answer until the other has started, too
            }
            case "started" -> onStarted(message);
            case "make move" -> makeMove();
            case "opponent moved" -> noteMove(opponent, text(message, "move"));
            case "game over" -> onResult(text(message, "winner"));
            case "error" -> onError(text(message, "reason"), message);
            default -> say("server says: " + line);
        }
    }

    /** We are in the lobby: we came in, or left, or a room was full, or nobody was left to play with. */
    private void onLobby(List<?> freeLobbies) throws IOException, Failure {
        if (played == options.matches) {
            send("disconnect");
            return;
        }
        if (!isIn) {
            say("logged in as " + options.name);
        }
        wasIn = isIn = true;
        playing = false;
        socket.setSoTimeout(0);
        room = chooseRoom(freeLobbies);
        keptRoom = NOWHERE;
        send("join", "room number", String.valueOf(room));
    }

    /** Where our seat is kept, else the room we were told, else somebody who waits, else the first free room. */
    private int chooseRoom(List<?> freeLobbies) throws Failure {
        Map<Integer, String> rooms = new LinkedHashMap<>();
        for (Object lobby : freeLobbies) {
            if (lobby instanceof Map<?, ?> fields && fields.get("room number") instanceof Double number) {
                rooms.put(number.intValue(), text(fields, "opponent"));
            }
        }
        for (int number : rooms.keySet()) {
            if (number == keptRoom || rooms.get(number).equals(options.name)) {
                return number;
            }
        }
        if (options.room != NOWHERE) {
            return options.room;
        }
        rooms.keySet().removeAll(full);
        for (int number : rooms.keySet()) {
            if (!rooms.get(number).equals(FREE)) {
                return number;
            }
        }
        if (rooms.isEmpty()) {
            throw new Failure(1, "there is no free room, try again later");
        }
        return rooms.keySet().iterator().next();
    }

    /** A new game, or ours shown again after we came back: then with all its moves. */
    private void onStarted(Map<?, ?> message) {
        opponent = text(message, "opponent");
        moves.clear();
        if (message.get("moves") instanceof List<?> soFar) {
            soFar.forEach(move -> moves.add(columnOf(String.valueOf(move))));
        }
        String soFar = moves.isEmpty() ? "" : ", " + moves.size() + " moves so far";
        say("match of Connect-four-3D against " + opponent + soFar);
        playing = true;
        full.clear();
        refused.clear();
    }

    /** Win, block, or play anywhere. */
    private void makeMove() throws IOException {
        beforeOurs = moves.size();
        int side = moves.size() % 2;
        Board board = new Board(moves);
        List<Integer> legal =
                IntStream.range(0, 16).filter(at -> !board.isFull(at) && !refused.contains(at)).boxed().toList();
        List<Integer> wins = legal.stream().filter(column -> board.wins(column, side)).toList();
        List<Integer> blocks = legal.stream().filter(column -> board.wins(column, 1 - side)).toList();
        List<Integer> best = !wins.isEmpty() ? wins : !blocks.isEmpty() ? blocks : legal;
        String move = written(best.isEmpty() ? random.nextInt(16) : best.get(random.nextInt(best.size())));
        noteMove(options.name, move);
        send("move", "move", '"' + move + '"');
    }

    /** Put a move on our board. */
    private void noteMove(String player, String move) {
        say("move " + player + " " + move);
        moves.add(columnOf(move));
        if (player.equals(opponent)) {
            refused.clear();
        }
    }

    /** The match is over; play another against the same opponent, or go. */
    private void onResult(String winner) throws IOException {
        String result = winner.equals("you") ? "win" : winner.equals("opponent") ? "loss" : "draw";
        String score = winner.equals("you") ? "1:-1" : winner.equals("opponent") ? "-1:1" : "0:0";
        say("RESULT " + result + " " + opponent + " " + score);
        playing = false;
        played++;
        // "restart" is answered by "started", or by "lobby" if the opponent has left; "exit game" by "lobby".
        send(played < options.matches ? "restart" : "exit game");
    }

    /** What went wrong. About a move, the next message tells how to go on; about anything else we do something. */
    private void onError(String reason, Map<?, ?> message) throws IOException, Failure {
        String why = reason + ": " + text(message, "message");
        List<Integer> ours = moves.subList(Math.min(beforeOurs, moves.size()), moves.size());
        say("server says: " + why);
        if (reason.equals("lobby entry denied") && wasIn) { // the server is stopping, or still holds our old connection
            throw new IOException("entry denied");
        } else if (reason.equals("game full") && room != options.room) { // somebody was faster
            full.add(room);
            room = NOWHERE;
            send("connect"); // shows the lobby again
        } else if (reason.equals("time elapsed")) { // a move was made in our place; ours, if on its way, does not count
            ours.clear();
            noteMove(options.name, text(message, "move"));
        } else if (reason.equals("invalid move") || reason.equals("move denied")) { // "make move" comes next
            refused.addAll(ours);
            ours.clear();
        } else if (!sent.equals("move")) {
            throw new Failure(1, "the server refused '" + sent + "': " + why);
        }
    }

    /** Column 6 is b2: the letter is y, the digit is x. */
    private static String written(int column) {
        return "abcd".charAt(column / 4) + String.valueOf(column % 4);
    }

    private static int columnOf(String move) {
        return move.matches("[a-d][0-3]") ? 4 * (move.charAt(0) - 'a') + move.charAt(1) - '0' : UNKNOWN;
    }

    private static String text(Map<?, ?> message, String key) {
        return message.get(key) instanceof String text ? text : "?";
    }

    private static String quoted(String text) {
        return '"' + text.replaceAll("[\"\\\\]", "\\\\$0") + '"';
    }

    private static void say(String text) {
        System.out.println(text);
    }

    /** The command line; what is missing has its default, what is wrong is one sentence. */
    private record Options(String host, int port, String name, String secret, int matches, int room, long seed,
            int retryForS) {
        private static final List<String> FLAGS =
                List.of("--host", "--port", "--name", "--secret", "--matches", "--room", "--seed", "--retry-for");

        static Options of(String[] args) throws Failure {
            Map<String, String> given = new HashMap<>(Map.of("--host", "localhost", "--port", "9090", "--name", "",
                    "--secret", "", "--matches", "1", "--retry-for", "60",
                    "--seed", String.valueOf(System.nanoTime())));
            for (int i = 0; i < args.length; i += 2) {
                if (!FLAGS.contains(args[i]) || i + 1 == args.length) {
                    throw new Failure(2, "'" + args[i] + "' is not one of " + FLAGS + ", each followed by its value");
                }
                given.put(args[i], args[i + 1].strip());
            }
            if (given.get("--name").isEmpty()) {
                throw new Failure(2, "--name NAME is needed, 1 to 16 letters and digits");
            }
            int room = given.containsKey("--room") ? (int) number(given, "--room", 0, Integer.MAX_VALUE) : NOWHERE;
            return new Options(given.get("--host"), (int) number(given, "--port", 1, 65535), given.get("--name"),
                    given.get("--secret"), (int) number(given, "--matches", 1, Integer.MAX_VALUE), room,
                    number(given, "--seed", Long.MIN_VALUE, Long.MAX_VALUE),
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
            new ConnectFourBot(Options.of(args)).run();
        } catch (Failure failure) {
            System.err.println("ConnectFourBot: " + failure.getMessage());
            System.exit(failure.exitCode);
        }
    }
}
