"""The troubles that a teacher is told: each kind, and nothing where nothing is wrong."""

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve

from gameserver.core.commands import EntryMode
from gameserver.core.events import Accepted, By
from gameserver.core.lobby import TournamentRow
from gameserver.core.match import AFTER_RESTART, Absence, Cause, Match, PlayedMove
from gameserver.read_model.read_model import LobbyView
from gameserver.read_model.troubles import (
    Hold,
    Trouble,
    TroubleKind,
    WaitingView,
    awaits_teacher,
    troubles,
    waiting_for,
)
from gameserver.tournaments import model
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from tests.support.tournament_hall import GAMES, RULES, Hall

KINDS = TroubleKind


def new_hall(*names: str, here: Sequence[str] | None = None, which: str = "hanze", **changes: Any) -> Hall:
    """A tournament of these players that has begun; those who are `here` are logged in."""
    hall = Hall(GAMES, evolve(RULES, drop_grace_ms=changes.pop("grace_ms", 60_000)))
    hall.come(*(names if here is None else here))
    hall.create(which, entry=EntryMode.ROSTER, roster=tuple(map(model.RegisterEntrant, names)), **changes)
    assert hall.act(model.StartTournament(0)) == Accepted()
    return hall


def seen(hall: Hall) -> tuple[Trouble, ...]:
    return LobbyView.of(hall.lobby, 0, hall.now_ms).troubles


def seen_with(hall: Hall, match: Match) -> tuple[Trouble, ...]:
    """The troubles if this match stood so."""
    view = LobbyView.of(hall.lobby, 0, hall.now_ms)
    return troubles({**hall.lobby.matches, match.id: match}, hall.lobby.tournaments.values(), lambda: view._lobby_rows)


def moved(*authors: tuple[int, By]) -> tuple[PlayedMove, ...]:
    return tuple(PlayedMove(seat, "1", by, 0) for seat, by in authors)


def test_nothing_is_said_while_nothing_is_wrong() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan")
    assert seen(hall) == ()
    hall.play_out()
    assert hall.row.is_over
    assert seen(hall) == ()
    assert seen(Hall(GAMES, RULES)) == ()


# A bot that is late three times in a row.


def test_a_player_for_whom_the_server_moved_three_times_is_late() -> None:
    hall = new_hall("ann", "bob")
    (match,) = hall.matches
    one, other = (0, By.SERVER), (1, By.PLAYER)
    assert seen_with(hall, evolve(match, moves=moved(one, other, one, other))) == ()
    (late,) = seen_with(hall, evolve(match, moves=moved(one, other, one, other, one, other)))
    assert (late.kind, late.players, late.match) == (KINDS.LATE, (match.players[0],), match.id)
    assert (late.tournament, late.title, late.phase, late.pairing) == (1, "Cup of May", "running", 1)
    again = evolve(match, moves=moved(one, other, one, other, one, other, (0, By.PLAYER)))
    assert seen_with(hall, again) == (), "it moves by itself again"


def test_lateness_outside_of_a_tournament_is_told_too() -> None:
    hall = Hall(GAMES, RULES)
    match, *_ = hall.opened()
    (late,) = seen_with(hall, evolve(match, moves=moved(*[(1, By.SERVER)] * 3)))
    assert (late.kind, late.players, late.tournament) == (KINDS.LATE, (match.players[1],), None)


def lose_on_time(hall: Hall, match: Match, loser: str) -> None:
    """The match, lost by a turn that ran out of time."""
    if match.players[match.turn.seats[0]] != loser:
        session = match.seats[match.turn.seats[0]].session
        assert session is not None
        hall.play(session, "1")
        match = hall.lobby.matches[match.id]
    assert match.due_ms is not None
    hall.now_ms = match.due_ms
    assert hall.time_up(match.id) == Accepted()


def test_a_player_who_lost_three_games_on_time_is_late() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan", "eve", late="match", matches_at_once_max=1)
    lost = 0
    while lost < 3:
        assert seen(hall) == (), lost
        (match,) = hall.matches
        if "ann" in match.players:
            lose_on_time(hall, match, "ann")
            lost += 1
        else:
            hall.end(match, 0)
    (late,) = seen(hall)
    assert (late.kind, late.players, late.match, late.tournament) == (KINDS.LATE, ("ann",), None, 1)
    assert "on time" in late.why
    while "ann" not in hall.matches[0].players:
        hall.end(hall.matches[0], 0)
    (match,) = hall.matches
    hall.end(match, match.players.index("ann"))
    assert seen(hall) == (), "it won again"


