"""Shows the last move when a match ends, though a match that is given up may have none."""

from correct_client import Client


class DoesNotKnowAForfeit(Client):
    def on_match(self, fields):
        super().on_match(fields)
        self.moves = []

    def on_move(self, fields):
        super().on_move(fields)
        self.moves.append(fields["MOVE"])

    def on_end(self, kind, fields):
        print("the last move was", self.moves[-1])
        super().on_end(kind, fields)


DoesNotKnowAForfeit.main()
