"""The text protocol's profiles, as its clients know them: what differs is said here, from the protocol page."""

from collections.abc import Mapping

from attrs import Factory, frozen

from tests.clients.strategic import BANNERS

_COMMENTS = {
    "resigned": "Player forfeited match",
    "late": "Turn timelimit reached",
    "illegal move": "Illegal move",
    "dropped": "Client disconnected",
    "void": "Match void",
}


@frozen
class Tongue:
    """One profile."""

    banner: tuple[str, str]
    comments: Mapping[str, str] = Factory(lambda: _COMMENTS)
    """Of a match that ended otherwise than by play, by the reason on record."""
    scored: tuple[str, ...] = ("played", "illegal move")
    """The endings that the game's own score is told of."""
    forfeit: Mapping[str, str] = Factory(lambda: {"win": "0", "loss": "0"})
    """The score of a winner and a loser otherwise."""


TONGUES: Mapping[str, Tongue] = {
    "document": Tongue(BANNERS["document"]),
    "2009": Tongue(BANNERS["2009"]),
    "2015": Tongue(BANNERS["2015"]),
    "2016": Tongue(BANNERS["2016"]),
    "ngs": Tongue(
        BANNERS["ngs"],
        {**_COMMENTS, "resigned": "Player forfeited", "illegal move": "Invalid move"},
        ("played",),
        {"win": "1", "loss": "-1"},
    ),
}
"""By name."""