def test_a_player_who_is_out_is_no_longer_late() -> None:
    hall = new_hall("ann", "bob", "cyd", late="match", matches_at_once_max=1, cycles=3)
    for _ in range(8):
        (match,) = hall.matches
        if "ann" in match.players:
            lose_on_time(hall, match, "ann")
        else:
            hall.end(match, 0)
    assert [one.kind for one in seen(hall)] == [KINDS.LATE]
    hall.act(model.WithdrawEntrant("ann", "teacher", "no bot"))
    assert seen(hall) == ()


# A client that was cut off.


def test_a_player_whose_connection_ended_in_a_match_is_cut_off() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan")
    hall.leave(hall.sessions["ann"])
    (match,) = (match for match in hall.matches if "ann" in match.players)
    (cut,) = seen(hall)
    assert (cut.kind, cut.players, cut.match, cut.tournament) == (KINDS.CUT_OFF, ("ann",), match.id, 1)
    assert cut.until_ms == hall.now_ms + 60_000
    hall.enter(50, "ann")
    assert seen(hall) == ()


def test_a_player_who_lost_a_game_with_the_connection_is_told_until_it_is_back() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan", matches_at_once_max=1, grace_ms=0)
    (match,) = hall.matches
    gone, _ = match.players
    hall.pairs = False
    hall.leave(hall.sessions[gone])
    (cut,) = seen(hall)
    assert (cut.kind, cut.players, cut.pairing, cut.match) == (KINDS.CUT_OFF, (gone,), 1, match.id)
    assert cut.until_ms is None, "nothing more is lost by waiting"
    assert "game 1 was lost" in cut.why
    hall.enter(50, gone)
    assert seen(hall) == ()


def test_only_the_last_game_counts_of_a_player_who_left() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan", matches_at_once_max=1, grace_ms=0, cycles=2)
    gone = hall.matches[0].players[0]
    hall.leave(hall.sessions[gone])
    hall.come(gone)
    while gone not in hall.matches[0].players:
        hall.end(hall.matches[0], 0)
    hall.pairs = False
    hall.end(hall.matches[0], 0)
    hall.leave(hall.sessions[gone])
    assert seen(hall) == (), "its last game was not lost by the connection"


def test_a_player_who_is_cut_off_and_waited_for_is_told_once() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan", which="swiss", games=1, grace_ms=0)
    first, second = hall.matches
    gone = first.players[0]
    hall.leave(hall.sessions[gone])
    assert (KINDS.CUT_OFF, (gone,)) in [(one.kind, one.players) for one in seen(hall)]
    hall.end(second, 0)
    assert hall.row.state.round == 2, "the next round is announced"
    assert [(one.kind, one.players) for one in seen(hall) if gone in one.players and len(one.players) == 1] == [
        (KINDS.ABSENT, (gone,))
    ]


# A player who has not come to an announced match.


def test_a_client_that_is_here_but_does_not_start_is_absent() -> None:
    hall = new_hall("ann", "bob", here=("bob",), which="cup")
    hall.enter_by_rooms(50, "ann")
    assert [(one.kind, one.players, one.why) for one in seen(hall)] == [(KINDS.ABSENT, ("ann",), "not ready")]
    hall.sit(50, 0)
    hall.ready(50)
    assert seen(hall) == ()


def test_a_player_who_is_missing_in_two_tournaments_is_told_for_each() -> None:
    hall = new_hall("ann", "bob", here=("ann",), which="cup")
    rows = (hall.row, evolve(hall.row, number=hall.row.number + 1))
    view = LobbyView.of(hall.lobby, 0, hall.now_ms)
    found = troubles(hall.lobby.matches, rows, lambda: view._lobby_rows)
    assert [(one.kind, one.players, one.tournament) for one in found] == [
        (KINDS.ABSENT, ("bob",), row.number) for row in rows
    ]


def test_nobody_is_waited_for_in_a_pause() -> None:
    hall = new_hall("ann", "bob", here=("ann",), which="cup")
    assert [one.kind for one in seen(hall)] == [KINDS.ABSENT]
    hall.act(model.Pause(hall.now_ms))
    assert seen(hall) == ()


# A match that is the last of its round.


