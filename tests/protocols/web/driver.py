"""A driver for the contract kit: a player of the protocol `web`."""

import json
from collections.abc import Sequence

from gameserver.testing import Driver, Moved, Over, Told, YourTurn
from tests.clients.web import key_of, line


class WebDriver(Driver):
    """A player who is ready as soon as it is asked."""

    comes_back = True

    def find(self, game: str) -> None:
        self.wire.send(line(do="login", name=self.name, key=key_of(self.name)))
        self.wire.send(line(do="seek", game=game))

    def move(self, game: str, text: str) -> None:
        self.wire.send(line(do="move", move=text))

    def come_back(self, before: Driver) -> None:
        self.wire.send(line(do="login", name=self.name, key=key_of(self.name)))

    def read(self, data: bytes) -> Sequence[Told]:
        told: list[Told] = []
        for message in messages(data):
            if message["tell"] == "paired" or message.get("ready_by_ms") is not None:
                self.wire.send(line(do="ready"))
            if message["tell"] == "turn":
                told.append(YourTurn())
            elif message["tell"] == "moved" and message["player"]:  # nobody makes the moves that are dice
                told.append(Moved(message["move"], is_own=message["player"] == self.name))
            elif message["tell"] == "game over":
                told.append(Over("draw" if message["result"] == "void" else message["result"]))
        return told


def messages(data: bytes) -> Sequence[dict[str, object]]:
    """The server's messages; raises `ValueError` if the last is not whole."""
    if data and not data.endswith(b"\n"):
        raise ValueError("the last line has no end")
    return [json.loads(text) for text in data.splitlines()]
