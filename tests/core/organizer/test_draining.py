"""A tournament while the server drains: nobody loses by not coming, and waits and rests end once."""

from attrs import evolve

from gameserver.core.messages.commands import Drain, TournamentTimeUp
from gameserver.core.messages.events import Accepted, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.policies import Rules
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus
from gameserver.tournaments.presets import PAUSE_MS
from tests.support.tournament_hall import GAMES, RULES, Hall


def test_nobody_loses_by_not_coming_to_a_server_that_is_about_to_stop(hall: Hall) -> None:
    hall.create(entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", "bob"))), no_show_ms=60_000)
    hall.act(acts.StartTournament(0))
    assert hall.do(Drain(600_000, "the lesson is over", "Ms Reed")) == Accepted()
    hall.now_ms += 60_000
    assert hall.do(TournamentTimeUp(1)) == Accepted()
    (waiting,) = hall.row.state.pairings
    assert waiting.status is PairingStatus.ANNOUNCED
    assert hall.row.due_ms == hall.now_ms + 60_000
    hall.start()
    hall.come("ann", "bob")
    assert len(hall.matches) == 1


TIDY = evolve(RULES, waits_end_while_draining=True)


def draining_with_a_withdrawn_opponent(rules: Rules) -> Hall:
    hall = Hall(GAMES, rules)
    hall.create(
        entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", "bob", "cyd"))), no_show_ms=60_000
    )
    hall.act(acts.StartTournament(0))
    hall.do(Drain(600_000, "the lesson is over", "Ms Reed"))
    (waiting,) = hall.row.state.open
    assert hall.row.waits.keys() == {waiting.number}
    hall.act(acts.WithdrawEntrant(waiting.seats[0], "teacher"))
    return hall


def test_match_that_is_withdrawn_from_while_the_server_drains_is_not_waited_for() -> None:
    hall = draining_with_a_withdrawn_opponent(TIDY)
    announced = {pairing.number for pairing in hall.row.state.pairings if pairing.status is PairingStatus.ANNOUNCED}
    assert hall.row.waits.keys() <= announced
    hall.now_ms += 600_000
    hall.do(TournamentTimeUp(1))
    assert hall.do(TournamentTimeUp(1)) == Rejected(Code.STALE), "nothing is due twice"
    hall.start()
    hall.come("ann", "bob", "cyd")
    assert len(hall.matches) == 1


def draining_with_a_rest(rules: Rules) -> Hall:
    hall = Hall(GAMES, rules)
    hall.run("ann", "bob", which="league", games=2, pause_ms=PAUSE_MS)
    hall.end(hall.matches[0], 0)
    hall.do(Drain(600_000, "the lesson is over", "Ms Reed"))
    assert hall.row.rests
    hall.now_ms += PAUSE_MS
    assert hall.do(TournamentTimeUp(1)) == Accepted()
    return hall


def test_rest_ends_once_while_the_server_drains() -> None:
    hall = draining_with_a_rest(TIDY)
    assert hall.row.rests == {}
    assert hall.matches == []
    assert hall.do(TournamentTimeUp(1)) == Rejected(Code.STALE)


def test_journals_of_older_servers_end_a_rest_as_often_as_these_did() -> None:
    """Each row of it was accepted when it was written, and must be when it is replayed."""
    for hall in (draining_with_a_rest(RULES), draining_with_a_withdrawn_opponent(RULES)):
        hall.now_ms += 600_000
        for _ in range(2):
            assert hall.do(TournamentTimeUp(1)) == Accepted()
