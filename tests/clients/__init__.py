"""One strict client for each protocol: bytes come in and events go out, commands come in and bytes go out.

A client knows its protocol's document and what was said on its connection, and no more: no socket, no clock, nothing of
the server. It raises `Refused` for whatever the document forbids.
"""


class Refused(AssertionError):
    """The server said what the protocol's document forbids."""
