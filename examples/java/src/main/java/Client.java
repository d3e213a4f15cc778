import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The protocol: what the server's lines mean, and what the bot answers. Nothing in here is about winning.
 *
 * Three habits keep it out of trouble:
 * <ol>
 * <li>The fields of a line are looked up by their key, never by their position. Unknown keys and lines are ignored.
 * <li>{@code OK} and {@code ERR} answer commands, in the order in which they were sent. Every other line is news, which
 *     may come in between: the bot moves because of YOURTURN and changes its board because of MOVE, never because of
 *     an OK.
 * <li>A lost connection is not the end: log in again, and the server shows a match that is still going on from the
 *     start.
 * </ol>
 */
public class Client {
    // SVR GAME MOVE {PLAYER: "ann", MOVE: "44", DETAILS: ""}; YOURTURN may come without the braces.
    private static final Pattern EVENT = Pattern.compile("SVR GAME ([A-Z ]+?) ?(\\{.*\\})?");
    // PLAYER: "ann". A value ends where the next key or the closing brace comes: a name may have a comma in it.
    private static final Pattern FIELD = Pattern.compile("(\\w+)\\s*:\\s*\"(.*?)\"\\s*(?=,\\s*\\w+\\s*:|\\}$)");
    /** Over soon: the server has not noticed yet that our old connection is dead, or it is being restarted. */
    private static final Pattern PASSING = Pattern.compile("(?i)ERR (duplicate name|the server is stopping).*");
    /** No new match begins; the server lets those that are going on end, and closes the connection. */
    private static final Pattern STOPPING = Pattern.compile("(?i)ERR the server is about to stop.*");
    /** Between two tries to come back: each pause is twice the one before. */
    private static final int FIRST_PAUSE_MS = 250, LONGEST_PAUSE_MS = 2000;
    private static final int RETRY_PAUSE_MS = 1000; // before the same challenge again

    private final Options options;
    private final Strategy strategy;
    /** Commands whose OK or ERR has not come yet. */
    private final Queue<String> unanswered = new ArrayDeque<>();
    /** Challenges to us that are open: the challenger by the number. */
    private final Map<String, String> challenges = new LinkedHashMap<>();
    private volatile Connection connection;
    private Board board; // null if we cannot play the game
    private boolean iBegin, playing;
    private String opponent = "";
    private int played; // how many matches are over
    private boolean isIn; // are we logged in?
    private boolean wasIn; // have we ever been? Then a lost connection is worth another try
    private boolean hasAsked; // have we asked for a match since we logged in?
    private volatile boolean stopped; // another thread has called stop()

    public Client(Options options, Strategy strategy) {
        this.options = options;
        this.strategy = strategy;
    }

    public Board board() {
        return board;
    }

    public int played() {
        return played;
    }

    // ---- the connection

    /** Plays all matches, over as many connections as it takes. */
    public void run() throws GiveUp, InterruptedException {
        long pauseMs = FIRST_PAUSE_MS, lastTry = 0;
        while (!isDone()) {
            try {
                oneConnection();
            } catch (IOException problem) { // refused, reset, timed out, closed
                if (stopped) {
                    return;
                }
                if (isIn) {
                    isIn = false;
                    pauseMs = FIRST_PAUSE_MS;
                    lastTry = System.nanoTime() + options.retryFor * 1_000_000_000L;
                } else if (!wasIn || System.nanoTime() - lastTry > 0) {
                    String where = options.host + ", port " + options.port;
                    throw new GiveUp("no server at " + where + ": " + problem.getMessage());
                }
                Connection.log("-", "no connection (" + problem.getMessage() + "), trying again in " + pauseMs + " ms");
                Thread.sleep(pauseMs);
                pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
            }
        }
    }

    private boolean isDone() {
        return stopped || 0 < options.matches && options.matches <= played;
    }

