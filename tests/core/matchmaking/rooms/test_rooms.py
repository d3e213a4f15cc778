"""Rooms: who sits where, when a match begins there, and the answers to every command in every phase."""

import pytest

from gameserver.core.matchmaking.room_commands import TRANSITIONS
from gameserver.core.messages.commands import Depart, ListPlayers, ListRooms, Ready, Resign, RoomTimeUp, Sit
from gameserver.core.messages.events import (
    Accepted,
    MatchOpened,
    PlayersListed,
    Rejected,
    RoomsListed,
    Seated,
    TurnStarted,
    Unseated,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.state import room as core
from gameserver.core.state.room import RoomPhase
from gameserver.game import NoOptions
from gameserver.policies import Rules
from tests.core.matchmaking.rooms.room_lobby import (
    ANN,
    BOB,
    CYD,
    GAMES,
    RULES,
    TIM,
    arrive,
    kinds,
    listed,
    over,
    started,
)
from tests.support.games import Dice, catalogue
from tests.support.lobbies import LobbyHarness

# Sitting down.


@pytest.mark.parametrize("number", [-1, 3, 100, 10**20])
def test_there_is_no_other_room(harness: LobbyHarness, number: int) -> None:
    assert harness.sit(ANN, number) == Rejected(Code.NO_SUCH_ROOM, {"room": str(number), "last": "2"})


def test_rooms_are_for_those_whose_protocol_knows_them(harness: LobbyHarness) -> None:
    """Or else somebody could sit, and look for the same game in the queue too."""
    assert harness.sit(TIM) == Rejected(Code.NO_SUCH_ROOM, {"room": "0", "last": "2"})
    assert listed(harness, ANN)[0] is None


def test_without_the_game_there_are_no_rooms() -> None:
    harness = LobbyHarness(catalogue(Dice()), RULES)
    harness.enter_by_rooms(1, "ann")
    assert harness.hear(1) == [RoomsListed(())]
    assert harness.sit(1) == Rejected(Code.UNKNOWN_GAME, {"game": "Countdown"})


@pytest.mark.parametrize("command", [Sit(9, 0), Ready(9), Depart(9), ListRooms(9)])
def test_session_that_has_not_entered_is_refused(harness: LobbyHarness, command: Sit) -> None:
    assert harness.do(command) == Rejected(Code.NOT_ENTERED)


@pytest.mark.parametrize("command", [Ready(ANN), Depart(ANN)])
def test_player_without_a_room_is_refused(harness: LobbyHarness, command: Ready) -> None:
    assert harness.do(command) == Rejected(Code.NOT_IN_ROOM)


def test_only_who_can_be_played_is_listed(harness: LobbyHarness) -> None:
    harness.sit(BOB)
    harness.do(ListPlayers(TIM))
    (event,) = harness.hear(TIM)
    assert isinstance(event, PlayersListed)
    assert [shown.name for shown in event.players if not shown.house] == ["bob", "tim", "uma"]


# Starting.


def test_a_match_begins_when_both_are_ready_and_the_host_moves_first(harness: LobbyHarness) -> None:
    harness.sit(ANN)
    harness.sit(BOB)
    harness.heard.clear()
    assert harness.ready(BOB) == Accepted()
    assert harness.ready(BOB) == Rejected(Code.READY_ALREADY, {"room": "0"})
    assert harness.heard == {}
    harness.ready(ANN)
    for session, seat in ((ANN, 0), (BOB, 1)):
        opened, *more = harness.hear(session)
        assert opened == MatchOpened(1, "Countdown", ("ann", "bob"), seat, 0, 15_000, options=NoOptions())
        assert kinds(more) == ([TurnStarted] if session == ANN else [])
    assert listed(harness, CYD) == {1: None, 2: None}
    assert harness.sit(CYD) == Rejected(Code.ROOM_FULL, {"room": "0"})


def test_place_of_a_player_who_left_before_the_start_can_be_taken(harness: LobbyHarness) -> None:
    for session in (ANN, BOB):
        harness.sit(session)
    harness.ready(BOB)
    harness.leave(ANN)
    harness.sit(CYD)
    assert harness.hear(CYD) == [Seated(0, "bob")]
    harness.ready(CYD)
    assert harness.match().players == ("bob", "cyd")


# A broken game, and the table of the state machine.


def test_a_game_that_cannot_begin_leaves_nobody_waiting() -> None:
    harness = arrive(LobbyHarness(GAMES, Rules(room_game="Broken-start", room_count=3)))
    for session in (ANN, BOB):
        harness.sit(session)
        harness.ready(session)
    for session in (ANN, BOB):
        assert kinds(harness.hear(session)) == [Seated, Unseated]
    assert harness.lobby.rooms == {}


STAGES = {
    RoomPhase.GATHERING: lambda harness: harness.sit(ANN),
    RoomPhase.READYING: lambda harness: (harness.sit(ANN), harness.sit(BOB)),
    RoomPhase.PLAYING: started,
    RoomPhase.BETWEEN: lambda harness: over(started(harness)),
}
"""`KEPT` needs a tournament: `tests/core/organizer/test_rooms_and_tickets.py` has it."""


@pytest.mark.parametrize("phase", STAGES)
@pytest.mark.parametrize("command", [Sit(CYD, 0), Sit(ANN, 0), Ready(ANN), Depart(ANN), Resign(ANN), RoomTimeUp(0)])
def test_every_command_has_an_answer_in_every_phase(harness: LobbyHarness, phase: RoomPhase, command: Sit) -> None:
    STAGES[phase](harness)
    assert harness.lobby.rooms[0].phase is phase
    harness.now_ms += 1_000_000
    answer = harness.do(command)
    due = phase in {RoomPhase.READYING, RoomPhase.BETWEEN}
    allowed = {
        Sit(CYD, 0): phase is RoomPhase.GATHERING,
        Ready(ANN): phase is not RoomPhase.PLAYING,
        Depart(ANN): True,
        Resign(ANN): phase is RoomPhase.PLAYING,
        RoomTimeUp(0): due,
    }
    assert (answer == Accepted()) is allowed.get(command, False)


def test_the_table_of_transitions_is_whole() -> None:
    assert set(TRANSITIONS) == set(core.RoomPhase)
