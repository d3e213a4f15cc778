/** Starts the bot: reads the command line, and lets the client play with your strategy. */
public class MyBot {
    public static void main(String[] args) throws InterruptedException {
        try {
            Client client = new Client(Options.of(args), new Strategy());
            // Ctrl-C, or whoever ends the program: Java runs this before it ends.
            Runtime.getRuntime().addShutdownHook(new Thread(client::stop));
            client.run();
        } catch (IllegalArgumentException wrong) {
            System.err.println("MyBot: " + wrong.getMessage() + "\n" + Options.USAGE);
            System.exit(2);
        } catch (GiveUp problem) {
            System.err.println("MyBot: " + problem.getMessage());
            System.exit(1);
        }
    }
}
