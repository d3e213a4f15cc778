"""Splits a map at `, ` and its entries at `: `, so a name or a text with one of these breaks it."""

from correct_client import Client


class SplitsAtColons(Client):
    def fields(self, text):
        found = {}
        for entry in text.strip("{}").split(", "):
            key, quoted = entry.split(": ")
            found[key] = quoted.strip('"')
        return found


SplitsAtColons.main()
