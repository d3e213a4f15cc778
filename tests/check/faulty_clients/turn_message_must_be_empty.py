"""Compares the line of its turn with the one that it has always seen."""

from correct_client import Client


class TurnMessageMustBeEmpty(Client):
    def on_line(self, line):
        if not line.startswith("SVR GAME YOURTURN") or line == 'SVR GAME YOURTURN {TURNMESSAGE: ""}':
            super().on_line(line)


TurnMessageMustBeEmpty.main()
