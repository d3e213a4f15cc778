"""A student who may log in by name and by a GammonX client is one player, and is here once."""

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from gameserver.core.matchmaking import identity_names
from gameserver.core.matchmaking.identity_names import name_of
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import (
    Arrive,
    Book,
    Command,
    Enter,
    Leave,
    ListPlayers,
    Play,
    Ready,
    Seek,
    Unbook,
)
from gameserver.core.messages.events import (
    Accepted,
    Displaced,
    MatchOpened,
    MatchShown,
    Rejected,
    TicketClosed,
    TicketShown,
    TicketStatus,
)
from gameserver.core.messages.identity import Proof
from gameserver.core.messages.rejections import Code
from gameserver.core.sessions.blocking import may_wait, session_in_the_way
from gameserver.core.state.lobby import KnownIdentity, Player
from gameserver.core.state.match import MatchPhase
from gameserver.journal.snapshot import digest, read_snapshot, write_snapshot
from gameserver.policies import Rules
from tests.support.games import Hands, catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Hands())
RULES = Rules(first_move_pause_ms=0, tickets_share_ids=True, tells_identities_apart=True)
TEXT = (Capability.CHAT, Capability.CHALLENGE)
BY_NAME, BY_TICKET, OTHER, REQUEST = 1, 2, 3, 90
GUID, OTHERS_GUID = "11111100-0000-4000-8000-000000abcdef", "22222200-0000-4000-8000-000000abcdef"


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, RULES)


def book(harness: LobbyHarness, ticket: str = "t1", guid: str = GUID, **more: Any) -> Accepted | Rejected:
    wanted: dict[str, Any] = {"player": "ann", "is_listed": True, "options": {"length": "long"}} | more
    wanted |= {"seat_options": {"by_hand": True}, "token": f"token-{ticket}", "open_to_queue": True}
    return harness.do(Book(REQUEST, ticket, identity=guid, address="10.0.0.1", game="Hands", **wanted))


def other_books(harness: LobbyHarness) -> Accepted | Rejected:
    return book(harness, "t2", OTHERS_GUID, player="gx-222222abcdef", is_listed=False)


def arrive(harness: LobbyHarness, session: int, ticket: str, guid: str, **more: Any) -> Accepted | Rejected:
    return harness.do(Arrive(session, ticket, guid, "gammonx", "10.0.0.1", (Capability.READY,), **more))


def log_in(harness: LobbyHarness, standing: Proof = Proof.OPEN, address: str = "10.9.9.9") -> Accepted | Rejected:
    return harness.do(Enter(BY_NAME, "ann", "strategic", address, TEXT, standing=standing))


def searching(harness: LobbyHarness) -> None:
    book(harness)


def waiting(harness: LobbyHarness) -> None:
    book(harness)
    arrive(harness, BY_TICKET, "t1", GUID)


def paired(harness: LobbyHarness) -> None:
    waiting(harness)
    other_books(harness)
    arrive(harness, OTHER, "t2", OTHERS_GUID)


def playing(harness: LobbyHarness) -> None:
    paired(harness)
    for session in (BY_TICKET, OTHER):
        harness.do(Ready(session))


def test_student_is_called_by_name_everywhere(harness: LobbyHarness) -> None:
    harness.enter(7, "bob")
    harness.seek(7, "Hands")
    waiting(harness)
    harness.do(ListPlayers(7))
    assert [player.name for player in harness.hear(7)[-1].players] == ["bob", "ann", "house-random"]
    match = harness.lobby.matches[1]
    assert set(match.players) == {"ann", "bob"}
    assert GUID in match.identities, "by which the client knows itself"
    assert harness.lobby.identities == {}


@pytest.mark.parametrize("state", [searching, waiting, paired, playing])
def test_login_without_proof_is_refused_while_the_client_is_in(harness: LobbyHarness, state: Any) -> None:
    state(harness)
    before = digest(harness.lobby)
    assert log_in(harness) == Rejected(Code.NAME_TAKEN, {"name": "ann"})
    assert digest(harness.lobby) == before


def test_search_of_an_absent_client_ends_with_a_login_from_its_address(harness: LobbyHarness) -> None:
    """Nobody is here, and nothing tells the student from another player who sits there."""
    book(harness)
    assert log_in(harness, address="10.0.0.1") == Accepted()
    assert harness.lobby.tickets == {}


def test_opponent_who_was_found_searches_on(harness: LobbyHarness) -> None:
    book(harness)
    other_books(harness)
    arrive(harness, OTHER, "t2", OTHERS_GUID)
    log_in(harness, Proof.PROVEN)
    assert harness.hear(OTHER)[-1] == TicketShown("t2", TicketStatus.WAITING, "Hands")
    assert book(harness, "t3", "33333300-0000-4000-8000-000000abcdef", player="gx-3", is_listed=False) == Accepted()
    assert harness.lobby.tickets["t2"].partner == "t3"


