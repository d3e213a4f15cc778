"""Lines that many receivers are told alike: each is put into words once.

The receivers of an event follow each other, so the latest line of a kind is enough. The protocol
owns them, one of each kind for all its connections.
"""

from attrs import Factory, define


@define
class LatestLine:
    """The event that was put into words last, and its line."""

    event: object = None
    line: bytes = b""


@define
class SharedLines:
    """The latest line of each kind."""

    move: LatestLine = Factory(LatestLine)
    """A move, which all players of its match are told."""
    players: LatestLine = Factory(LatestLine)
    """The list of players, of whatever length, which everybody may ask for."""
