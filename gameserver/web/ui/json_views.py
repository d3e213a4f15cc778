"""Values of the read model as JSON: the same names, times in milliseconds or as ISO 8601."""

from typing import Any

from cattrs.preconf.orjson import make_converter

from gameserver.read_model.lobby_view import LobbyView
from gameserver.read_model.replay import MatchReplay
from gameserver.read_model.view_json import teach_views
from gameserver.read_model.views import BoardView

_CONVERTER = make_converter()
teach_views(_CONVERTER)


def as_json(value: object) -> Any:
    """A value of `gameserver.read_model` as JSON."""
    return _CONVERTER.unstructure(value)


def lobby_json(lobby_view: LobbyView) -> Any:
    """The lobby."""
    return {
        "games": list(lobby_view.games),
        "players": as_json(lobby_view.players),
        "house": as_json(lobby_view.house),
        "offers": as_json(lobby_view.offers),
        "matches": as_json(lobby_view.matches),
    }


def match_json(match_replay: MatchReplay) -> Any:
    """A match with all its steps, and its present board."""
    return {**as_json(match_replay.view), "board": board_json(match_replay.present)}


def board_json(board: BoardView) -> Any:
    """A position as text, with the description of its drawing if it has one."""
    return {"text": board.text, "description": None if board.picture is None else board.picture.description}
