"""The lobby's own rules: copies, tables of transitions, and what may be asked when."""

import itertools
from typing import Any

import pytest
from attrs import evolve

from gameserver.core import challenges, decide, playing
from gameserver.core.commands import Against, Book, Challenge, Leave, Play, Ready, Resign, TimeUp, Void
from gameserver.core.decide import RANK, drain
from gameserver.core.draft import (
    Draft,
    FollowUp,
    MatchFinished,
    PlayerAvailable,
    RoomChanged,
    SeekResumed,
    TournamentChanged,
)
from gameserver.core.events import Accepted, Code, Rejected
from gameserver.core.lobby import At, Lobby, Player, RoomPhase, Ticket
from gameserver.core.match import Claim, MatchPhase
from gameserver.core.rooms import TRANSITIONS
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.tickets import GAMES, RULES, arrive, found


@pytest.mark.parametrize(
    ("ratings", "waited_s", "meet"),
    [
        ((1500, 1510), (5, 5), True),
        ((1500, 1510), (15, 15), True),
        ((1500, 1510), (35, 35), True),
        ((1500, 1510), (65, 65), True),
        ((1500, 1600), (5, 5), True),
        ((1500, 1600), (4, 5), False),
        ((1200, 1800), (65, 65), False),
        ((1500, 2000), (40, 0), False),
        ((1500, 1800), (40, 40), True),
        ((1200, 1600), (60, 60), True),
    ],
)
def test_ratings_that_meet_on_gammonx_meet_here(
    ratings: tuple[int, int], waited_s: tuple[int, int], meet: bool
) -> None:
    """Pairs of the tests of the GammonX server (Apache-2.0), and one of ours: both have to reach the other."""
    now_ms = 1_000_000
    one, two = (
        Ticket(
            Claim(Book(0, name, name, name, "", "Hands", against=Against.RATED, rating=rating)), now_ms - 1_000 * waited
        )
        for name, rating, waited in zip("ab", ratings, waited_s, strict=True)
    )
    assert one.wants(two, now_ms) is two.wants(one, now_ms) is meet


def test_a_ticket_tells_whose_it_is_before_and_in_the_match() -> None:
    harness = LobbyHarness(GAMES, RULES)
    found(harness)
    assert [harness.lobby.player_with("t1", who) for who in ("ann", "bob")] == ["gx-ann", "gx-bob"]
    arrive(harness, 1, "t1", "ann")
    arrive(harness, 2, "t2", "bob")
    assert harness.lobby.tickets == {}
    asked = (("t2", "bob"), ("t1", "bob"), ("t2", "ann"), ("t9", "ann"))
    assert [harness.lobby.player_with(*one) for one in asked] == ["gx-bob", "gx-bob", "", ""]


ANN, ROOM = PlayerAvailable("ann"), RoomChanged(2)
FREED, AGAIN = SeekResumed("ann", ("matches", 7)), SeekResumed("ann", ("tournaments", 1))
OLDER, NEWER = TournamentChanged(2), TournamentChanged(3)


@pytest.mark.parametrize(
    ("added", "leads_to", "drawn"),
    [
        ([FREED, OLDER, ANN, ROOM, MatchFinished(7)], {}, [MatchFinished(7), ROOM, ANN, OLDER, FREED]),
        ([ROOM, RoomChanged(1), ROOM], {}, [ROOM, RoomChanged(1)]),
        ([NEWER, OLDER], {}, [OLDER, NEWER]),
        ([FREED, AGAIN, FREED], {}, [FREED, AGAIN]),
        ([ANN, FREED], {ANN: ROOM}, [ANN, FREED, ROOM]),
        ([ROOM, FREED], {FREED: ROOM}, [ROOM, FREED, ROOM]),
        ([OLDER], {OLDER: OLDER}, [OLDER]),
    ],
    ids=["by rank", "once", "older first", "freed twice", "late room", "room again", "own change"],
)
def test_follow_ups_are_drawn_in_the_order_by_which_journals_replay(
    monkeypatch: pytest.MonkeyPatch, added: list[FollowUp], leads_to: dict[FollowUp, FollowUp], drawn: list[FollowUp]
) -> None:
    found: list[FollowUp] = []

    def handler(draft: Draft, follow_up: Any) -> None:
        found.append(follow_up)
        if follow_up in leads_to:
            draft.follow_ups.add(leads_to[follow_up])

    monkeypatch.setattr(decide, "RANK", dict.fromkeys(RANK, handler))
    draft = Draft(Lobby({}), At(0, 0))
    for follow_up in added:
        draft.follow_ups.add(follow_up)
    drain(draft)
    assert found == drawn


def test_every_pair_of_phase_and_command_is_judged() -> None:
    """Whatever comes in whatever phase: a legal answer, and no change where it is refused."""
    harness = LobbyHarness(catalogue(Countdown()))
    match, first, _ = harness.opened()
    commands = [
        Play(first, "1"),
        Ready(first),
        Resign(first),
        Leave(first),
        Player("ann", 9, "strategic", "10.0.0.1", ()),
        TimeUp(1),
        Void(1, "test"),
    ]
    assert set(playing.TRANSITIONS) == set(MatchPhase)
    for phase, command in itertools.product(MatchPhase, commands):
        draft = Draft(harness.lobby, At(harness.now_ms, harness.now_ms))
        answer = playing.act(draft, evolve(match, phase=phase), 0, command)
        if type(command) in playing.TRANSITIONS[phase]:
            refused = {TimeUp(1): Code.STALE} | (
                {Play(first, "1"): Code.NOT_STARTED} if phase is MatchPhase.READYING else {}
            )
            assert answer == (Rejected(refused[command]) if command in refused else Accepted())
        else:
            assert answer == Rejected(Code.NOT_IN_MATCH)
            assert draft.changes() == ()


def test_the_table_of_transitions_is_whole() -> None:
    assert set(TRANSITIONS) == set(RoomPhase)


def test_only_so_many_names_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(challenges, "COMPARED_MAX", 1)
    harness = LobbyHarness(catalogue(Countdown()))
    for session, name in enumerate(("anna", "bobby"), start=1):
        harness.enter(session, name)
    assert harness.do(Challenge(1, "bobbi", "Countdown")) == Rejected(Code.UNKNOWN_PLAYER, {"player": "bobbi"})
