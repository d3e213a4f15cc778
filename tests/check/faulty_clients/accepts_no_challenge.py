"""Ignores challenges."""

from correct_client import Client


class AcceptsNoChallenge(Client):
    def on_challenge(self, fields):
        """Nobody has written this yet."""


AcceptsNoChallenge.main()
