"""Calls the roll: who of the roster is here, who is missing, and who is here under a name that is nearly theirs."""

from collections.abc import Collection

from attrs import define, field

from gameserver.authentication.roster import Roster
from gameserver.authentication.similar_names import SimilarNames
from gameserver.read_model.views import AdminLobbyView, AdminPlayerView, RollCall, StudentView


@define
class RollCaller:
    """Compares the roster with the players who are here."""

    roster: Roster
    _similar: SimilarNames = field(factory=lambda: SimilarNames(()), init=False)

    def call(self, lobby: AdminLobbyView) -> RollCall | None:
        """Every student of the roster, in its order, and the players who are on no line; None without a roster."""
        if not self.roster.exists:
            return None
        students = self.roster.students()
        here = {player.name: player for player in lobby.players}
        listed = {student.name for student in students}
        strangers = [player for player in lobby.players if player.name not in listed]
        mistaken: dict[str, list[AdminPlayerView]] = {}
        similar = self._similar_to(self.roster.names())
        unlike = []
        for player in strangers:
            missing = [name for name in similar.to(player.name) if name not in here]
            for name in missing:
                mistaken.setdefault(name, []).append(player)
            if not missing:
                unlike.append(player)
        seats = {name: match.match for match in lobby.matches for name in match.away}
        searching = {ticket.player for ticket in lobby.tickets if not ticket.is_here}
        return RollCall(
            tuple(
                StudentView(
                    one.name,
                    one.gammonx_id,
                    here.get(one.name),
                    tuple(mistaken.get(one.name, ())),
                    seats.get(one.name),
                    is_expected=one.name in searching,
                )
                for one in students
            ),
            tuple(unlike),
        )

    def _similar_to(self, names: Collection[str]) -> SimilarNames:
        """The index of these names. The roster gives the same object until the file changes."""
        if names is not self._similar.names:
            self._similar = SimilarNames(names)
        return self._similar
