"""The common part of the clients of the 3D Connect Four server: a line a message, and a board that only counts."""

import json
import random
import socket
import time
from collections.abc import Sequence


class Wire:
    """Reads one message at a time, as they do, and keeps the heights of the columns."""

    def __init__(self, host: str, port: str) -> None:
        self.socket = socket.create_connection((host, int(port)))
        self.lines = self.socket.makefile("rb")
        self.random = random.Random(port)
        self.heights = dict.fromkeys([y + x for y in "abcd" for x in "0123"], 0)

    def send(self, action: str, **more: object) -> None:
        self.socket.sendall(json.dumps({"action": action} | more).encode() + b"\n")

    def read(self) -> dict[str, object]:
        line = self.lines.readline()
        if not line:
            raise SystemExit("the server closed the connection")
        return json.loads(line)

    def play(self, column: str) -> None:
        self.heights[column] = self.heights.get(column, 0) + 1

    def move(self) -> str:
        """Send a move that is legal, by all that this client has put on its board."""
        column = self.random.choice([column for column, height in self.heights.items() if height < 4])
        self.send("move", move=column)
        return column

    def new_game(self) -> None:
        self.heights = dict.fromkeys(self.heights, 0)


def room_of(lobby: dict[str, object], full: Sequence[int] = ()) -> int:
    """The room that a person chooses who sees this list: where somebody waits, else the first."""
    rooms = [room for room in lobby["free lobbies"] if room["room number"] not in full]
    waiting = [room for room in rooms if room["opponent"] != "No player1 yet"]
    return (waiting or rooms)[0]["room number"]


pause = time.sleep
