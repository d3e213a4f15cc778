"""Keeps its results in a table that the ninth match does not fit into."""

from correct_client import Client


class TableOfEightResults(Client):
    def __init__(self, *options):
        super().__init__(*options)
        self.results = [""] * 8
        self.played = 0

    def on_end(self, kind, fields):
        self.results[self.played] = kind
        self.played += 1
        super().on_end(kind, fields)


TableOfEightResults.main()
