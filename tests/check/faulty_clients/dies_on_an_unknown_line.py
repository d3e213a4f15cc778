"""Treats a line that it does not know as an error in the protocol."""

from correct_client import Client


class DiesOnAnUnknownLine(Client):
    def on_other(self, line):
        if self.is_in and not line.startswith(("SVR GAMELIST", "SVR PLAYERLIST", "SVR HELP")):
            raise ValueError(line)

    def on_event(self, kind, text):
        if kind not in ("MATCH", "YOURTURN", "MOVE", "WIN", "LOSS", "DRAW", "CHALLENGE", "CHALLENGE CANCELLED"):
            raise ValueError(kind)
        super().on_event(kind, text)


DiesOnAnUnknownLine.main()