@pytest.mark.parametrize("which", ["swiss", "cup"])
def test_the_last_match_of_a_round_is_told(which: str) -> None:
    hall = new_hall("ann", "bob", "cyd", "dan", which=which, games=1)
    first, last = hall.matches
    assert seen(hall) == ()
    hall.end(first, 0)
    (one,) = seen(hall)
    assert (one.kind, one.players, one.match, one.round) == (KINDS.LAST_OF_ROUND, last.players, last.id, 1)
    assert one.round_name == ("Semi-final" if which == "cup" else "")
    assert one.why == f"{last.players[0]} to move"
    assert one.until_ms == last.clock.deadline_ms
    hall.end(last, 0)
    assert hall.row.state.round == 2
    assert [one.kind for one in seen(hall)] == [], "the next round has begun"


@pytest.mark.parametrize("which", ["hanze", "arena"])
def test_nobody_waits_for_a_match_where_there_are_no_rounds(which: str) -> None:
    hall = new_hall("ann", "bob", "cyd", "dan", which=which)
    hall.pairs = False
    hall.end(hall.matches[0], 0)
    assert len(hall.matches) == 1
    assert seen(hall) == ()


# A game that waits for a decision.


def test_a_game_that_waits_for_the_teacher_comes_first() -> None:
    hall = new_hall("ann", "bob", "cyd", "dan")
    hall.leave(hall.sessions[hall.matches[1].players[0]])
    (pairing, *_) = hall.row.state.pairings
    held = hall.row.state.with_pairing(evolve(pairing, status=PairingStatus.HELD, reason="a bug of ours"))
    hall.lobby.tournaments[1] = evolve(hall.row, state=held)
    first, second = seen(hall)
    assert (first.kind, first.pairing, first.why) == (KINDS.HELD, 1, "a bug of ours")
    assert second.kind is KINDS.CUT_OFF


@pytest.mark.parametrize(
    ("names", "which", "is_told"),
    [
        (("ann", "bob", "cyd"), "hanze", True),
        (("ann", "bob"), "hanze", True),  # which is over by it, as after a final
        (("ann", "bob", "cyd"), "arena", False),
    ],
)
def test_game_lost_by_first_move_after_restart_is_told_until_it_is_decided(
    names: Sequence[str], which: str, *, is_told: bool
) -> None:
    hall = new_hall(*names, which=which)
    (match,) = hall.matches
    loser, other = match.players
    hall.play(hall.sessions[loser], "1")
    hall.play(hall.sessions[other], "1")
    hall.start()
    hall.sessions.clear()
    hall.come(loser, other)
    hall.play(hall.sessions[loser], "9")
    told = [one for one in seen(hall) if one.kind is KINDS.AFTER_RESTART]
    assert [(one.players, one.pairing, one.match) for one in told] == ([((loser,), 1, match.id)] if is_told else [])
    assert hall.row.state.pairings[0].reason.startswith(f"illegal move: {AFTER_RESTART}, '9': ")
    hall.act(model.VoidPairing(1, "teacher", "its board was wrong"))
    assert KINDS.AFTER_RESTART not in [one.kind for one in seen(hall)]
    assert hall.row.state.phase is TournamentPhase.RUNNING


def test_a_tournament_that_is_over_troubles_nobody() -> None:
    hall = new_hall("ann", "bob", here=("ann",), which="cup")
    assert seen(hall)
    hall.act(model.Cancel("teacher", "fire alarm", hall.now_ms))
    assert hall.row.state.phase is TournamentPhase.CANCELLED
    assert seen(hall) == ()


FOUR = ("ann", "bob", "cyd", "dan")


def waiting_in(hall: Hall) -> WaitingView | None:
    return LobbyView.of(hall.lobby, 0, hall.now_ms).waiting(hall.row.number)


def end(hall: Hall, *players: str) -> None:
    """The match of these two ends."""
    (match,) = (one for one in hall.matches if set(players) == set(one.players))
    hall.end(match, 1)


def round_of_four(**changes: Any) -> tuple[Hall, Sequence[str], Sequence[str]]:
    """A Swiss of four in its first round: the pairs."""
    hall = new_hall(*FOUR, which="swiss", games=1, rounds=2, pause_ms=0, **changes)
    one, other = (match.players for match in hall.matches)
    return hall, one, other


def test_the_last_match_of_a_round_is_waited_for_and_in_it_the_player_to_move() -> None:
    hall, one, other = round_of_four()
    hall.now_ms += 7_000
    end(hall, *one)
    (match,) = hall.matches
    (acting,) = match.awaited_seats
    hold = Hold(other[acting], match.turn_started_ms, "to move")
    assert waiting_in(hall) == WaitingView(tuple(other), match.opened_ms, "", hold)
    assert waiting_in(hall).ages(hall.now_ms)["for_ms"] == 7_000


