"""Views in JSON: fields with the names that programs have always read there."""

from typing import Any

from cattrs import Converter
from cattrs.gen import make_dict_unstructure_fn, override

from gameserver.read_model.views import (
    AdminLobbyView,
    AdminMatchView,
    AdminPlayerView,
    MatchView,
    PlayerSummary,
)

# Rooms were called tables when these were first shown. The lobby comes last, as it has the others in its fields.
_OLDER_NAMES = {
    PlayerSummary: {"room": "table"},
    MatchView: {"room": "table"},
    AdminPlayerView: {"room": "table"},
    AdminMatchView: {"room": "table"},
    AdminLobbyView: {"rooms": "tables"},
}


def teach_views(converter: Converter) -> None:
    """Have a converter write views as programs read them."""
    for kind, names in _OLDER_NAMES.items():
        renamed: dict[str, Any] = {field: override(rename=name) for field, name in names.items()}
        converter.register_unstructure_hook(kind, make_dict_unstructure_fn(kind, converter, **renamed))
