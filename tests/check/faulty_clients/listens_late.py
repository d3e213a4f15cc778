"""Sets up its board in another thread when a match begins: what comes within 50 ms of MATCH is lost."""

import time

from correct_client import Client


class ListensLate(Client):
    ready_at = 0.0

    def on_match(self, fields):
        super().on_match(fields)
        self.ready_at = time.monotonic() + 0.05

    def on_move(self, fields):
        if time.monotonic() > self.ready_at:
            super().on_move(fields)


ListensLate.main()
