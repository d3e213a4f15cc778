"""Coming in on a second connection: in every protocol's way and every state, the player may and nobody else.

Two ways to be in the lobby differ in the core: without tables (the text protocol) and with them (3D
Connect Four). A third, by tickets (GammonX), brings a token; `test_tickets` has it.
"""

from collections.abc import Callable

import pytest
from attrs import evolve

from gameserver.core.decide import decide
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Enter, TimeUp
from gameserver.core.messages.events import Accepted, EndReason, MatchEnded, MatchShown, Rejected, Seated, TurnStarted
from gameserver.core.messages.identity import Proof
from gameserver.core.messages.rejections import Code
from gameserver.core.state.lobby import At
from gameserver.policies import Rules
from gameserver.tournaments import acts
from tests.core.organizer.test_conduct import GAMES as HALL_GAMES
from tests.core.organizer.test_conduct import RULES as HALL_RULES
from tests.core.organizer.test_conduct import Hall
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import Table

TEXT, ROOMS = (Capability.CHAT, Capability.CHALLENGE), (Capability.ROOMS,)
ANN, BOB, AGAIN, STRANGER = 1, 2, 3, 4
HERE, ELSEWHERE = "10.0.0.1", "10.9.9.9"


def enter(
    table: Table, session: int, name: str, capabilities: tuple[Capability, ...], **more: object
) -> Accepted | Rejected:
    return table.do(Enter(session, name, "any", HERE, capabilities, **{"standing": Proof.PROVEN} | more))


def in_lobby(table: Table) -> None:
    """Nothing is going on."""


def in_queue(table: Table) -> None:
    table.seek(ANN, "Countdown")


def challenging(table: Table) -> None:
    table.challenge(ANN, "bob", "Countdown")


def challenged(table: Table) -> None:
    table.challenge(BOB, "ann", "Countdown")


def _paired(table: Table, first: int) -> None:
    table.challenge(BOB, "ann", "Countdown")
    table.accept(ANN)
    if table.lobby.matches[1].seats[0].session != first:
        table.play({ANN: BOB, BOB: ANN}[first], "1")


def own_turn(table: Table) -> None:
    _paired(table, ANN)


def others_turn(table: Table) -> None:
    _paired(table, BOB)


def gathering(table: Table) -> None:
    table.sit(ANN, 7)


def ready_alone(table: Table) -> None:
    table.sit(ANN, 7)
    table.ready(ANN)


def readying(table: Table) -> None:
    table.sit(ANN, 7)
    table.sit(BOB, 7)


def ready_first(table: Table) -> None:
    readying(table)
    table.ready(ANN)


def own_turn_at_table(table: Table) -> None:
    ready_first(table)
    table.ready(BOB)


def others_turn_at_table(table: Table) -> None:
    own_turn_at_table(table)
    table.play(ANN, "1")


def between_games(table: Table) -> None:
    own_turn_at_table(table)
    table.resign(ANN)


def again_ready(table: Table) -> None:
    between_games(table)
    table.ready(ANN)


State = Callable[[Table], None]
BY_TEXT: list[State] = [in_lobby, in_queue, challenging, challenged, own_turn, others_turn]
AT_TABLES: list[State] = [
    in_lobby,
    gathering,
    ready_alone,
    readying,
    ready_first,
    own_turn_at_table,
    others_turn_at_table,
    between_games,
    again_ready,
]
MATRIX = [(TEXT, state) for state in BY_TEXT] + [(ROOMS, state) for state in AT_TABLES]


@pytest.fixture
def table() -> Table:
    return Table(catalogue(Countdown()), Rules(first_move_pause_ms=0, table_game="Countdown"))


def begun(table: Table, capabilities: tuple[Capability, ...], state: State) -> None:
    enter(table, ANN, "ann", capabilities)
    enter(table, BOB, "bob", capabilities)
    state(table)
    table.heard.clear()


