"""`gameserver match` looks at who is to play before anything begins."""

from typing import Any

import pytest

from gameserver.cli import match
from gameserver.cli.common import CommandFailed


class Status:
    """A server that only tells who is here."""

    def __init__(self, players: list[dict[str, Any]]) -> None:
        self.players = players

    def get(self, *_path: str) -> dict[str, Any]:
        return {"players": self.players}


def look_over(*players: dict[str, Any]) -> None:
    series = match.HeadToHead(
        first="ann",
        second="house-random",
        game="Countdown",
        games=1,
        turn_time_s=None,
        no_show_s=60.0,
        pause_s=0.0,
        same_dice=False,
        searches=True,
        by="teacher",
    )
    match._look_over(Status(list(players)), series, [])  # type: ignore[arg-type]


def test_protocol_that_cannot_be_called_is_named_at_once() -> None:
    with pytest.raises(
        CommandFailed, match="ann is connected by the protocol 'gammonx', whose players cannot be called to a match"
    ):
        look_over({"name": "ann", "protocol": "gammonx", "is_callable": False})


def test_others_may_play() -> None:
    look_over({"name": "ann", "protocol": "strategic", "is_callable": True})
