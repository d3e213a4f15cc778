"""Expects the turns to alternate: after its own move it waits for the opponent's, even if that is skipped."""

from correct_client import Client


class DoesNotKnowAPass(Client):
    waits = False

    def on_match(self, fields):
        super().on_match(fields)
        self.waits = not self.begins(fields)

    def on_move(self, fields):
        super().on_move(fields)
        self.waits = fields["PLAYER"] == self.name

    def on_turn(self):
        if not self.waits:
            super().on_turn()


DoesNotKnowAPass.main()
