"""Coming in on a second connection: in every protocol's way and every state, the player may and nobody else.

Two ways to be in the lobby differ in the core: without rooms (the text protocol) and with them (3D
Connect Four). A third, by tickets (GammonX), brings a token; `tickets/test_coming_back.py` has it.
"""

from collections.abc import Callable

import pytest
from attrs import evolve

from gameserver.core.decide import decide
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Enter, TimeUp
from gameserver.core.messages.events import Accepted, MatchShown, Rejected, Seated, TurnStarted
from gameserver.core.messages.identity import Proof
from gameserver.core.messages.rejections import Code
from gameserver.core.state.lobby import At
from gameserver.policies import Rules
from gameserver.tournaments import acts
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.tournament_hall import GAMES as HALL_GAMES
from tests.support.tournament_hall import RULES as HALL_RULES
from tests.support.tournament_hall import Hall

TEXT, ROOMS = (Capability.CHAT, Capability.CHALLENGE), (Capability.ROOMS,)
ANN, BOB, AGAIN, STRANGER = 1, 2, 3, 4
HERE, ELSEWHERE = "10.0.0.1", "10.9.9.9"


def enter(
    harness: LobbyHarness, session: int, name: str, capabilities: tuple[Capability, ...], **more: object
) -> Accepted | Rejected:
    return harness.do(Enter(session, name, "any", HERE, capabilities, **{"standing": Proof.PROVEN} | more))


def in_lobby(harness: LobbyHarness) -> None:
    """Nothing is going on."""


def in_queue(harness: LobbyHarness) -> None:
    harness.seek(ANN, "Countdown")


def challenging(harness: LobbyHarness) -> None:
    harness.challenge(ANN, "bob", "Countdown")


def challenged(harness: LobbyHarness) -> None:
    harness.challenge(BOB, "ann", "Countdown")


def _paired(harness: LobbyHarness, first: int) -> None:
    harness.challenge(BOB, "ann", "Countdown")
    harness.accept(ANN)
    if harness.lobby.matches[1].seats[0].session != first:
        harness.play({ANN: BOB, BOB: ANN}[first], "1")


def own_turn(harness: LobbyHarness) -> None:
    _paired(harness, ANN)


def others_turn(harness: LobbyHarness) -> None:
    _paired(harness, BOB)


def gathering(harness: LobbyHarness) -> None:
    harness.sit(ANN, 7)


def ready_alone(harness: LobbyHarness) -> None:
    harness.sit(ANN, 7)
    harness.ready(ANN)


def readying(harness: LobbyHarness) -> None:
    harness.sit(ANN, 7)
    harness.sit(BOB, 7)


def ready_first(harness: LobbyHarness) -> None:
    readying(harness)
    harness.ready(ANN)


def own_turn_in_room(harness: LobbyHarness) -> None:
    ready_first(harness)
    harness.ready(BOB)


def others_turn_in_room(harness: LobbyHarness) -> None:
    own_turn_in_room(harness)
    harness.play(ANN, "1")


def between_games(harness: LobbyHarness) -> None:
    own_turn_in_room(harness)
    harness.resign(ANN)


def again_ready(harness: LobbyHarness) -> None:
    between_games(harness)
    harness.ready(ANN)


State = Callable[[LobbyHarness], None]
BY_TEXT: list[State] = [in_lobby, in_queue, challenging, challenged, own_turn, others_turn]
BY_ROOMS: list[State] = [
    in_lobby,
    gathering,
    ready_alone,
    readying,
    ready_first,
    own_turn_in_room,
    others_turn_in_room,
    between_games,
    again_ready,
]
MATRIX = [(TEXT, state) for state in BY_TEXT] + [(ROOMS, state) for state in BY_ROOMS]


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, room_game="Countdown"))


def begun(harness: LobbyHarness, capabilities: tuple[Capability, ...], state: State) -> None:
    enter(harness, ANN, "ann", capabilities)
    enter(harness, BOB, "bob", capabilities)
    state(harness)
    harness.heard.clear()


@pytest.mark.parametrize(("capabilities", "state"), MATRIX)
def test_nobody_else_comes_in_whatever_goes_on(
    harness: LobbyHarness, capabilities: tuple[Capability, ...], state: State
) -> None:
    begun(harness, capabilities, state)
    before = harness.lobby.players["ann"]
    for standing, code in {
        Proof.OPEN: Code.NAME_TAKEN,
        Proof.UNPROVEN: Code.UNPROVEN,
        Proof.WRONG: Code.PROOF_WRONG,
        Proof.TOO_OFTEN: Code.PROOF_TOO_OFTEN,
        Proof.SLIP: Code.NAME_SLIP,
        Proof.STRANGER: Code.NOT_LISTED,
    }.items():
        assert enter(harness, STRANGER, "ann", TEXT, standing=standing) == Rejected(code, {"name": "ann"})
    assert harness.lobby.players["ann"] == before
    assert harness.dismissed == []


