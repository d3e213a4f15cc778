/** The name, the server and the game: the arguments of the command line. */
public class Options {
    public static final String USAGE =
            "usage: java -jar MyBot.jar HOST PORT NAME [--game GAME] [--challenge OPPONENT] [--matches K]\n"
            + "    [--secret SECRET] [--retry-for SECONDS] [--silence SECONDS]";

    public String host;
    public int port;
    public String name;
    /** Look for opponents at this game; without it wait to be called or challenged, as in a tournament. */
    public String game = "";
    /** Challenge this player again and again instead. */
    public String challenge = "";
    public String secret = "";
    /** How many to play; 0 means until the bot is stopped. */
    public int matches = 0;
    /** Seconds to try to come back after a lost connection. */
    public int retryFor = 60;
    /** Seconds without a line after which the server is asked for a sign of life. */
    public int silence = 20;

    public Options(String host, int port, String name) {
        this.host = host;
        this.port = port;
        this.name = name.strip();
    }

    /** Reads the command line; throws an IllegalArgumentException that says what is wrong with it. */
    public static Options of(String[] args) {
        if (args.length < 3) {
            throw new IllegalArgumentException("HOST, PORT and NAME are needed");
        }
        Options options = new Options(args[0], number("PORT", args[1]), args[2]);
        for (int i = 3; i < args.length; i += 2) {
            if (i + 1 == args.length) {
                throw new IllegalArgumentException(args[i] + " needs a value");
            }
            String value = args[i + 1].strip();
            switch (args[i]) {
                case "--game" -> options.game = value;
                case "--challenge" -> options.challenge = value;
                case "--matches" -> options.matches = number(args[i], value);
                case "--secret" -> options.secret = value;
                case "--retry-for" -> options.retryFor = number(args[i], value);
                case "--silence" -> options.silence = number(args[i], value);
                default -> throw new IllegalArgumentException("there is no " + args[i]);
            }
        }
        if (!options.game.isEmpty() && !Board.SIZES.containsKey(options.game)) {
            throw new IllegalArgumentException("--game is one of " + String.join(", ", Board.SIZES.keySet()));
        }
        if (!options.challenge.isEmpty() && options.game.isEmpty()) {
            throw new IllegalArgumentException("--challenge needs --game");
        }
        return options;
    }

    private static int number(String what, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException(what + " needs a number, not " + text);
        }
    }
}
