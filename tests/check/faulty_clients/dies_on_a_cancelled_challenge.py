"""Looks for the challenger in the line that takes a challenge back, which has only its number."""

from correct_client import Client


class DiesOnACancelledChallenge(Client):
    def on_cancelled(self, fields):
        print(fields["CHALLENGER"], "has changed their mind")


DiesOnACancelledChallenge.main()
