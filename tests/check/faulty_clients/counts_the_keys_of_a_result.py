"""Fits its whole line to a pattern of exactly the keys that it knows, where a match ends."""

import re

from correct_client import Client

KNOWN = re.compile(r'\{PLAYERONESCORE: "[^"]*", PLAYERTWOSCORE: "[^"]*", COMMENT: "[^"]*"\}')


class CountsTheKeysOfAResult(Client):
    def on_event(self, kind, text):
        if kind not in ("WIN", "LOSS", "DRAW") or KNOWN.fullmatch(text):
            super().on_event(kind, text)


CountsTheKeysOfAResult.main()