def test_a_player_of_it_who_was_cut_off_is_waited_for_alone() -> None:
    hall, one, other = round_of_four()
    end(hall, *one)
    (match,) = hall.matches
    (acting,) = match.awaited_seats
    gone = evolve(match.seats[acting], session=None, absence=Absence(Cause.DROP, hall.now_ms + 9_000))
    seats = tuple(gone if seat == acting else holder for seat, holder in enumerate(match.seats))
    view = LobbyView.of(hall.lobby, 0, hall.now_ms)
    found = waiting_for(hall.row, {match.id: evolve(match, seats=seats)}, lambda: view._lobby_rows)
    assert found == WaitingView((other[acting],), match.turn_started_ms, "not here")


def test_an_announced_match_waits_for_the_player_who_has_not_come() -> None:
    hall = new_hall(*FOUR, here=FOUR[:3], which="swiss", games=1, rounds=2, pause_ms=0, no_show_ms=60_000)
    announced_ms = hall.now_ms
    (match,) = hall.matches
    assert waiting_in(hall) is None, "the others still play"
    hall.now_ms += 42_000
    hall.end(match, 1)
    found = waiting_in(hall)
    assert found == WaitingView(("dan",), announced_ms, "not here")
    assert found.ages(hall.now_ms) == {"players": ("dan",), "for_ms": 42_000, "why": "not here", "hold": None}


def test_a_player_with_all_games_that_are_left_is_waited_for() -> None:
    hall = new_hall("ann", "bob", "cyd", which="hanze", pause_ms=0)
    (match,) = hall.matches
    (third,) = {"ann", "bob", "cyd"} - set(match.players)
    assert waiting_in(hall) is None, "three pairs, of which no player is in each"
    hall.end(match, 1)
    (match,) = hall.matches
    assert third in match.players
    assert waiting_in(hall) == WaitingView((third,), match.opened_ms)


@pytest.mark.parametrize("which", ["swiss", "hanze"])
def test_two_alone_wait_for_the_player_to_move_and_not_for_their_match(which: str) -> None:
    hall = new_hall("ann", "bob", which=which)
    (match,) = hall.matches
    assert waiting_in(hall) == WaitingView((match.players[0],), match.turn_started_ms, "to move")


def test_arena_waits_for_nobody() -> None:
    hall = new_hall(*FOUR, which="arena")
    hall.pairs = False
    hall.end(hall.matches[0], 0)
    assert len(hall.matches) == 1
    assert waiting_in(hall) is None


def test_whole_tournament_waits_for_nobody_in_a_pause() -> None:
    hall, one, _ = round_of_four()
    end(hall, *one)
    assert hall.act(model.Pause(hall.now_ms)) == Accepted()
    assert waiting_in(hall) is None


def changed(row: TournamentRow, match: Match, **changes: Any) -> TournamentRow:
    """The tournament with the game of this match changed."""
    (pairing,) = (one for one in row.state.pairings if one.match == match.id)
    return evolve(row, state=row.state.with_pairing(evolve(pairing, **changes)))


@pytest.mark.parametrize(("which", "games"), [("swiss", 1), ("swiss", 2), ("cup", 1)])
def test_the_teacher_is_waited_for_when_nothing_else_goes_on(which: str, games: int) -> None:
    hall = new_hall(*FOUR, which=which, games=games, pause_ms=0)
    one, other = hall.matches
    assert not awaits_teacher(hall.row)
    row = changed(hall.row, one, status=PairingStatus.HELD)
    assert not awaits_teacher(row), "the others still play"
    row = changed(row, other, status=PairingStatus.DONE, verdict=Verdict.FIRST)
    assert awaits_teacher(row) == (games == 1), "their second game comes next"
    assert not awaits_teacher(evolve(row, state=evolve(row.state, phase=TournamentPhase.PAUSED)))


@pytest.mark.parametrize(("which", "changes"), [("cup", {}), ("swiss", {"rounds": 2})])
def test_nobody_is_waited_for_until_the_next_game_of_the_others_is_announced(
    which: str, changes: dict[str, Any]
) -> None:
    hall = new_hall(*FOUR, which=which, games=3, pause_ms=2_000, **changes)
    one, other = hall.matches
    hall.end(one, 0)
    assert waiting_in(hall) is None
    state, view = hall.row.state, LobbyView.of(hall.lobby, 0, hall.now_ms)
    assert set(state.pairings[-1].seats) == set(one.players)
    before = evolve(hall.row, state=evolve(state, pairings=state.pairings[:-1]))
    assert [pairing.match for pairing in before.state.keeping] == [other.id]
    assert waiting_for(before, hall.lobby.matches, lambda: view._lobby_rows) is None
