"""Clears its match 80 ms after the end, in another thread: a match that has begun meanwhile is cleared with it."""

import threading

from correct_client import Client


class ClearsItsMatchLate(Client):
    def on_end(self, kind, fields):
        threading.Timer(0.08, super().on_end, [kind, fields]).start()


ClearsItsMatchLate.main()
