"""A driver for the contract kit: a player of the `Type|JSON` protocol breaks the code of the house."""

from collections.abc import Sequence

from games.mastermind.board import read_code
from gameserver.testing import Driver, Over, PositionTold, Told, YourTurn
from tests.clients.mastermind import Answered, Ended, Erred, MastermindClient


class MastermindDriver(Driver):
    """A player who asks for one game of a code that is long enough to be known when it is seen, and guesses."""

    def __init__(self, wire, name):
        super().__init__(wire, name)
        self.client = MastermindClient()
        self.turns = []

    def find(self, game: str) -> None:
        self.wire.send(self.client.new_game(10, 12, 8) + b"\n")

    def move(self, game: str, text: str) -> None:
        self.wire.send(self.client.guess(read_code(text)) + b"\n")

    def read(self, data: bytes) -> Sequence[Told]:
        told = [told for heard in self.client.receive(data) for told in self._told(heard)]
        self.client.end()
        return told

    def _told(self, heard) -> Sequence[Told]:
        if isinstance(heard, Ended):
            return [Over("win" if heard.won else "loss")]
        assert not isinstance(heard, Erred), heard
        if isinstance(heard, Answered):
            exact, partial = heard.answer.count(0), heard.answer.count(1)
            self.turns.append({"guess": heard.guess, "exact": exact, "partial": partial})
        return [YourTurn(), PositionTold({"turns": list(self.turns), "secret": None})]