    /** From login to logout. Whatever was known of a match is forgotten: the server shows it again. */
    private void oneConnection() throws IOException, GiveUp, InterruptedException {
        unanswered.clear();
        challenges.clear();
        playing = hasAsked = false;
        try (Connection opened = new Connection(options.host, options.port, options.silence)) {
            connection = opened;
            send("login " + options.name, options.secret);
            while (!isDone()) {
                onLine(nextLine());
            }
            send("logout");
        } finally {
            connection = null;
        }
    }

    /** The next line. If none comes for long, the server is asked for a sign of life. */
    private String nextLine() throws IOException {
        try {
            return connection.readLine();
        } catch (SocketTimeoutException silence) {
            send("get gamelist"); // a server that is there answers; one that is not cannot tell us
        }
        try {
            return connection.readLine();
        } catch (SocketTimeoutException silence) {
            throw new IOException("no sign of life for " + 2 * options.silence + " s");
        }
    }

    private void send(String command) throws IOException {
        send(command, "");
    }

    /** Sends one command; its answer comes later. */
    private void send(String command, String secret) throws IOException {
        unanswered.add(command);
        connection.send(command, secret);
    }

    /** Leaves at once, so that the opponent need not wait for us. Called by another thread, when the program ends. */
    public void stop() {
        stopped = true;
        Connection open = connection; // the other thread may set it to null meanwhile
        try {
            if (open != null) {
                open.send("logout", "");
                open.close(); // wakes the thread that reads
            }
        } catch (IOException gone) {
            // there is no connection any more
        }
    }

    // ---- what the server says

    /** Sorts one line: the answer to the oldest open command, or news. */
    private void onLine(String line) throws IOException, GiveUp, InterruptedException {
        if (line.equals("OK") || line.startsWith("ERR")) {
            String command = unanswered.poll();
            onAnswer(command == null ? "" : command, line);
            return;
        }
        Matcher event = EVENT.matcher(line);
        if (event.matches()) { // everything else is the banner, a chat message, a list, or something new: nothing to do
            Map<String, String> fields = new HashMap<>();
            for (Matcher field = FIELD.matcher(line); field.find();) {
                fields.put(field.group(1), field.group(2));
            }
            onEvent(event.group(1), fields);
        }
    }

    /** The server accepted this command (OK), or refused it (ERR and why). */
    private void onAnswer(String command, String answer) throws IOException, GiveUp, InterruptedException {
        if (answer.equals("OK")) {
            if (command.startsWith("login ")) {
                wasIn = isIn = true;
                send("get gamelist"); // a match of ours that is still going on is shown before the answer
            } else if (command.equals("get gamelist") && !hasAsked) {
                hasAsked = true;
                askForMatch();
            }
        } else if (PASSING.matcher(answer).matches() && wasIn) {
            throw new IOException(answer);
        } else if (command.startsWith("challenge accept ")) { // that challenge is gone
            askForMatch();
        } else if (playing || STOPPING.matcher(answer).matches()) {
            return; // a tournament was faster than we were; or the server will close the connection in a moment
        } else if (command.startsWith("challenge ") && played > 0) {
            Thread.sleep(RETRY_PAUSE_MS); // our opponent is busy, or has lost the connection as well
            askForMatch();
        } else if (command.matches("(login|subscribe|challenge) .*")) {
            throw new GiveUp("the server refused '" + command + "': " + answer);
        }
        // A refused move came too late or too early. If it is still our turn, YOURTURN comes again.
    }

    /** Looks for the next opponent, unless a match has begun already. */
    private void askForMatch() throws IOException {
        if (playing) {
            return;
        }
        if (!options.challenge.isEmpty()) {
            send("challenge \"" + options.challenge + "\" \"" + options.game + "\"");
        } else if (!challenges.isEmpty()) { // the oldest first
            String number = challenges.keySet().iterator().next();
            Connection.log("-", "accepting the challenge of " + challenges.remove(number));
            send("challenge accept " + number);
        } else if (!options.game.isEmpty()) {
            send("subscribe " + options.game);
        }
    }

