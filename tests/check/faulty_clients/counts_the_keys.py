"""Fits its whole line to a pattern of exactly the keys that it knows."""

import re

from correct_client import Client

KNOWN = re.compile(r'\{PLAYER: "[^"]*", MOVE: "[^"]*", DETAILS: "[^"]*"\}')


class CountsTheKeys(Client):
    def on_event(self, kind, text):
        if kind != "MOVE" or KNOWN.fullmatch(text):
            super().on_event(kind, text)


CountsTheKeys.main()
