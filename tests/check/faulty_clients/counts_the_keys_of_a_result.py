"""Unpacks exactly the values that it knows, where a match ends."""

from correct_client import Client


class CountsTheKeysOfAResult(Client):
    def on_end(self, kind, fields):
        own_score, other_score, comment = fields.values()
        print(kind, own_score, other_score, comment, flush=True)
        super().on_end(kind, fields)


CountsTheKeysOfAResult.main()
