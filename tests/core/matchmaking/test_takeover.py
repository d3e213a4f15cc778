"""A place kept for a tournament, in journals from before a second connection gave it up."""

from gameserver.core.decide import decide
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Enter
from gameserver.core.messages.identity import Proof
from gameserver.core.state.lobby import At
from gameserver.tournaments import acts
from tests.support.tournament_hall import GAMES, RULES, Hall


def test_place_kept_for_a_tournament_stays_in_journals_without_the_rule() -> None:
    hall = Hall(GAMES, RULES)
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.enter_by_rooms(session, name)
    hall.create(no_show_ms=60_000)
    hall.act(acts.StartTournament(0))
    hall.sit(1)
    hall.ready(1)
    again = Enter(3, "ann", "any", "10.0.0.1", (Capability.ROOMS,), standing=Proof.PROVEN)
    hall.lobby.apply(decide(hall.lobby, again, At(hall.now_ms, hall.now_ms, 0)).changes)
    assert [place.is_ready for room in hall.lobby.rooms.values() for place in room.places] == [False]
