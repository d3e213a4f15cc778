"""Tournaments in the lobby: restored ones, rests between matches, and house players among the entrants."""

import pytest
from attrs import evolve

from gameserver.core.commands import EntryMode, RestoreTournament, TournamentTimeUp
from gameserver.core.events import Accepted, Code, Rejected
from gameserver.core.organizer import KEPT_MAX, MATCHES_KEPT_MAX
from gameserver.tournaments import model
from gameserver.tournaments.model import PairingStatus, TournamentPhase, Verdict
from gameserver.tournaments.presets import PAUSE_MS, PRESETS
from tests.support.tournament_hall import GAMES, RULES, Hall


@pytest.fixture
def hall() -> Hall:
    return Hall(GAMES, RULES)


def test_a_restored_tournament_is_corrected_and_its_games_replayed(hall: Hall) -> None:
    hall.run("ann", "bob")
    hall.play_out()
    old = hall.row
    restoring = RestoreTournament(1, old.state, old.entry, old.created_wall_ms, old.started_wall_ms, old.ended_wall_ms)
    assert hall.do(restoring) == Accepted()
    assert hall.row is old, "the lobby has it"
    for number in range(2, KEPT_MAX + 3):
        hall.create(name=f"Cup {number}", entry=EntryMode.ROSTER)
        hall.act(model.Cancel("teacher"), number)
    assert 1 not in hall.lobby.tournaments
    assert hall.do(restoring) == Accepted()
    assert hall.lobby.tournaments[1].state == old.state
    assert len(hall.lobby.tournaments) == KEPT_MAX
    assert hall.act(model.Correct(1, Verdict.DRAW, "teacher", "the board shows it"), 1) == Accepted()
    assert hall.act(model.VoidPairing(1, "teacher", "wrong bot"), 1) == Accepted()
    assert len(hall.matches) == 1, "it is played again"
    assert hall.lobby.tournaments[1].state.phase is TournamentPhase.RUNNING


def test_matches_for_practice_take_no_place_of_an_event(hall: Hall) -> None:
    for number in range(1, KEPT_MAX + 1):
        hall.create(name=f"Cup {number}", entry=EntryMode.ROSTER)
        hall.act(model.Cancel("teacher"), number)
    for number in range(KEPT_MAX + 1, 3 * KEPT_MAX):
        hall.create(name=f"ann - bob {number}", entry=EntryMode.ROSTER, event=False)
        hall.act(model.Cancel("teacher"), number)
    kept = list(hall.lobby.tournaments)
    assert kept[:KEPT_MAX] == list(range(1, KEPT_MAX + 1)), "every event is there"
    assert len(kept) <= KEPT_MAX + MATCHES_KEPT_MAX + 1
    old = hall.lobby.tournaments[kept[-1]]
    for _ in range(MATCHES_KEPT_MAX + 1):
        hall.create(name="ann - bob", entry=EntryMode.ROSTER, event=False)
        hall.act(model.Cancel("teacher"), max(hall.lobby.tournaments))
    assert old.number not in hall.lobby.tournaments
    hall.do(RestoreTournament(old.number, old.state, old.entry))
    assert old.number in hall.lobby.tournaments, "one that is taken back stays for the act that needs it"


@pytest.mark.parametrize(("number", "phase"), [(9, TournamentPhase.OVER), (1, TournamentPhase.RUNNING)])
def test_only_what_was_and_is_over_is_restored(hall: Hall, number: int, phase: TournamentPhase) -> None:
    hall.create()
    state = evolve(hall.row.state, phase=phase)
    del hall.lobby.tournaments[1]
    assert hall.do(RestoreTournament(number, state)) == Rejected(Code.UNKNOWN_TOURNAMENT, {"tournament": str(number)})
    assert hall.lobby.tournaments == {}


def test_wait_that_is_left_of_a_decided_pairing_decides_nothing(hall: Hall) -> None:
    hall.come("ann")
    roster = tuple(map(model.RegisterEntrant, ("ann", "bob")))
    hall.create(entry=EntryMode.ROSTER, roster=roster, games=3, no_show_ms=1_000)
    hall.act(model.StartTournament(0))
    hall.now_ms += 1_000
    hall.do(TournamentTimeUp(1))
    decided = hall.row.state.pairings[0]
    assert decided.status is PairingStatus.DONE
    hall.lobby.tournaments[1] = evolve(hall.row, waits={**hall.row.waits, decided.number: hall.now_ms})
    assert hall.do(TournamentTimeUp(1)) == Accepted()
    assert hall.row.state.pairings[0] == decided


