"""Takes its name in PLAYERTOMOVE for its turn, also as a part of the opponent's name."""

from correct_client import Client


class NameAnywhereInTheLine(Client):
    def on_match(self, fields):
        super().on_match(fields)
        if self.name in fields["PLAYERTOMOVE"] != self.name:
            self.on_turn()


NameAnywhereInTheLine.main()