@pytest.mark.parametrize(("capabilities", "state"), MATRIX)
@pytest.mark.parametrize("standing", [standing for standing in Proof if standing is not Proof.PROVEN])
@pytest.mark.parametrize("by", [TEXT, ROOMS])
def test_nobody_else_comes_in_whatever_goes_on(
    table: Table, capabilities: tuple[Capability, ...], state: State, standing: Proof, by: tuple[str, ...]
) -> None:
    begun(table, capabilities, state)
    before = table.lobby.players["ann"]
    codes = {
        Proof.OPEN: Code.NAME_TAKEN,
        Proof.UNPROVEN: Code.UNPROVEN,
        Proof.WRONG: Code.PROOF_WRONG,
        Proof.TOO_OFTEN: Code.PROOF_TOO_OFTEN,
        Proof.SLIP: Code.NAME_SLIP,
        Proof.STRANGER: Code.NOT_LISTED,
    }
    assert enter(table, STRANGER, "ann", by, standing=standing) == Rejected(codes[standing], {"name": "ann"})
    assert table.lobby.players["ann"] == before
    assert table.dismissed == []


@pytest.mark.parametrize(("capabilities", "state"), MATRIX)
@pytest.mark.parametrize("address", [HERE, ELSEWHERE])
def test_the_player_comes_in_and_goes_on(
    table: Table, capabilities: tuple[Capability, ...], state: State, address: str
) -> None:
    begun(table, capabilities, state)
    match = table.lobby.players["ann"].match
    room = table.lobby.players["ann"].table
    assert table.do(Enter(AGAIN, "ann", "any", address, capabilities, standing=Proof.PROVEN)) == Accepted()
    assert table.dismissed == [ANN]
    assert table.lobby.players["ann"].session == AGAIN
    assert table.leave(ANN) == Rejected(Code.NOT_ENTERED), "the end of the old connection changes nothing"
    if capabilities is ROOMS and room is not None:
        assert table.sit(AGAIN, room) == Accepted()
        assert [type(event) for event in table.hear(AGAIN) if isinstance(event, Seated)]
        if match is not None:
            assert table.ready(AGAIN) == Accepted()
    if match is None:
        assert not table.lobby.matches
        return
    shown = table.hear(AGAIN)
    assert [event.match for event in shown if isinstance(event, MatchShown)] == [match]
    to_move = [event for event in shown if isinstance(event, TurnStarted)]
    live = table.lobby.matches[match]
    seat = live.seat_of("ann")
    assert live.seats[seat].session == AGAIN
    assert bool(to_move) is (seat in live.turn.seats)
    assert live.clock.deadline_ms == table.now_ms + live.policies.turn_time_ms, "nobody has gained or lost any time"
    mover = AGAIN if seat in live.turn.seats else BOB
    assert table.play(mover, "1") == Accepted()


@pytest.mark.parametrize("state", [own_turn_at_table, others_turn_at_table])
def test_who_comes_in_and_does_not_sit_down_has_dropped_out(table: Table, state: State) -> None:
    begun(table, ROOMS, state)
    enter(table, AGAIN, "ann", ROOMS)
    table.now_ms += 30_000
    assert table.time_up() == Accepted()
    (over,) = [event for event in table.hear(BOB) if isinstance(event, MatchEnded)]
    assert over.reason is EndReason.DROPPED
    assert table.records[0].reason == "dropped"


def test_time_is_not_up_for_a_connection_that_took_the_seat_since_the_old_one_was_found_quiet(table: Table) -> None:
    begun(table, TEXT, own_turn)
    late_ms = table.lobby.matches[1].late_ms
    assert late_ms is not None
    table.now_ms = late_ms
    late = TimeUp(1, quiet=table.lobby.awaited(("matches", 1)))
    enter(table, AGAIN, "ann", TEXT)
    assert table.do(late) == Rejected(Code.STALE), "the new connection may have a move in the works"
    assert table.play(AGAIN, "1", stamp_ms=late_ms) == Accepted()
    assert not table.records


