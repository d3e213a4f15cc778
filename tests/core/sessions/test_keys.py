"""A player with a key: comes back to the seat from anywhere, and takes over from an earlier session."""

import pytest
from attrs import evolve

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Arrive, Book, Enter
from gameserver.core.messages.events import (
    Accepted,
    Displaced,
    MatchShown,
    Rejected,
)
from gameserver.core.messages.identity import Proof
from gameserver.core.messages.rejections import Code
from gameserver.core.sessions.blocking import has_seat_for, session_in_the_way
from gameserver.policies import Rules, SeatReturn
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness

WEB = (Capability.CHALLENGE, Capability.CHAT, Capability.READY)
TEXT = (Capability.CHALLENGE, Capability.CHAT)
HERE, ELSEWHERE = "10.0.0.1", "10.9.9.9"
KEY, OTHER_KEY = "ab" * 32, "cd" * 32
ANN, BOB, AGAIN, THIRD = 1, 2, 3, 4
GRACE_MS = 60_000


def login(session: int, name: str = "ann", key: str = KEY, address: str = HERE, **more: object) -> Enter:
    return Enter(session, name, "web", address, WEB, key=key, **more)


def text_login(session: int, name: str, **more: object) -> Enter:
    return Enter(session, name, "strategic", HERE, TEXT, **more)


@pytest.fixture
def harness() -> LobbyHarness:
    """The lobby of a server whose other players lose by a lost connection at once."""
    rules = Rules(first_move_pause_ms=0, key_grace_ms=GRACE_MS, room_game="Countdown")
    return LobbyHarness(catalogue(Countdown()), rules)


@pytest.fixture
def playing(harness: LobbyHarness) -> LobbyHarness:
    """Ann, by a key, plays bob, by text; it is her turn."""
    harness.do(login(ANN))
    harness.do(text_login(BOB, "bob"))
    harness.challenge(BOB, "ann", "Countdown")
    harness.accept(ANN)
    harness.ready(ANN)
    if harness.match().seats[0].player == "bob":
        harness.play(BOB, "1")
    harness.heard.clear()
    return harness


def seat_of_ann(harness: LobbyHarness):
    match = harness.match()
    return match.seats[match.seat_of("ann")]


@pytest.mark.parametrize("address", [HERE, ELSEWHERE])
@pytest.mark.parametrize("key", ["", OTHER_KEY])
@pytest.mark.parametrize("seat_return", SeatReturn)
def test_nobody_else_gets_the_seat(playing: LobbyHarness, address: str, key: str, seat_return: SeatReturn) -> None:
    server = playing.lobby.server[""]
    playing.lobby.server[""] = evolve(server, rules=evolve(server.rules, seat_return=seat_return))
    playing.leave(ANN)
    assert playing.do(login(AGAIN, key=key, address=address)) == Rejected(Code.NAME_HELD, {"name": "ann"})
    assert not has_seat_for(playing.lobby, login(AGAIN, key=key, address=address))
    assert has_seat_for(playing.lobby, login(AGAIN, address=address))


def test_proof_gets_the_seat_and_the_old_key_does_not_any_more(playing: LobbyHarness) -> None:
    playing.leave(ANN)
    assert playing.do(text_login(AGAIN, "ann", standing=Proof.PROVEN)) == Accepted()
    assert seat_of_ann(playing).key == ""
    assert playing.do(login(THIRD)) == Rejected(Code.NAME_TAKEN, {"name": "ann"})
    assert playing.do(login(THIRD, key=OTHER_KEY, standing=Proof.PROVEN)) == Accepted()
    assert (seat_of_ann(playing).key, seat_of_ann(playing).grace_left_ms) == (OTHER_KEY, GRACE_MS)


def test_grace_of_a_key_is_given_to_a_seat_once(harness: LobbyHarness) -> None:
    """A player who changes between programs cannot stop the clock for longer."""
    harness.do(text_login(ANN, "ann", standing=Proof.PROVEN))
    harness.do(text_login(BOB, "bob"))
    harness.challenge(BOB, "ann", "Countdown")
    harness.accept(ANN)
    assert seat_of_ann(harness).grace_left_ms == 0
    harness.do(login(AGAIN, standing=Proof.PROVEN))
    assert seat_of_ann(harness).grace_left_ms == GRACE_MS
    harness.leave(AGAIN)
    harness.now_ms += 50_000
    harness.do(text_login(5, "ann", standing=Proof.PROVEN))
    harness.do(login(6, standing=Proof.PROVEN))
    assert seat_of_ann(harness).grace_left_ms == GRACE_MS - 50_000


def test_newest_of_two_tabs_plays(playing: LobbyHarness) -> None:
    deadline_ms = playing.match().clock.deadline_ms
    playing.now_ms += 3_000
    assert session_in_the_way(playing.lobby, login(AGAIN)) is None, "no look at the old connection has to be waited for"
    assert playing.do(login(AGAIN, address=ELSEWHERE)) == Accepted()
    assert playing.dismissed == [ANN]
    assert Displaced() in playing.hear(ANN)
    shown, turn = playing.hear(AGAIN)
    assert isinstance(shown, MatchShown)
    assert turn.deadline_ms == deadline_ms, "nobody has gained or lost any time"
    assert playing.play(ANN, "1") == Rejected(Code.NOT_ENTERED)
    assert playing.play(AGAIN, "1") == Accepted()


def test_key_stands_for_the_secret_as_long_as_the_player_or_the_seat_is_there(playing: LobbyHarness) -> None:
    assert playing.do(login(AGAIN, standing=Proof.UNPROVEN)) == Accepted()
    playing.leave(AGAIN)
    assert playing.do(login(THIRD, standing=Proof.UNPROVEN, key=OTHER_KEY)).code is Code.UNPROVEN
    assert playing.do(login(THIRD, standing=Proof.UNPROVEN)) == Accepted()
    assert playing.do(login(5, standing=Proof.WRONG)).code is Code.PROOF_WRONG, "a wrong secret is not looked past"
    playing.resign(THIRD)
    playing.leave(THIRD)
    assert playing.do(login(6, standing=Proof.UNPROVEN)).code is Code.UNPROVEN


def test_who_was_proven_is_so_after_a_reload(harness: LobbyHarness) -> None:
    harness.do(login(ANN, standing=Proof.PROVEN))
    harness.do(login(AGAIN, standing=Proof.UNPROVEN))
    assert harness.lobby.players["ann"].is_proven


def test_seat_under_a_key_is_not_claimed_with_a_ticket(harness: LobbyHarness) -> None:
    """A student's seat of a ticket, taken over in the browser: who knows the ticket's id alone has no right to it."""
    for session, name in ((ANN, "ann"), (BOB, "bob")):
        harness.do(Book(90, f"t-{name}", name, f"id-{name}", HERE, "Countdown", is_listed=True))
        harness.do(Arrive(session, f"t-{name}", f"id-{name}", "gammonx", HERE, (Capability.READY,)))
    assert harness.match().players
    assert harness.do(login(AGAIN, standing=Proof.PROVEN)) == Accepted()
    harness.leave(AGAIN)
    back = Arrive(THIRD, "t-ann", "id-ann", "gammonx", HERE, (Capability.READY,))
    assert harness.do(back).code is Code.UNPROVEN
    assert harness.do(login(THIRD)) == Accepted()


def test_key_is_in_no_repr(playing: LobbyHarness) -> None:
    """A row or a command in the log does not show it."""
    for shown in (login(ANN), playing.lobby.players["ann"], seat_of_ann(playing)):
        assert KEY not in repr(shown)
