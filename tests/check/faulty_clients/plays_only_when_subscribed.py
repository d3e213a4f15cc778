"""Ignores a match that it has not asked for, as a tournament calls one; it subscribes half a second after the last."""

import threading

from correct_client import Client


class PlaysOnlyWhenSubscribed(Client):
    is_subscribed = False

    def look_for_match(self):
        threading.Timer(0.5, self.subscribe).start()

    def subscribe(self):
        super().look_for_match()
        self.is_subscribed = True

    def on_match(self, fields):
        if self.is_subscribed:
            super().on_match(fields)
        self.is_subscribed = False


PlaysOnlyWhenSubscribed.main()
