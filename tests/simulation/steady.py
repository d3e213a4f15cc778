"""A world in which every act of a player follows from the match that it is in, and from nothing else.

Whatever happens to the server, to the network or to themselves meanwhile, players come back, and play the
same match in the same way again: the same moves, and the same ends where somebody resigns, leaves,
forfeits or lets the time run out. One may never come to the tournament at all, or leave it after a round.
"""

from random import Random

from attrs import frozen

from gameserver.core.lobby import TournamentRow
from gameserver.core.match import Match
from gameserver.tournaments.history import History
from gameserver.tournaments.model import Pairing, PairingStatus, Tournament
from tests.simulation.client import Client
from tests.simulation.interrupted_plan import Interrupted
from tests.simulation.tournaments import meeting_of
from tests.simulation.violation import Violation
from tests.simulation.world import World

AWAY_MS = 2_000
"""How long somebody who leaves a match is away, beyond the time in which to come back."""


@frozen
class Fate:
    """How one player ends a match before its time, if it lasts so long: `what` is done in the place of a move."""

    what: str
    seat: int
    after_moves: int
    """Of that player's own."""


PLAYS_ON = Fate("", 0, 0)


def fate_of(plan: Interrupted, pairing: Pairing) -> Fate:
    """What becomes of a match besides play, in every run of this seed."""
    chance, fates = Random(f"{plan.seed}/fate/{meeting_of(pairing)}"), plan.fates()
    if not fates or chance.random() < plan.plays_on_share():
        return PLAYS_ON
    return Fate(chance.choice(fates), chance.randrange(2), chance.randrange(3))


def has_left(state: Tournament, name: str, last_round: int) -> bool:
    """Whether a player who leaves a Swiss after a round has played that."""
    if state.round < last_round or any(name in owed.seats for owed in History.of(state).owed):
        return False
    played = [pairing for pairing in state.pairings if pairing.round == last_round and name in pairing.seats]
    has_bye = any((bye.round, bye.player) == (last_round, name) for bye in state.byes)
    return has_bye or any(pairing.status is PairingStatus.DONE for pairing in played)


class SteadyWorld(World):
    """The world, with a tournament that everybody is there for."""

    plan: Interrupted

    def __init__(self, plan: Interrupted) -> None:
        self._away: dict[int, tuple[int, int]] = {}
        """Out of which match each player has gone, and until when."""
        super().__init__(plan)
        self.calm = True

    @property
    def row(self) -> TournamentRow | None:
        """The tournament, as the lobby has it now."""
        return None if self.process is None else next(iter(self.process.lobby.tournaments.values()), None)

    @property
    def is_over(self) -> bool:
        """Whether it is over."""
        return self.row is not None and self.row.is_over

    def live(self, match: int) -> Match | None:
        """A match that is being played."""
        return None if self.process is None else self.process.lobby.matches.get(match)

    def numbers_for(self, match: Match, moves: int) -> Random:
        return Random(f"{self.plan.seed}/{self._meeting_of(match)}/{moves}")

    def due(self, match: Match, seat: int, own_moves: int) -> str:
        """What a player does now in the place of a move, if anything."""
        if self._may_be_met_outside(match):
            return "resign"
        fate = fate_of(self.plan, self._pairing_of(match))
        return fate.what if fate != PLAYS_ON and (fate.seat, fate.after_moves) == (seat, own_moves) else ""

    def leave(self, client: Client, match: Match) -> None:
        """Hang up in the midst of a match, and be away until that is lost."""
        client.hang_up()
        self._away[client.index] = (match.id, self.real_ms + self.rules.drop_grace_ms + AWAY_MS)

    def is_away(self, client: Client) -> bool:
        """Whether a player does not want to be here now."""
        match, until_ms = self._away.get(client.index, (0, 0))
        if until_ms > self.real_ms and (self.process is None or self.live(match) is not None):
            return True
        last_round, row = self.plan.last_round(), self.row
        if last_round is None or client.index or self.is_over:
            return False
        return not last_round or (row is not None and has_left(row.state, client.name, last_round))

    def _may_be_met_outside(self, match: Match) -> bool:
        """Whether two players may have met without the tournament: once it is over, where its plan lets searches count.

        One who comes back late may then sit down in the room of one who is still ready.
        """
        return match.scheduled is None and self.row is not None and self.row.is_over and self.row.state.plan.searches

    def _meeting_of(self, match: Match) -> object:
        return meeting_of(self._pairing_of(match))

    def _pairing_of(self, match: Match) -> Pairing:
        scheduled, row = match.scheduled, self.row
        if scheduled is None or row is None:
            raise Violation("nobody plays but in the tournament", repr(match))
        return row.state.pairings[scheduled.pairing - 1]
