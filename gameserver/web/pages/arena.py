"""The parts of a tournament's page that only an arena has: who plays whom, who waits, who wins game after game."""

from collections.abc import Mapping

from gameserver.read_model.lobby_view import LobbyView
from gameserver.read_model.presence import Presence
from gameserver.tournaments.model import CLOSED
from gameserver.tournaments.view import PairingView, TournamentView
from gameserver.values import value

DUELS_MAX = 30
ROOMY_MAX = 12
"""Duels that are shown with room around them. More of them are set closer, to stay on the screen."""
NAMES_MAX = 12
"""Names in a list before the rest of them is only counted."""
STREAKS_MAX = 5
PAIRINGS_MAX = 200
"""The pairings listed, the latest. An arena has no end of them, and the page is made anew after each."""
_WAITING = (Presence.READY, Presence.RESTING)
_UNREADY = (Presence.NOT_READY, Presence.ELSEWHERE)


@value
class Duel:
    """A game that is being played, with the ranks of its players."""

    pairing: PairingView
    ranks: tuple[int | None, int | None]


def arena_values(view: TournamentView, lobby_view: LobbyView) -> dict[str, object]:
    """The values for the template. The games of the leaders come first."""
    playing = {name for one in view.live for name in (one.first, one.second)}
    presence = lobby_view.presence(view.number) if view.arena is not None else ()
    idle = [one for one in presence if one.player not in playing]
    return {
        "duels": _duels(view) if view.arena is not None else [],
        "duels_max": DUELS_MAX,
        "roomy_max": ROOMY_MAX,
        "waiting": [one.player for one in idle if one.presence in _WAITING],
        "unready": [one.player for one in idle if one.presence in _UNREADY],
        "missing": [one.player for one in idle if one.presence is Presence.AWAY],
        "names_max": NAMES_MAX,
        "streaks_max": STREAKS_MAX,
    }


def streaks_of(view: TournamentView) -> Mapping[str, object]:
    """The streaks, by player; none once nothing can be added to them."""
    if view.arena is None or view.phase in CLOSED:
        return {}
    return {one.player: one for one in view.arena.streaks}


def _duels(view: TournamentView) -> list[Duel]:
    ranks = {line.name: line.rank for line in view.standings}
    last = len(ranks) + 1
    duels = [Duel(one, (ranks.get(one.first), ranks.get(one.second))) for one in view.live]
    return sorted(duels, key=lambda one: sorted(last if rank is None else rank for rank in one.ranks))
