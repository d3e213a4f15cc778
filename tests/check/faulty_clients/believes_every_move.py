"""Reads every move as a number, also the one by which the opponent has just lost."""

from correct_client import Client


class BelievesEveryMove(Client):
    def on_move(self, fields):
        self.board.owners[int(fields["MOVE"])] = fields["PLAYER"] == self.name
        super().on_move(fields)


BelievesEveryMove.main()
