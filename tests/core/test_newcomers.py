"""A student by name and by a GammonX client in any order: one player, here once; and the names of other clients."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from gameserver.core import newcomers
from gameserver.core.commands import Arrive, Book, Capability, Command, Enter, Leave, Play, Ready, Seek, Unbook
from gameserver.core.events import Accepted, Rejected
from gameserver.core.identity import Proof
from gameserver.core.lobby import Player
from gameserver.core.newcomers import name_of
from gameserver.core.sessions import may_wait, session_in_the_way
from gameserver.journal.snapshot import read_snapshot, write_snapshot
from gameserver.policies import Rules
from tests.support.games import Hands, catalogue
from tests.support.lobbies import LobbyHarness

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
