"""Clients of other protocols in tournaments: players in rooms, and players with tickets."""

from typing import Any

import pytest
from attrs import evolve

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Arrive, Book
from gameserver.core.messages.events import Accepted, By, Rejected, Unseated
from gameserver.core.messages.tournament_commands import EntryMode
from gameserver.core.state.room import RoomPhase
from gameserver.policies import IllegalPolicy, LatePolicy
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from tests.support.tournament_hall import GAMES, RULES, Hall


def test_players_in_rooms_play_nobody_else_during_a_pause(hall: Hall) -> None:
    """Clients sit down in the one room that they know, and start again and again, whatever the tournament does."""
    for session, name in enumerate(("ann", "bob", "cyd", "dan"), start=1):
        hall.sessions[name] = session
        hall.enter_by_rooms(session, name)
    hall.create("arena", duration_ms=600_000)
    hall.act(acts.StartTournament(0))
    for session in (1, 2, 3):
        hall.sit(session, 0)
        hall.ready(session)
    (match,) = hall.matches
    hall.act(acts.Pause(0, by="teacher", why="lunch"))
    hall.sit(4, 0)
    hall.ready(4)
    hall.end(match, 0)
    hall.ready(1)
    hall.ready(2)
    assert hall.matches == []
    waiting = [hall.lobby.rooms[player.room or 0] for player in hall.lobby.players.values()]
    assert [harness.phase for harness in waiting] == [RoomPhase.KEPT] * 4
    hall.act(acts.Resume(0, by="teacher"))
    assert len(hall.matches) == 2
    assert all(match.scheduled is not None for match in hall.matches)


@pytest.mark.parametrize("enter", ["enter", "enter_by_rooms"])
@pytest.mark.parametrize("late", [LatePolicy.MATCH, LatePolicy.RANDOM_MOVE])
@pytest.mark.parametrize("illegal", [IllegalPolicy.MATCH, IllegalPolicy.REFUSAL])
def test_the_plan_says_what_late_and_illegal_moves_cost(hall: Hall, enter: str, late: Any, illegal: Any) -> None:
    """For text players and those of rooms alike."""
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.sessions[name] = session
        getattr(hall, enter)(session, name)
    hall.create(late=late, illegal=illegal, turn_time_ms=5_000, games=2)
    hall.act(acts.StartTournament(0))
    if enter == "enter_by_rooms":
        for session in (1, 2):
            hall.sit(session, 0)
            hall.ready(session)
    (match,) = hall.matches
    assert (match.policies.late.value, match.policies.illegal.value) == (late.value, illegal.value)
    assert match.policies.turn_time_ms == 5_000
    refused = hall.play(hall.sessions[match.players[0]], "nonsense")
    if illegal is IllegalPolicy.MATCH:
        assert hall.row.state.pairings[0].verdict is Verdict.SECOND
        return
    assert isinstance(refused, Rejected)
    hall.now_ms += 6_000
    assert hall.time_up(match.id) == Accepted()
    if late is LatePolicy.MATCH:
        assert hall.row.state.pairings[0].verdict is Verdict.SECOND
    else:
        assert [move.by for move in hall.matches[0].moves] == [By.SERVER]


def test_after_the_tournament_rooms_are_as_ever(hall: Hall) -> None:
    hall.enter_by_rooms(1, "ann")
    hall.enter_by_rooms(2, "bob")
    hall.create()
    hall.act(acts.StartTournament(0))
    for session in (1, 2):
        hall.sit(session, 0)
        hall.ready(session)
    hall.end(hall.matches[0], 0)
    assert hall.row.state.phase is TournamentPhase.OVER
    hall.enter_by_rooms(3, "cyd")
    hall.sit(3, 2)
    hall.ready(3)
    hall.enter_by_rooms(4, "dan")
    hall.sit(4, 2)
    hall.ready(4)
    assert [match.players for match in hall.matches] == [("cyd", "dan")]