@pytest.mark.parametrize(("capabilities", "state"), MATRIX)
@pytest.mark.parametrize("address", [HERE, ELSEWHERE])
def test_the_player_comes_in_and_goes_on(
    harness: LobbyHarness, capabilities: tuple[Capability, ...], state: State, address: str
) -> None:
    begun(harness, capabilities, state)
    match = harness.lobby.players["ann"].match
    room = harness.lobby.players["ann"].room
    assert harness.do(Enter(AGAIN, "ann", "any", address, capabilities, standing=Proof.PROVEN)) == Accepted()
    assert harness.dismissed == [ANN]
    assert harness.lobby.players["ann"].session == AGAIN
    assert harness.leave(ANN) == Rejected(Code.NOT_ENTERED), "the end of the old connection changes nothing"
    if capabilities is ROOMS and room is not None:
        assert harness.sit(AGAIN, room) == Accepted()
        assert [type(event) for event in harness.hear(AGAIN) if isinstance(event, Seated)]
        if match is not None:
            assert harness.ready(AGAIN) == Accepted()
    if match is None:
        assert not harness.lobby.matches
        return
    shown = harness.hear(AGAIN)
    assert [event.match for event in shown if isinstance(event, MatchShown)] == [match]
    to_move = [event for event in shown if isinstance(event, TurnStarted)]
    live = harness.lobby.matches[match]
    seat = live.seat_of("ann")
    assert live.seats[seat].session == AGAIN
    assert bool(to_move) is (seat in live.turn.seats)
    assert live.clock.deadline_ms == harness.now_ms + live.policies.turn_time_ms, "nobody has gained or lost any time"
    mover = AGAIN if seat in live.turn.seats else BOB
    assert harness.play(mover, "1") == Accepted()


def test_timeout_of_a_quiet_connection_spares_the_one_that_took_its_seat(
    harness: LobbyHarness,
) -> None:
    begun(harness, TEXT, own_turn)
    late_ms = harness.lobby.matches[1].late_ms
    assert late_ms is not None
    harness.now_ms = late_ms
    late = TimeUp(1, quiet=harness.lobby.awaited(("matches", 1)))
    enter(harness, AGAIN, "ann", TEXT)
    assert harness.do(late) == Rejected(Code.STALE), "the new connection may have a move in the works"
    assert harness.play(AGAIN, "1", stamp_ms=late_ms) == Accepted()
    assert not harness.records


def test_nobody_gains_time_by_coming_in_again_and_again(harness: LobbyHarness) -> None:
    begun(harness, ROOMS, own_turn_in_room)
    for session in range(10, 13):
        enter(harness, session, "ann", ROOMS)
        harness.now_ms += 9_000
        harness.sit(session, 7)
        harness.ready(session)
    enter(harness, 20, "ann", ROOMS)
    harness.now_ms += 3_000
    harness.time_up()
    assert harness.records[0].reason == "dropped"


def test_a_place_that_nobody_comes_back_to_is_free_again(harness: LobbyHarness) -> None:
    begun(harness, ROOMS, gathering)
    enter(harness, AGAIN, "ann", ROOMS)
    assert harness.sit(BOB, 7) == Accepted()
    harness.now_ms += 30_000
    assert harness.room_time_up(7) == Accepted()
    assert [place.player for place in harness.lobby.rooms[7].places] == ["bob"]


def ready_for_tournament(rules: Rules) -> Hall:
    """A tournament of ann and bob, in which ann has started in a room."""
    hall = Hall(HALL_GAMES, rules)
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.enter_by_rooms(session, name)
    hall.create(no_show_ms=60_000)
    hall.act(acts.StartTournament(0))
    hall.sit(1)
    hall.ready(1)
    return hall


def test_place_kept_for_a_tournament_stays_in_journals_without_the_rule() -> None:
    hall = ready_for_tournament(HALL_RULES)
    again = Enter(AGAIN, "ann", "any", HERE, (Capability.ROOMS,), standing=Proof.PROVEN)
    hall.lobby.apply(decide(hall.lobby, again, At(hall.now_ms, hall.now_ms, 0)).changes)
    assert [place.is_ready for room in hall.lobby.rooms.values() for place in room.places] == [False]


def test_place_reserved_for_a_tournament_is_released_and_taken_again() -> None:
    """Nobody has such a place who is not ready; starting in any room leads to one again."""
    hall = ready_for_tournament(evolve(HALL_RULES, takeover_gives_up_kept_rooms=True))
    assert hall.do(Enter(AGAIN, "ann", "any", HERE, (Capability.ROOMS,), standing=Proof.PROVEN)) == Accepted()
    hall.sit(2)
    hall.ready(2)
    assert hall.matches == [], "ann has not started again"
    hall.sit(AGAIN)
    hall.ready(AGAIN)
    (match,) = hall.matches
    assert {holder.session for holder in match.seats} == {2, AGAIN}
