"""How a player of the `Type|JSON` protocol plays, for the contract kit: it breaks the code of the house."""

import json
from collections.abc import Sequence

from games.mastermind.code import Code, read_code
from gameserver.testing import Driver, Over, Position, Told, YourTurn

SIZE = {"NbrColors": 10, "MaxTries": 12, "CodeLength": 8}
"""Long enough for a code to be known when it is seen."""


class MastermindDriver(Driver):
    """A player who asks for one game, and guesses."""

    guess: Code = ()

    def __init__(self, wire, name):
        super().__init__(wire, name)
        self.turns = []

    def find(self, game: str) -> None:
        self.wire.send(b"0|" + json.dumps(SIZE).encode() + b"\n")

    def move(self, game: str, text: str) -> None:
        self.guess = read_code(text)
        self.wire.send(b"1|" + json.dumps({"Guess": self.guess}).encode() + b"\n")

    def read(self, data: bytes) -> Sequence[Told]:
        if not data.endswith(b"\n"):
            raise ValueError("the last line has no end")
        return [told for line in data.splitlines() for told in self._told(line)]

    def _told(self, line: bytes) -> Sequence[Told]:
        kind, body = line.split(b"|", 1)
        message = json.loads(body)
        if kind == b"3":
            return [Over("win" if message["Won"] else "loss")]
        if kind == b"6":
            raise ValueError(message["Message"])
        if kind == b"2":
            exact, partial = message["Answer"].count(0), message["Answer"].count(1)
            self.turns.append({"guess": self.guess, "exact": exact, "partial": partial})
        return [YourTurn(), Position({"turns": list(self.turns), "secret": None})]
