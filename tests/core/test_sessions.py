"""Logins and newcomers: names that may enter, whom they wait for, and seats that outlast a connection."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from gameserver.core import newcomers
from gameserver.core.commands import Arrive, Book, Capability, Command, Enter, Leave, Play, Ready, Seek, Unbook
from gameserver.core.events import Accepted, Code, Rejected
from gameserver.core.identity import Proof
from gameserver.core.lobby import Player
from gameserver.core.match import MatchPhase
from gameserver.core.newcomers import name_of
from gameserver.core.seats import outlasts_drop
from gameserver.core.sessions import has_seat_for, may_wait, session_in_the_way
from gameserver.journal.snapshot import read_snapshot, write_snapshot
from gameserver.policies import Rules, SeatReturn
from tests.support.games import Countdown, Hands, catalogue
from tests.support.lobbies import LobbyHarness

HERE, ELSEWHERE = "10.0.0.1", "10.9.9.9"
KEY = "ab" * 32
BROKEN = ["", " ", " ann", "ann ", "x" * 65, 'a"b', "a{b", "a}b", "a[b", "a]b", "a\nb", "a\tb", "a\x00b", "\u202eann"]
GUID_OF_ANN = "281ccec7-0000-4000-8000-0123456789ab"
RESERVED = ["No player1 yet", "no PLAYER2 yet", "server", "House-x", "mm-1", "gx-77", GUID_OF_ANN, GUID_OF_ANN.upper()]
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


GAMES = catalogue(Hands())
RULES = Rules(first_move_pause_ms=0)
TEXT = (Capability.CHAT, Capability.CHALLENGE)
REQUEST = 90
GUID, OTHERS_GUID = "11111100-0000-4000-8000-000000abcdef", "22222200-0000-4000-8000-000000abcdef"


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, RULES)


def book(harness: LobbyHarness, ticket: str = "t1", guid: str = GUID, **more: Any) -> Accepted | Rejected:
    wanted: dict[str, Any] = {"player": "ann", "is_listed": True, "options": {"length": "long"}} | more
    wanted |= {"seat_options": {"by_hand": True}, "token": f"token-{ticket}", "open_to_queue": True}
    return harness.do(Book(REQUEST, ticket, identity=guid, address="10.0.0.1", game="Hands", **wanted))


def arrive(harness: LobbyHarness, session: int, ticket: str, guid: str, **more: Any) -> Accepted | Rejected:
    return harness.do(Arrive(session, ticket, guid, "gammonx", "10.0.0.1", (Capability.READY,), **more))


def test_client_waits_until_it_is_known_if_a_silent_login_is_gone(harness: LobbyHarness) -> None:
    command = Book(REQUEST, "t1", "ann", GUID, "10.9.9.9", "Hands", is_listed=True)
    assert session_in_the_way(harness.lobby, command) is None
    harness.enter(1, "ann", "10.9.9.9")
    assert session_in_the_way(harness.lobby, command) == 1
    assert may_wait(harness.lobby, command)
    assert not may_wait(harness.lobby, evolve(command, address="10.0.0.1"))
    assert session_in_the_way(harness.lobby, evolve(command, proof=Proof.PROVEN)) is None
    assert session_in_the_way(harness.lobby, evolve(command, is_listed=False)) is None


def named(harness: LobbyHarness, guid: str, player: str = "gx-111111abcdef") -> str:
    """The name that a GUID outside the roster plays under, after its ticket is given back."""
    assert book(harness, guid, guid, player=player, is_listed=False) == Accepted()
    name: str = harness.lobby.tickets[guid].player
    harness.do(Unbook(REQUEST, guid, guid))
    return name


class OneStudent(RuleBasedStateMachine):
    """Two ways to be here, with and without the secret. After every command the harness checks that one is used."""

    def __init__(self) -> None:
        super().__init__()
        self.harness = LobbyHarness(GAMES, RULES)
        self.count = 0

    def session(self) -> int:
        """A new connection."""
        self.count += 1
        return 100 + self.count

    def ticket(self, player: str) -> str:
        tickets = self.harness.lobby.tickets.values()
        return next((one.id for one in tickets if one.player == player), "none")

    @property
    def here(self) -> Player | None:
        return self.harness.lobby.players.get("ann")

    @rule(is_proven=st.booleans())
    def log_in(self, is_proven: bool) -> None:
        before = self.here
        enter = Enter(self.session(), "ann", "strategic", "10.0.0.1", TEXT)
        if not is_proven:
            answer = self.harness.do(enter)
            assert (answer == Accepted()) is (before is None)
        else:
            assert self.harness.do(evolve(enter, proof=Proof.PROVEN)) == Accepted(), "the secret always helps"
            assert before is None or before.session in self.harness.dismissed

    @rule(is_proven=st.booleans())
    def book(self, is_proven: bool) -> None:
        before, ticket, is_seated = self.here, self.ticket("ann"), "ann" in self.harness.lobby.seated
        is_own = ticket != "none" and self.harness.lobby.tickets[ticket].claim.is_bound
        standing = Proof.PROVEN if is_proven else Proof.OPEN
        answer = book(self.harness, f"t{self.session()}", proof=standing)
        if not is_proven:
            assert self.here is before, "nobody is displaced without the secret"
        elif not is_own:
            assert (answer == Accepted()) is not is_seated

    @rule(shows_token=st.booleans())
    def arrive(self, shows_token: bool) -> None:
        ticket = self.ticket("ann")
        token = f"token-{ticket}" if shows_token else ""
        arrive(self.harness, self.session(), ticket, GUID, token=token)

    @rule()
    def give_back(self) -> None:
        self.harness.do(Unbook(REQUEST, self.ticket("ann"), GUID))

    @rule()
    def other_books(self) -> None:
        book(self.harness, f"o{self.session()}", OTHERS_GUID, player="gx-222222abcdef", is_listed=False)

    @rule()
    def other_arrives(self) -> None:
        arrive(self.harness, self.session(), self.ticket("gx-222222abcdef"), OTHERS_GUID)

    @rule(step=st.sampled_from([Leave, Ready, lambda session: Seek(session, "Hands"), lambda one: Play(one, "1")]))
    def act(self, step: Callable[[int], Command]) -> None:
        for session in list(self.harness.lobby.sessions):
            self.harness.do(step(session))

    @rule()
    def restart(self) -> None:
        self.harness.start()

    def teardown(self) -> None:
        self.harness.check_restored()


TestOneStudent = OneStudent.TestCase
TestOneStudent.settings = settings(max_examples=30, stateful_step_count=25)


ENDS_ALIKE = st.integers(0, 16**20 - 1).map(lambda number: _hyphenated(f"111111{number:020x}abcdef"))


def _hyphenated(digits: str) -> str:
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


@given(st.lists(ENDS_ALIKE, min_size=1, max_size=12))
def test_guids_that_end_alike_are_as_many_players(guids: list[str]) -> None:
    harness = LobbyHarness(GAMES, RULES)
    names = {guid: named(harness, guid) for guid in guids}
    assert names[guids[0]] == "gx-111111abcdef", "the first is called as ever"
    assert len(set(names.values())) == len(names)
    assert all(name.startswith("gx-111111abcdef") and len(name) <= RULES.name_length_max for name in names.values())
    restored = read_snapshot(write_snapshot(harness.lobby, 1, harness.now_ms), GAMES)
    for guid, name in names.items():
        command = Book(REQUEST, "t", "gx-111111abcdef", guid, "10.0.0.1", "Hands")
        assert name_of(harness.lobby, command) == name_of(restored, command) == name


def test_oldest_identities_are_forgotten(harness: LobbyHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newcomers, "IDENTITIES_MAX", 2)
    for number in (1, 2, 1, 3):
        named(harness, f"guid-{number}", f"gx-{number}")
    assert list(harness.lobby.identities.items()) == [(f"gx-{n}", f"guid-{n}") for n in (2, 3)]
