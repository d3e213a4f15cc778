"""Answers a challenge at once, and hears nothing until its match begins: even while it plays another one."""

from correct_client import Client


class BlocksOnAChallenge(Client):
    blocks = False

    def on_challenge(self, fields):
        self.send(f"challenge accept {fields['CHALLENGENUMBER']}")
        self.blocks = True

    def on_line(self, line):
        if line.startswith("SVR GAME MATCH"):
            self.blocks = False
        if not self.blocks:
            super().on_line(line)


BlocksOnAChallenge.main()