@pytest.mark.parametrize("which", PRESETS)
def test_two_players_rest_between_any_two_of_their_matches(which: str) -> None:
    hall = Hall(GAMES, RULES)
    changes = {"arena": {"duration_ms": 60_000}, "teams": {"team_boards": 1}}.get(which, {})
    hall.run("ann", "bob", which=which, games=2, pause_ms=PAUSE_MS, **changes)
    for _ in range(2):
        (match,) = hall.matches
        hall.end(match, 0)
        if hall.row.is_over:
            return
        assert hall.matches == []
        hall.now_ms += PAUSE_MS - 1
        hall.do(TournamentTimeUp(1))
        assert hall.matches == []
        hall.now_ms += 1
        hall.do(TournamentTimeUp(1))


def test_house_players_never_rest(hall: Hall) -> None:
    roster = (model.RegisterEntrant("house-random"), model.RegisterEntrant("house-random-2"))
    hall.create(entry=EntryMode.ROSTER, roster=roster, games=3, pause_ms=PAUSE_MS)
    hall.act(model.StartTournament(0))
    while hall.matches:
        hall.play_house(hall.matches[0])
    assert hall.row.is_over


def test_only_house_players_have_both_games_of_a_pair_at_once(hall: Hall) -> None:
    hall.come("ann")
    roster = tuple(map(model.RegisterEntrant, ("ann", "house-random", "house-random-2")))
    hall.create("league", "Dice", entry=EntryMode.ROSTER, roster=roster, same_chance=True)
    hall.act(model.StartTournament(0))
    together = [one for one in hall.row.state.pairings if one.side_by_side]
    assert {one.seats for one in together} == {("house-random", "house-random-2"), ("house-random-2", "house-random")}
    assert len({one.chance for one in together}) == 1
    while hall.matches:
        match = hall.matches[0]
        people = [seat for seat in match.turn.seats if match.players[seat] == "ann"]
        if people:
            hall.play(1, match.game.write_move(match.state.legal_moves(people[0])[0]))
        else:
            hall.play_house(match)
    assert hall.row.is_over
    done = [one for one in hall.row.state.pairings if one.status is PairingStatus.DONE]
    assert len(done) == 6
    assert len({one.chance for one in done}) == 3
    assert [one.side_by_side for one in done] == ["ann" not in one.seats for one in done]


def test_with_one_match_at_a_time_house_players_too_play_one_after_the_other(hall: Hall) -> None:
    roster = (model.RegisterEntrant("house-random"), model.RegisterEntrant("house-random-2"))
    settings = {"games": 2, "same_chance": True, "matches_at_once_max": 1}
    hall.create("hanze", "Dice", entry=EntryMode.ROSTER, roster=roster, **settings)
    hall.act(model.StartTournament(0))
    while hall.matches:
        (match,) = hall.matches
        hall.play_house(match)
    assert [one.side_by_side for one in hall.row.state.pairings] == [False, False]


def test_the_house_plays_any_number_of_matches(hall: Hall) -> None:
    roster = (model.RegisterEntrant("house-random"), model.RegisterEntrant("house-random-2"))
    hall.come("ann", "bob")
    hall.create(roster=roster)
    hall.act(model.StartTournament(0))
    assert len(hall.matches) >= 3
    assert ("house-random-2" in hall.row.state.pairings[0].seats) or len(hall.row.state.entrants) == 4
    refused = hall.create(name="other", roster=(model.RegisterEntrant("house-nobody"),))
    assert isinstance(refused, Rejected)
    assert refused.facts["why"].startswith("there is no house player")


def test_who_does_not_go_on_is_free_and_a_voided_stage_ends_its_matches(hall: Hall) -> None:
    hall.run(
        "ann", "bob", "cid", "dan", "eve", "fay", which="groups", stages="groups of 3, best 2 -> knockout", games=1
    )
    while hall.row.state.stage == 0:
        hall.end(hall.matches[0], 0)
    stopped = [name for name in hall.sessions if not hall.row.state.is_in_stage(name)]
    assert [name for name in hall.sessions if not hall.row.keeps(name)] == stopped
    assert len(hall.matches) == len(stopped) == 2
    assert hall.act(model.VoidStage("teacher", "the wrong bot")) == Accepted()
    assert (hall.matches, hall.row.state.phase) == ([], TournamentPhase.PAUSED)
    assert all(hall.row.keeps(name) for name in hall.sessions)
    assert hall.act(model.Resume(0, "teacher")) == Accepted()
    hall.play_out()
    assert (hall.row.state.phase, hall.row.state.stage) == (TournamentPhase.OVER, 1)
