"""Knows WIN and LOSS only: after a draw it still waits for its turn."""

from correct_client import Client


class DoesNotKnowADraw(Client):
    def on_event(self, kind, text):
        if kind != "DRAW" and not (kind == "MATCH" and self.is_playing):
            super().on_event(kind, text)


DoesNotKnowADraw.main()
