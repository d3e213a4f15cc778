"""Looks for a sender that the text protocol does not name so."""

from correct_client import Client


class DiesOnChat(Client):
    def on_chat(self, line):
        print(self.fields(line)["PLAYER"])


DiesOnChat.main()