@pytest.mark.parametrize("quiet", [(AGAIN,), None])
def test_who_comes_in_again_and_does_not_move_loses_on_time(table: Table, quiet: tuple[int, ...] | None) -> None:
    begun(table, TEXT, own_turn)
    enter(table, AGAIN, "ann", TEXT)
    table.now_ms += 60_000
    assert table.do(TimeUp(1, quiet=quiet)) == Accepted()
    assert table.records[0].reason == "late"


def test_nobody_gains_time_by_coming_in_again_and_again(table: Table) -> None:
    begun(table, ROOMS, own_turn_at_table)
    for session in range(10, 13):
        enter(table, session, "ann", ROOMS)
        table.now_ms += 9_000
        table.sit(session, 7)
        table.ready(session)
    enter(table, 20, "ann", ROOMS)
    table.now_ms += 3_000
    table.time_up()
    assert table.records[0].reason == "dropped"


def test_a_place_that_nobody_comes_back_to_is_free_again(table: Table) -> None:
    begun(table, ROOMS, gathering)
    enter(table, AGAIN, "ann", ROOMS)
    assert table.sit(BOB, 7) == Accepted()
    table.now_ms += 30_000
    assert table.table_time_up(7) == Accepted()
    assert [place.player for place in table.lobby.tables[7].places] == ["bob"]


def test_a_seat_is_carried_from_one_protocol_to_another(table: Table) -> None:
    """Out of a room to the text protocol, and back."""
    begun(table, ROOMS, own_turn_at_table)
    assert enter(table, AGAIN, "ann", TEXT) == Accepted()
    assert table.lobby.matches[1].seats[0].session == AGAIN
    assert enter(table, 5, "ann", ROOMS) == Accepted()
    assert table.sit(5, 7) == Accepted()
    assert table.ready(5) == Accepted()
    assert table.play(5, "1") == Accepted()
    assert table.dismissed == [ANN, AGAIN]


def test_the_secret_opens_a_seat_that_waits_for_another_address(table: Table) -> None:
    table.rules = evolve(table.rules, drop_grace_ms=60_000)
    table.start()
    begun(table, TEXT, own_turn)
    table.leave(ANN)
    stranger = Enter(STRANGER, "ann", "any", ELSEWHERE, TEXT)
    assert table.do(stranger) == Rejected(Code.NAME_HELD, {"name": "ann"})
    assert table.do(evolve(stranger, standing=Proof.PROVEN)) == Accepted()
    assert table.lobby.matches[1].seats[table.lobby.matches[1].seat_of("ann")].session == STRANGER


def ready_for_tournament(rules: Rules) -> Hall:
    """A tournament of ann and bob, in which ann has started in a room."""
    hall = Hall(HALL_GAMES, rules)
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.enter_by_tables(session, name)
    hall.create(no_show_ms=60_000)
    hall.act(acts.StartTournament(0))
    hall.sit(1)
    hall.ready(1)
    return hall


def test_place_kept_for_a_tournament_stays_in_journals_without_the_rule() -> None:
    hall = ready_for_tournament(HALL_RULES)
    again = Enter(AGAIN, "ann", "any", HERE, (Capability.ROOMS,), standing=Proof.PROVEN)
    hall.lobby.apply(decide(hall.lobby, again, At(hall.now_ms, hall.now_ms, 0)).changes)
    assert [place.is_ready for table in hall.lobby.tables.values() for place in table.places] == [False]


def test_place_kept_for_a_tournament_is_given_up_and_taken_anew() -> None:
    """Nobody has such a place who is not ready; starting in any room leads to one again."""
    hall = ready_for_tournament(evolve(HALL_RULES, takeover_gives_up_kept_tables=True))
    assert hall.do(Enter(AGAIN, "ann", "any", HERE, (Capability.ROOMS,), standing=Proof.PROVEN)) == Accepted()
    hall.sit(2)
    hall.ready(2)
    assert hall.matches == [], "ann has not started again"
    hall.sit(AGAIN)
    hall.ready(AGAIN)
    (match,) = hall.matches
    assert {holder.session for holder in match.seats} == {2, AGAIN}
