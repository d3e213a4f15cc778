"""Chooses its next move when the opponent has moved: if it must pass, there is none to choose."""

from correct_client import Client


class AlwaysAnswersAMove(Client):
    def on_move(self, fields):
        super().on_move(fields)
        if fields["PLAYER"] != self.name and None in self.board.owners:
            self.answer = self.random.choice(self.board.legal(True))


AlwaysAnswersAMove.main()
