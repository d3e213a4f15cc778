"""House players in tournaments: their seats, and the same dice for both games of a pair."""

from gameserver.core.commands import EntryMode
from gameserver.core.events import Rejected
from gameserver.tournaments import model
from gameserver.tournaments.model import PairingStatus
from tests.support.tournament_hall import Hall


def test_only_house_players_have_both_games_of_a_pair_at_once(hall: Hall) -> None:
    hall.come("ann")
    roster = tuple(map(model.RegisterEntrant, ("ann", "house-random", "house-random-2")))
    hall.create("league", "Dice", entry=EntryMode.ROSTER, roster=roster, same_chance=True)
    hall.act(model.StartTournament(0))
    together = [one for one in hall.row.state.pairings if one.side_by_side]
    assert {one.seats for one in together} == {
        ("house-random", "house-random-2"),
        ("house-random-2", "house-random"),
    }
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