def test_rooms_of_waiting_tournament_players_are_closed_to_others(hall: Hall) -> None:
    hall.enter_by_rooms(1, "ann")
    hall.sit(1, 0)
    hall.ready(1)
    hall.create(entry=EntryMode.ROSTER, roster=(acts.RegisterEntrant("ann"), acts.RegisterEntrant("bob")))
    hall.act(acts.StartTournament(0))
    hall.enter_by_rooms(2, "zoe")
    assert hall.sit(2, 0) == Accepted()
    hall.ready(2)
    assert hall.matches == []
    hall.act(acts.Cancel("teacher"))
    assert hall.lobby.players["ann"].room == 1, "who is kept no more is to be found in a room"
    hall.enter_by_rooms(3, "cyd")
    hall.sit(3, 1)
    hall.ready(3)
    assert [match.players for match in hall.matches] == [("ann", "cyd")]


@pytest.mark.parametrize("searches", [True, False])
def test_a_start_in_a_room_counts_after_the_tournament_as_its_plan_says(searches: bool) -> None:
    """Somebody who started for the next match of a tournament hears that there is none, and meets nobody else by it."""
    hall = Hall(GAMES, evolve(RULES, readiness_is_search=True))
    for session, name in enumerate(("ann", "bob", "cyd"), start=1):
        hall.sessions[name] = session
        hall.enter_by_rooms(session, name)
        hall.sit(session, session)
        hall.ready(session)
    hall.create(searches=searches)
    hall.act(acts.StartTournament(0))
    for _ in range(3):
        (match,) = hall.matches
        players = hall.lobby.players
        (waiting,) = (name for name in players if players[name].match is None)
        hall.hear(hall.sessions[waiting])
        hall.end(match, 0)
        for name in match.players:
            hall.ready(hall.sessions[name])
    assert hall.row.state.phase is TournamentPhase.OVER
    room = hall.lobby.players[waiting].room
    told = [type(event) for event in hall.hear(hall.sessions[waiting])]
    assert (told, room) == (([], 0) if searches else ([Unseated], None))
    hall.enter_by_rooms(9, "zoe")
    hall.sit(9, 0)
    hall.ready(9)
    assert [match.players for match in hall.matches] == ([(waiting, "zoe")] if searches else [])


def test_a_connect_four_client_comes_back_to_its_match_by_any_room(hall: Hall) -> None:
    for session, name in enumerate(("ann", "bob"), start=1):
        hall.enter_by_rooms(session, name)
    hall.create()
    hall.act(acts.StartTournament(0))
    for session in (1, 2):
        hall.sit(session, 3)
        hall.ready(session)
    (match,) = hall.matches
    hall.start()
    for session, name in enumerate(("ann", "bob"), start=11):
        hall.enter_by_rooms(session, name)
        assert hall.sit(session, 3) == Accepted()
        assert hall.ready(session) == Accepted()
    assert all(holder.is_present for holder in hall.lobby.matches[match.id].seats)
    hall.end(hall.lobby.matches[match.id], 0)
    assert hall.row.state.phase is TournamentPhase.OVER


def test_players_with_tickets_are_paired_by_them(hall: Hall) -> None:
    hall.come("ann")
    names = ("gx-bob", "gx-cyd")
    hall.create(
        entry=EntryMode.ROSTER, roster=tuple(map(acts.RegisterEntrant, ("ann", *names))), late="match", illegal="match"
    )
    hall.act(acts.StartTournament(0))
    for session, name in enumerate(names, start=10):
        book = Book(90, f"t{session}", name, name, "10.0.0.1", "Countdown", open_to_queue=True)
        assert hall.do(book) == Accepted()
        arrive = Arrive(session, f"t{session}", name, "gammonx", "10.0.0.1", (Capability.READY,))
        assert hall.do(arrive) == Accepted()
    (match,) = hall.matches
    assert match.scheduled is not None
    assert match.awaited_seats, "this protocol says when it is ready"
    assert (match.policies.late, match.policies.illegal) == (LatePolicy.GAME, IllegalPolicy.REFUSAL), (
        "and knows no other terms"
    )
    with_ann = "ann" in match.players
    assert with_ann or set(match.players) == set(names)
    for holder in match.seats:
        if holder.says_ready:
            hall.ready(holder.session)
    hall.end(hall.matches[0], 0)
    assert hall.row.state.pairings[0].status is PairingStatus.DONE
