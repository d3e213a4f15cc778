/** The bot cannot go on; the message says why. */
public class GiveUp extends Exception {
    private static final long serialVersionUID = 1;

    public GiveUp(String why) {
        super(why);
    }
}
