"""Sees YOURTURN only with its map behind it."""

from correct_client import Client


class IgnoresATurnWithoutText(Client):
    def on_line(self, line):
        if not line.endswith("YOURTURN"):
            super().on_line(line)


IgnoresATurnWithoutText.main()
