"""Who waits for a seat under a key, and what is written of the key."""

from gameserver.core.commands import Capability, Enter
from gameserver.core.sessions import has_seat_for, session_in_the_way
from gameserver.policies import Rules
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness

KEY = "ab" * 32


def login(session: int, key: str = KEY, address: str = "10.9.9.9") -> Enter:
    return Enter(session, "ann", "web", address, (Capability.CHALLENGE, Capability.READY), key=key)


def test_key_has_the_seat_from_anywhere_without_waiting_and_is_in_no_repr() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, key_grace_ms=60_000))
    harness.do(login(1))
    harness.enter(2, "bob")
    for session in (1, 2):
        harness.seek(session, "Countdown")
    harness.ready(1)
    assert session_in_the_way(harness.lobby, login(3)) is None, "no look at the old connection has to be waited for"
    seat = harness.match().seats[harness.match().seat_of("ann")]
    for shown in (login(1), harness.lobby.players["ann"], seat):
        assert KEY not in repr(shown)
    harness.leave(1)
    assert has_seat_for(harness.lobby, login(3))
    assert not any(has_seat_for(harness.lobby, login(3, key, "10.0.0.1")) for key in ("", "cd" * 32))
