"""Expects a value to be one word of letters, digits and dashes."""

import re

from correct_client import Client


class NamesAreWords(Client):
    def fields(self, text):
        return dict(re.findall(r'(\w+): "([A-Za-z0-9_-]+)"', text))


NamesAreWords.main()
