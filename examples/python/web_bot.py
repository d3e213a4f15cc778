#!/usr/bin/env python3
"""A bot with random legal moves for the protocol of the browser, `web`: JSON over a WebSocket. It plays every game.

    pip install websockets
    python3 web_bot.py --name ann --game Reversi

It needs no rules: with each turn it asks for the board, which lists the legal moves. The key that it is given with the
welcome takes its seat back after a lost connection or a restart of the server.
"""

import argparse
import json
import random
import sys
import time

from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

PAUSE_S = 0.5


class Bot:
    """A player, through all its connections."""

    def __init__(self, name: str, game: str, matches: int) -> None:
        self.name, self.game, self.left = name, game, matches
        self.key: str | None = None
        self.is_done = False

    def say(self, socket: ClientConnection, do: str, **rest: object) -> None:
        """Send a message."""
        socket.send(json.dumps({"do": do, **rest}))

    def hear(self, socket: ClientConnection, message: dict) -> None:
        """Do what a message asks for. Messages and keys that it does not know are passed over."""
        tell = message.get("tell")
        if tell == "hello":
            self.say(socket, "login", name=self.name, **({"key": self.key} if self.key else {}))
        elif tell == "welcome":
            self.key = message["key"]
            self.say(socket, "seek", game=self.game)
        elif tell == "challenged":
            self.say(socket, "accept", number=message["number"])
        elif tell == "paired":
            self.say(socket, "ready")
        elif tell == "turn":
            self.say(socket, "board")
        elif tell == "board" and message["moves"]:
            self.say(socket, "move", move=random.choice(message["moves"]), match=message["match"])
        elif tell == "match over":
            self.match_over(socket, message)
        elif tell == "error":
            print(f"server refused {message['do']!r}: {message['why']}", flush=True)
            if message["do"] == "login":
                self.is_done = True

    def match_over(self, socket: ClientConnection, message: dict) -> None:
        """Tell the result, and look for the next opponent."""
        print(f"RESULT {message['result']} {message['reason']}", flush=True)
        self.left -= 1
        self.is_done = self.left == 0
        if not self.is_done:
            self.say(socket, "seek", game=self.game)

    def play(self, url: str, retry_s: float) -> int:
        """Play to the end of the last match, and come back if the connection is lost. Gives the exit code."""
        give_up_s = time.monotonic() + retry_s
        while time.monotonic() < give_up_s:
            try:
                with connect(url, max_size=None) as socket:
                    for text in socket:
                        self.hear(socket, json.loads(text))
                        give_up_s = time.monotonic() + retry_s
                        if self.is_done:
                            return 0 if self.left == 0 else 1
            except (OSError, WebSocketException) as error:
                print(f"connection lost: {error}", flush=True)
            time.sleep(PAUSE_S)
        print(f"no server at {url} for {retry_s:g} s", flush=True)
        return 1


def main() -> int:
    """Read the arguments and play."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--name", required=True)
    options.add_argument("--game", required=True)
    options.add_argument("--host", default="localhost")
    options.add_argument("--port", type=int, default=8080)
    options.add_argument("--matches", type=int, default=1)
    options.add_argument("--retry-for", dest="retry_s", type=float, default=60.0, metavar="SECONDS")
    given = options.parse_args()
    url = f"ws://{given.host}:{given.port}/play/socket"
    return Bot(given.name, given.game, given.matches).play(url, given.retry_s)


if __name__ == "__main__":
    sys.exit(main())
