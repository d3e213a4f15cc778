"""Puts its own move on its board when OK comes, and ignores the MOVE line that tells of it.

After a reconnect it has only the opponent's moves: no OK comes for its own, which are told again with them.
"""

from correct_client import Client


class TakesOkForItsMove(Client):
    chosen = None

    def send(self, command):
        super().send(command)
        self.chosen = int(command.removeprefix("move ")) if command.startswith("move ") else None

    def on_ok(self):
        if self.chosen is not None:
            self.board.play(self.chosen, True)
        super().on_ok()

    def on_move(self, fields):
        if fields["PLAYER"] != self.name:
            super().on_move(fields)


TakesOkForItsMove.main()
