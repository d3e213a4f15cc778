"""Finds the players of a tournament who are here or missing, for the teacher, and players who could be added."""

from gameserver.read_model.lobby_view import LobbyView
from gameserver.read_model.presence import Presence
from gameserver.tournaments.act_table import teacher_acts
from gameserver.tournaments.model import EntrantStatus
from gameserver.tournaments.view import TournamentView
from gameserver.values import value


@value
class WhoIsHere:
    """The players of a tournament by where they are, house players aside."""

    expected: int
    missing: tuple[str, ...]
    not_ready: tuple[str, ...]
    elsewhere: tuple[str, ...]
    others: tuple[str, ...]
    """Players who are here and are not in it: strangers, and players who were dropped."""
    may_add: bool

    @property
    def here(self) -> int:
        """The number of its players who are connected."""
        return self.expected - len(self.missing)


def who_is_here(view: TournamentView, lobby_view: LobbyView) -> WhoIsHere | None:
    """The players by where they are; None where nobody has to be here, because nothing is to be played."""
    acts = teacher_acts()
    if view.phase not in acts["drop"].phases or not lobby_view.has_tournament(view.number):
        return None
    presence = lobby_view.presence(view.number)
    inside = {one.player for one in presence}
    inside |= {line.name for line in view.standings if line.note == EntrantStatus.DISQUALIFIED}

    def those(place: Presence) -> tuple[str, ...]:
        return tuple(one.player for one in presence if one.presence is place)

    return WhoIsHere(
        expected=len(presence),
        missing=those(Presence.AWAY),
        not_ready=those(Presence.NOT_READY),
        elsewhere=those(Presence.ELSEWHERE),
        others=tuple(player.name for player in lobby_view.players if player.name not in inside),
        may_add=view.phase in acts["add"].phases,
    )
