"""Waits for the OK of `subscribe` by itself, and throws away what came in the same packet."""

from correct_client import Client


class DropsWhatComesWithOk(Client):
    waits = False

    def look_for_match(self):
        super().look_for_match()
        self.waits = True

    def read(self):
        data = super().read()
        if self.waits and b"OK\r\n" in data:
            self.waits = False
            return b"OK\r\n"
        return data


DropsWhatComesWithOk.main()
