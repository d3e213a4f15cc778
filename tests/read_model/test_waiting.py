"""The player for whom a whole tournament waits: one, the two of a round's last match, or nobody."""

from collections.abc import Sequence
from typing import Any

import pytest
from attrs import evolve

from gameserver.core.messages.events import Accepted
from gameserver.core.state.match import Absence, Cause, Match
from gameserver.core.state.tournament import TournamentRow
from gameserver.read_model.lobby_view import LobbyView
from gameserver.read_model.waiting import Hold, WaitingView, awaits_teacher, waiting_for
from gameserver.tournaments import acts
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from tests.read_model.test_troubles import new_hall
from tests.support.tournament_hall import Hall

FOUR = ("ann", "bob", "cyd", "dan")


def seen(hall: Hall) -> WaitingView | None:
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
    assert seen(hall) == WaitingView(tuple(other), match.opened_ms, "", hold)
    assert seen(hall).ages(hall.now_ms)["for_ms"] == 7_000


def test_a_player_of_it_who_was_cut_off_is_waited_for_alone() -> None:
    hall, one, other = round_of_four()
    end(hall, *one)
    (match,) = hall.matches
    (acting,) = match.awaited_seats
    gone = evolve(match.seats[acting], session=None, absence=Absence(Cause.DROP, hall.now_ms + 9_000))
    seats = tuple(gone if seat == acting else holder for seat, holder in enumerate(match.seats))
    view = LobbyView.of(hall.lobby, 0, hall.now_ms)
    found = waiting_for(hall.row, {match.id: evolve(match, seats=seats)}, lambda: view._hall)
    assert found == WaitingView((other[acting],), match.turn_started_ms, "not here")


def test_an_announced_match_waits_for_the_player_who_has_not_come() -> None:
    hall = new_hall(*FOUR, here=FOUR[:3], which="swiss", games=1, rounds=2, pause_ms=0, no_show_ms=60_000)
    announced_ms = hall.now_ms
    (match,) = hall.matches
    assert seen(hall) is None, "the others still play"
    hall.now_ms += 42_000
    hall.end(match, 1)
    found = seen(hall)
    assert found == WaitingView(("dan",), announced_ms, "not here")
    assert found.ages(hall.now_ms) == {"players": ("dan",), "for_ms": 42_000, "why": "not here", "hold": None}


def test_a_player_with_all_games_that_are_left_is_waited_for() -> None:
    hall = new_hall("ann", "bob", "cyd", which="hanze", pause_ms=0)
    (match,) = hall.matches
    (third,) = {"ann", "bob", "cyd"} - set(match.players)
    assert seen(hall) is None, "three pairs, of which no player is in each"
    hall.end(match, 1)
    (match,) = hall.matches
    assert third in match.players
    assert seen(hall) == WaitingView((third,), match.opened_ms)


@pytest.mark.parametrize("which", ["swiss", "hanze"])
def test_two_alone_wait_for_the_player_to_move_and_not_for_their_match(which: str) -> None:
    hall = new_hall("ann", "bob", which=which)
    (match,) = hall.matches
    assert seen(hall) == WaitingView((match.players[0],), match.turn_started_ms, "to move")


def test_arena_waits_for_nobody() -> None:
    hall = new_hall(*FOUR, which="arena")
    hall.pairs = False
    hall.end(hall.matches[0], 0)
    assert len(hall.matches) == 1
    assert seen(hall) is None


def test_nobody_is_waited_for_in_a_pause() -> None:
    hall, one, _ = round_of_four()
    end(hall, *one)
    assert hall.act(acts.Pause(hall.now_ms)) == Accepted()
    assert seen(hall) is None


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
    assert seen(hall) is None
    state, view = hall.row.state, LobbyView.of(hall.lobby, 0, hall.now_ms)
    assert set(state.pairings[-1].seats) == set(one.players)
    before = evolve(hall.row, state=evolve(state, pairings=state.pairings[:-1]))
    assert [pairing.match for pairing in before.state.keeping] == [other.id]
    assert waiting_for(before, hall.lobby.matches, lambda: view._hall) is None
