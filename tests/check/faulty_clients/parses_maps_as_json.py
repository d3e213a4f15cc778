"""Puts quotation marks around the keys and parses the map as JSON, which a quotation mark in a name breaks."""

import json
import re

from correct_client import Client


class ParsesMapsAsJson(Client):
    def fields(self, text):
        return json.loads(re.sub(r'([{ ])(\w+): "', r'\1"\2": "', text))


ParsesMapsAsJson.main()
