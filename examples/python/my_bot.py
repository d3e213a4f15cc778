"""Starts the bot: reads the command line, and lets the client play with your strategy.

python3 my_bot.py HOST PORT NAME [--game GAME] [--challenge OPPONENT] [--matches K] [--secret SECRET]
    [--retry-for SECONDS] [--silence SECONDS]
"""

import argparse
import signal
import sys

from board import SIZES
from client import Client, GiveUp, Options
from strategy import choose


def main() -> None:
    """Play until all matches are over, or somebody stops the bot."""
    parser = argparse.ArgumentParser(description="Play on a game server.")
    parser.add_argument("host", help="where the server runs, such as localhost")
    parser.add_argument("port", type=int, help="its port for the text protocol, such as 7789")
    parser.add_argument("name", type=str.strip, help="the name to log in with")
    parser.add_argument("--game", default="", choices=SIZES, help="look for opponents; else wait to be called")
    parser.add_argument("--challenge", default="", metavar="OPPONENT", help="challenge this player, at --game")
    parser.add_argument("--matches", default=0, type=int, help="how many to play (until stopped)")
    parser.add_argument("--secret", default="", type=str.strip, help="your secret, if the teacher gave you one")
    parser.add_argument("--retry-for", default=60, type=int, metavar="SECONDS", help="try that long to come back (60)")
    parser.add_argument("--silence", default=20, type=int, metavar="SECONDS", help="then ask for a sign of life (20)")
    options = parser.parse_args()
    if options.challenge and not options.game:
        parser.error("--challenge needs --game")
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # Windows would fail at some names
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends the program means what Ctrl-C means
    try:
        Client(Options(**vars(options)), choose).run()
    except GiveUp as problem:
        sys.exit(f"my_bot: {problem}")
    except KeyboardInterrupt:
        print("stopped")


if __name__ == "__main__":
    main()