def test_login_with_the_secret_takes_the_seat(harness: LobbyHarness) -> None:
    playing(harness)
    assert log_in(harness, Proof.PROVEN) == Accepted()
    assert isinstance(harness.hear(BY_NAME)[0], MatchShown)
    match = harness.lobby.matches[1]
    assert match.seats[match.seat_of("ann")].session == BY_NAME
    assert harness.lobby.players["ann"].match == 1
    # The client takes it back with the token of its ticket, and the login ends.
    assert arrive(harness, 5, "t1", GUID) == Rejected(Code.NAME_TAKEN, {"name": "ann"})
    assert arrive(harness, 5, "t1", GUID, token="token-t1") == Accepted()
    match = harness.lobby.matches[1]
    assert match.seats[match.seat_of("ann")].session == 5
    assert harness.dismissed[-1] == BY_NAME
    assert Displaced() not in harness.hear(BY_NAME)


def test_seat_taken_by_a_protocol_without_readiness_is_ready(harness: LobbyHarness) -> None:
    paired(harness)
    harness.do(Ready(OTHER))
    assert harness.lobby.matches[1].phase is MatchPhase.READYING
    log_in(harness, Proof.PROVEN)
    assert harness.lobby.matches[1].phase is MatchPhase.PLAYING
    assert [event for event in harness.hear(BY_NAME) if isinstance(event, MatchOpened)]


def test_client_without_proof_is_refused_while_the_name_is_in(harness: LobbyHarness) -> None:
    log_in(harness)
    before = digest(harness.lobby)
    assert book(harness) == Rejected(Code.NAME_TAKEN, {"name": "ann"})
    assert digest(harness.lobby) == before


def test_client_waits_until_it_is_known_if_a_silent_login_is_gone(harness: LobbyHarness) -> None:
    command = Book(REQUEST, "t1", "ann", GUID, "10.9.9.9", "Hands", is_listed=True)
    assert session_in_the_way(harness.lobby, command) is None
    log_in(harness, address="10.9.9.9")
    assert session_in_the_way(harness.lobby, command) == BY_NAME
    assert may_wait(harness.lobby, command)
    assert not may_wait(harness.lobby, evolve(command, address="10.0.0.1"))
    assert session_in_the_way(harness.lobby, evolve(command, standing=Proof.PROVEN)) is None
    assert session_in_the_way(harness.lobby, evolve(command, is_listed=False)) is None


def test_client_with_the_secret_ends_the_login(harness: LobbyHarness) -> None:
    log_in(harness)
    harness.seek(BY_NAME, "Hands")
    assert book(harness, standing=Proof.PROVEN) == Accepted()
    assert harness.dismissed == [BY_NAME]
    assert harness.lobby.sessions == {}
    assert not any(harness.lobby.queues.values())
    assert arrive(harness, BY_TICKET, "t1", GUID) == Rejected(Code.UNPROVEN, {"name": GUID})
    assert arrive(harness, BY_TICKET, "t1", GUID, token="token-t1") == Accepted()


def test_client_with_the_secret_ends_a_search_without(harness: LobbyHarness) -> None:
    waiting(harness)
    assert book(harness, "t2") == Rejected(Code.TICKET_OPEN)
    assert book(harness, "t2", standing=Proof.PROVEN) == Accepted()
    assert list(harness.lobby.tickets) == ["t2"]
    assert harness.lobby.players == {}
    assert harness.hear(BY_TICKET)[-1] == TicketClosed("t1")
    assert book(harness, "t3", standing=Proof.PROVEN) == Rejected(Code.TICKET_OPEN), "that one is the student's own"


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
            assert self.harness.do(evolve(enter, standing=Proof.PROVEN)) == Accepted(), "the secret always helps"
            assert before is None or before.session in self.harness.dismissed

    @rule(is_proven=st.booleans())
    def book(self, is_proven: bool) -> None:
        before, ticket, is_seated = self.here, self.ticket("ann"), "ann" in self.harness.lobby.seated
        is_own = ticket != "none" and self.harness.lobby.tickets[ticket].is_bound
        standing = Proof.PROVEN if is_proven else Proof.OPEN
        answer = book(self.harness, f"t{self.session()}", standing=standing)
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
    monkeypatch.setattr(identity_names, "IDENTITIES_MAX", 2)
    for number in (1, 2, 1, 3):
        named(harness, f"guid-{number}", f"gx-{number}")
    assert list(harness.lobby.identities.values()) == [KnownIdentity(f"gx-{n}", f"guid-{n}") for n in (2, 3)]
