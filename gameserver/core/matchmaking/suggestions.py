"""Suggests the player who may have been meant by a name that no player has."""

import difflib
from collections.abc import Iterator
from itertools import islice

from gameserver.core.messages.events import Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft

COMPARED_MAX = 50
"""Names that are compared: each takes 10 us, and an unknown name costs its sender nothing."""
LENGTHS_APART_MAX = 2
LIKENESS_PERCENT_MIN = 75


def unknown_player(draft: Draft, name: str) -> Rejected:
    """The refusal of an unknown name, with the most similar known name, if one is similar enough."""
    shown = {known.casefold(): known for known in islice(_near_in_length(draft, name), COMPARED_MAX)}
    found = difflib.get_close_matches(name.casefold(), shown, n=1, cutoff=LIKENESS_PERCENT_MIN / 100)
    return Rejected(Code.UNKNOWN_PLAYER, {"player": name} | ({"like": shown[found[0]]} if found else {}))


def _near_in_length(draft: Draft, name: str) -> Iterator[str]:
    """The house players, then the listed players who are here, by names of similar length."""
    for house in draft.server.house:
        if abs(len(house.name) - len(name)) <= LENGTHS_APART_MAX:
            yield house.name
    for player in draft.lobby.players.values():
        if player.is_listed and abs(len(player.name) - len(name)) <= LENGTHS_APART_MAX:
            yield player.name
