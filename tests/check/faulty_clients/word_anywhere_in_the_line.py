"""Looks for the word YOURTURN in the whole line, where a name or a chat message may have it, too."""

from correct_client import Client


class WordAnywhereInTheLine(Client):
    def on_line(self, line):
        super().on_line(line)
        if "YOURTURN" in line and not line.startswith("SVR GAME YOURTURN") and self.is_playing:
            self.on_turn()


WordAnywhereInTheLine.main()
