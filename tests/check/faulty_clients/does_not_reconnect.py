"""Ends when the connection does."""

import sys

from correct_client import Client


class DoesNotReconnect(Client):
    def run(self):
        try:
            self.play_until_it_closes()
        except OSError as problem:
            sys.exit(f"connection lost: {problem}")


DoesNotReconnect.main()
