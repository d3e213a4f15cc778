"""Logins: names that may enter, waits for the session in the way, and seats that outlast a drop."""

from collections.abc import Callable

import attrs
import pytest

from gameserver.core.commands import Capability, Enter, Leave
from gameserver.core.events import Code, Rejected
from gameserver.core.identity import Proof
from gameserver.core.match import MatchPhase
from gameserver.core.seats import outlasts_drop
from gameserver.core.sessions import has_seat_for, may_wait, session_in_the_way
from gameserver.policies import Rules, SeatReturn
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness

HERE, ELSEWHERE = "10.0.0.1", "10.9.9.9"
KEY = "ab" * 32
BROKEN = ["", " ", " ann", "ann ", "x" * 65, 'a"b', "a{b", "a}b", "a[b", "a]b", "a\nb", "a\tb", "a\x00b", "\u202eann"]
GUID = "281ccec7-0000-4000-8000-0123456789ab"
RESERVED = ["No player1 yet", "no PLAYER2 yet", "server", "House-x", "mm-1", "gx-77", GUID, GUID.upper()]
FREE = ["Ann", "Zoë van Dijk", "x" * 64, "a,b", "'; --", "NULL", "42"]


def harness_with(**rules: object) -> LobbyHarness:
    return LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, **rules))


def waits(harness: LobbyHarness, command: Enter) -> bool:
    in_the_way = session_in_the_way(harness.lobby, command)
    return in_the_way is not None and may_wait(harness.lobby, command)


def login(name: str, address: str = HERE, session: int = 9, **more: object) -> Enter:
    return Enter(session, name, "strategic", address, (Capability.CHAT, Capability.CHALLENGE), **more)


@pytest.mark.parametrize(
    ("command", "is_to_wait"),
    [
        (login("ann"), True),
        (login("ann", ELSEWHERE), False),
        (login("bob"), False),
        (login("ann", session=1), False),
        (login("ann", fault="too long"), False),
        (login("ann", resembles=True), False),
        (login("ann", proof=Proof.PROVEN), False),
        (login("ann", proof=Proof.UNPROVEN), False),
    ],
)
def test_name_of_player_in_the_lobby(command: Enter, is_to_wait: bool) -> None:
    harness = harness_with()
    harness.enter(1, "ann")
    assert waits(harness, command) is is_to_wait


def test_any_address_may_wait_where_any_may_return() -> None:
    harness = harness_with(seat_return=SeatReturn.ANY_ADDRESS)
    harness.enter(1, "ann")
    assert waits(harness, login("ann", ELSEWHERE))


def test_reserved_name_is_not_waited_for() -> None:
    harness = harness_with()
    harness.enter_anonymously(1, "mm-")
    (name,) = harness.lobby.players
    assert not waits(harness, login(name))


@pytest.mark.parametrize(
    ("address", "capabilities", "is_to_wait"),
    [(HERE, (Capability.CHAT,), True), (ELSEWHERE, (Capability.CHAT,), False), (HERE, (Capability.ROOMS,), False)],
)
def test_seat_is_waited_for_by_those_who_may_take_it(
    address: str, capabilities: tuple[Capability, ...], is_to_wait: bool
) -> None:
    harness = harness_with(drop_grace_ms=30_000)
    match, first, _ = harness.opened()
    name = match.seats[match.seat_of(harness.lobby.sessions[first])].player
    assert waits(harness, Enter(9, name, "strategic", address, capabilities)) is is_to_wait


def in_queue_match(harness: LobbyHarness) -> int:
    _, first, _ = harness.opened()
    return first


def in_practice(harness: LobbyHarness) -> int:
    harness.enter(1, "ann")
    harness.practise(1, "Countdown")
    return 1


def after_restart_before_all_are_back(harness: LobbyHarness) -> int:
    harness.opened()
    harness.start()
    harness.enter(5, "ann")
    return 5


def beside_a_seat_that_a_bug_emptied(harness: LobbyHarness) -> int:
    _, first, second = harness.opened()
    harness.do(Leave(second, fault="games.countdown"))
    return first


@pytest.mark.parametrize("grace_ms", [0, 30_000])
@pytest.mark.parametrize(
    "situation", [in_queue_match, in_practice, after_restart_before_all_are_back, beside_a_seat_that_a_bug_emptied]
)
def test_seat_outlasts_drop_as_foretold(grace_ms: int, situation: Callable[[LobbyHarness], int]) -> None:
    harness = harness_with(drop_grace_ms=grace_ms)
    session = situation(harness)
    name = harness.lobby.sessions[session]
    match = harness.match(harness.lobby.seated[name])
    foretold = outlasts_drop(match, match.seat_of(name))
    harness.leave(session)
    assert foretold is (name in harness.lobby.seated)


def test_seat_of_a_player_who_is_not_ready_does_not_outlast_a_drop() -> None:
    harness = harness_with(drop_grace_ms=30_000)
    match, _, _ = harness.opened()
    unready = attrs.evolve(match.seats[0], says_ready=False)
    match = attrs.evolve(match, phase=MatchPhase.READYING, seats=(unready, match.seats[1]))
    assert not outlasts_drop(match, 0)


def with_key(session: int, key: str = KEY, address: str = "10.9.9.9") -> Enter:
    return Enter(session, "ann", "web", address, (Capability.CHALLENGE, Capability.READY), key=key)


def test_key_has_the_seat_from_anywhere_without_waiting_and_is_in_no_repr() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, key_grace_ms=60_000))
    harness.do(with_key(1))
    harness.enter(2, "bob")
    for session in (1, 2):
        harness.seek(session, "Countdown")
    harness.ready(1)
    assert session_in_the_way(harness.lobby, with_key(3)) is None, "no look at the old connection has to be waited for"
    seat = harness.match().seats[harness.match().seat_of("ann")]
    for shown in (with_key(1), harness.lobby.players["ann"], seat):
        assert KEY not in repr(shown)
    harness.leave(1)
    assert has_seat_for(harness.lobby, with_key(3))
    assert not any(has_seat_for(harness.lobby, with_key(3, key, "10.0.0.1")) for key in ("", "cd" * 32))


@pytest.mark.parametrize(("names", "code"), [(BROKEN, Code.NAME_INVALID), (RESERVED, Code.NAME_RESERVED), (FREE, None)])
def test_names_that_may_enter_and_that_may_not(names: list[str], code: Code | None) -> None:
    for name in names:
        answer = LobbyHarness(catalogue(Countdown())).enter(1, name)
        assert (answer.code if isinstance(answer, Rejected) else None) is code, name
        assert not isinstance(answer, Rejected) or answer.facts["name"] == name
        assert code is not Code.NAME_INVALID or answer.facts["why"]