    /** Something happened in the game, or is about to. */
    private void onEvent(String kind, Map<String, String> fields) throws IOException {
        switch (kind) {
            case "MATCH" -> onMatch(fields);
            case "CHALLENGE" -> onChallenge(fields);
            case "CHALLENGE CANCELLED" -> challenges.remove(fields.getOrDefault("CHALLENGENUMBER", ""));
            case "MOVE" -> onMove(fields);
            case "YOURTURN" -> onTurn(); // nothing counts turns: if the opponent must pass, it comes twice
            case "WIN", "LOSS", "DRAW" -> onResult(kind.toLowerCase(Locale.ROOT), fields);
            default -> { } // an event that we do not know
        }
    }

    /** Accepts it if we have nothing better to do, else after the match. */
    private void onChallenge(Map<String, String> fields) throws IOException {
        String game = fields.getOrDefault("GAMETYPE", "");
        if (!options.challenge.isEmpty() || !Board.SIZES.containsKey(game)
                || !options.game.isEmpty() && !options.game.equals(game)) {
            return;
        }
        challenges.put(fields.getOrDefault("CHALLENGENUMBER", ""), fields.getOrDefault("CHALLENGER", ""));
        if (unanswered.stream().noneMatch(command -> command.startsWith("challenge accept "))) {
            askForMatch();
        }
    }

    /** A match begins, or is shown again after we came back. Either way it starts with an empty board. */
    private void onMatch(Map<String, String> fields) {
        String game = fields.getOrDefault("GAMETYPE", "");
        playing = true;
        iBegin = options.name.equals(fields.get("PLAYERTOMOVE"));
        opponent = fields.getOrDefault("OPPONENT", "");
        board = Board.SIZES.containsKey(game) ? new Board(game, iBegin) : null;
        Connection.log("-", "match of " + game + " against " + opponent + ", " + (iBegin ? "I begin" : "they begin"));
    }

    /** Asks the strategy for a move, and sends it. */
    private void onTurn() throws IOException {
        if (!playing) {
            return;
        }
        List<Integer> moves = board == null ? List.of() : board.legalMoves(Board.ME);
        if (moves.isEmpty()) {
            Connection.log("-", "there is nothing that I could play");
            send("forfeit");
            return;
        }
        int move = -1;
        try {
            move = strategy.choose(board.copy(), moves);
        } catch (RuntimeException bug) { // a bug in the strategy should cost a good move, not the tournament
            bug.printStackTrace();
        }
        if (!moves.contains(move)) {
            Connection.log("-", "the strategy found no legal move, playing " + moves.get(0) + " instead of " + move);
            move = moves.get(0);
        }
        send("move " + move);
    }

    /** Somebody moved: our own moves reach our board only here. An illegal one is announced too, and then loses. */
    private void onMove(Map<String, String> fields) {
        int player = options.name.equals(fields.get("PLAYER")) ? Board.ME : Board.OPPONENT;
        String move = fields.getOrDefault("MOVE", "");
        if (playing && board != null && move.matches("[0-9]{1,2}")
                && board.legalMoves(player).contains(Integer.valueOf(move))) {
            board.play(Integer.parseInt(move), player);
        }
    }

    /** The match is over. The scores are those of the player who began and of the other. */
    private void onResult(String result, Map<String, String> fields) throws IOException {
        if (!playing) {
            return;
        }
        String first = fields.getOrDefault("PLAYERONESCORE", "?"), second = fields.getOrDefault("PLAYERTWOSCORE", "?");
        String score = iBegin ? first + ":" + second : second + ":" + first;
        Connection.log("-", "RESULT " + result + " " + opponent + " " + score);
        playing = false;
        played++;
        if (!isDone()) {
            askForMatch();
        }
    }
}
