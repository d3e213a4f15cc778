"""What pages show, as JSON: the same values under the same names, times in milliseconds or as ISO 8601."""

from typing import Any

from cattrs.preconf.orjson import make_converter

from gameserver.read_model.lobby_view import Showing
from gameserver.read_model.replay import Tale
from gameserver.read_model.views import BoardView

_CONVERTER = make_converter()


def as_json(value: object) -> Any:
    """A value of `gameserver.read_model` as JSON."""
    return _CONVERTER.unstructure(value)


def lobby_json(showing: Showing) -> Any:
    """The lobby."""
    return {
        "games": list(showing.games),
        "players": as_json(showing.players),
        "house": as_json(showing.house),
        "offers": as_json(showing.offers),
        "matches": as_json(showing.matches),
    }


def match_json(tale: Tale) -> Any:
    """A match with all its steps, and its present board."""
    return {**as_json(tale.view), "board": board_json(tale.present)}


def board_json(board: BoardView) -> Any:
    """A position as text, and in words where it has a drawing."""
    return {"text": board.text, "description": None if board.picture is None else board.picture.description}
