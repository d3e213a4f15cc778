import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Plays recorded conversations again, to the bot.
 *
 * A recording is the log of a bot. A server of our own sends its {@code <} lines, and expects its {@code >} lines from
 * the bot. Put the log of a match that went wrong into recorded/, and it is played again here, as often as it takes to
 * find the mistake. {@code mvn test} runs the methods that begin with "test", and so does {@code main}.
 */
public class RecordedTest {
    private static final Path RECORDED = Path.of("recorded");
    // 12:00:01.123 > move 19
    private static final Pattern SPOKEN = Pattern.compile("\\S+ ([<>].*)");
    private static final Pattern RESULT = Pattern.compile("< SVR GAME (WIN|LOSS|DRAW) .*");
    private static final Pattern NEWS = Pattern.compile("< SVR GAME (MATCH|WIN|LOSS|DRAW) .*");
    private static final Pattern SUBSCRIBED = Pattern.compile("> subscribe (.*)");
    private static final Pattern CHALLENGED = Pattern.compile("> challenge \"(.*)\" \"(.*)\"");

    public static void main(String[] args) throws Exception {
        new RecordedTest().testWholeLines();
        new RecordedTest().testByteByByte();
        System.out.println("the bot passed");
    }

    /** Every line in a packet of its own, or several in one. */
    public void testWholeLines() throws Exception {
        playAll(false);
    }

    /** Every byte alone. */
    public void testByteByByte() throws Exception {
        playAll(true);
    }

    private void playAll(boolean cut) throws Exception {
        try (DirectoryStream<Path> recordings = Files.newDirectoryStream(RECORDED, "*.txt")) {
            for (Path recording : recordings) {
                System.out.println("==== " + recording.getFileName() + (cut ? ", byte by byte" : ""));
                play(spoken(recording), cut);
            }
        }
    }

    /**
     * The lines of server and bot, each line beginning with `<` or `>`; without signs of life (here nobody is silent for
     * long) and the logout at the end.
     */
    private List<String> spoken(Path recording) throws IOException {
        List<String> spoken = new ArrayList<>();
        String command = "";
        int answers = 0;
        for (String line : Files.readAllLines(recording)) {
            Matcher found = SPOKEN.matcher(line);
            if (!found.matches()) {
                continue;
            }
            String text = found.group(1);
            if (text.equals("> get gamelist") && !command.startsWith("> login ")) {
                answers = 2; // OK and the list
            } else if (answers > 0 && (text.equals("< OK") || text.startsWith("< SVR GAMELIST "))) {
                answers--;
            } else {
                spoken.add(text);
            }
            command = text.startsWith(">") ? text : command;
        }
        if (spoken.get(spoken.size() - 1).equals("> logout")) {
            spoken.remove(spoken.size() - 1);
        }
        return spoken;
    }

    private void play(List<String> spoken, boolean cut) throws Exception {
        RecordedServer server = new RecordedServer(spoken, cut);
        Options options = optionsOf(spoken, server.port());
        SameMoves strategy = new SameMoves(spoken);
        Client client = new Client(options, strategy);
        server.start();
        try {
            client.run();
        } catch (GiveUp end) {
            // the server is gone, because the conversation is over
        }
        server.join();
        check(server.problem().isEmpty(), server.problem());
        check(strategy.problem.isEmpty(), strategy.problem);
        long results = spoken.stream().filter(line -> RESULT.matcher(line).matches()).count();
        check(client.played() == results, "the bot counts " + client.played() + " matches, not " + results);
        List<String> news = spoken.stream().filter(line -> NEWS.matcher(line).matches()).toList();
        String last = news.get(news.size() - 1);
        Board board = client.board();
        if (board != null && board.game.equals("Reversi") && last.contains("COMMENT: \"\"")) { // played to its end
            String discs = "\"" + count(board, Board.ME) + "\"";
            check(last.contains(discs), "the bot's board has " + discs + " discs of its own: " + last);
        }
    }

    /** The options with which that bot was started; they show in what it said. */
    private Options optionsOf(List<String> spoken, int port) {
        String login = spoken.stream().filter(line -> line.startsWith("> login ")).findFirst().orElseThrow();
        Options options = new Options("127.0.0.1", port, login.substring("> login ".length()));
        options.retryFor = 0;
        for (String line : spoken) {
            Matcher subscribed = SUBSCRIBED.matcher(line), challenged = CHALLENGED.matcher(line);
            if (subscribed.matches()) {
                options.game = subscribed.group(1);
            } else if (challenged.matches()) {
                options.challenge = challenged.group(1);
                options.game = challenged.group(2);
            }
        }
        return options;
    }

    private long count(Board board, int player) {
        return Arrays.stream(board.cells).filter(owner -> owner == player).count();
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    /** Chooses the moves of the recording, and looks whether your strategy would have found a legal one. */
    private static class SameMoves extends Strategy {
        private final Iterator<Integer> moves;
        String problem = "";

        SameMoves(List<String> spoken) {
            moves = spoken.stream().filter(line -> line.startsWith("> move "))
                    .map(line -> Integer.valueOf(line.substring("> move ".length()))).iterator();
        }

        @Override
        public int choose(Board board, List<Integer> legal) {
            int yours = super.choose(board.copy(), legal), recorded = moves.next();
            if (!legal.contains(yours)) {
                problem = "your strategy chose " + yours + ", which is none of " + legal;
            } else if (!legal.contains(recorded)) {
                problem = "the recorded move " + recorded + " is none of " + legal;
            }
            return recorded;
        }
    }
}
