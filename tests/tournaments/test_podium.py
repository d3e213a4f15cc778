"""The podium: who stands on it, and what is told of them."""

import pytest
from attrs import evolve

from gameserver.tournaments.files import trf
from gameserver.tournaments.model import Tournament
from gameserver.tournaments.plan import Draw, Format, Plan
from gameserver.tournaments.podium import Highlight, final_of, highlights, outside_words, places, podium
from gameserver.tournaments.presets import preset
from gameserver.tournaments.standings import standings
from gameserver.tournaments.view import TournamentView, tournament_view
from tests.tournaments.playing import entered, finished, started
from tests.tournaments.tables import played


def league(players: int = 6) -> TournamentView:
    return tournament_view(finished(preset("league", "League", "Reversi"), players))


def with_ranks(view: TournamentView, *ranks: int | None) -> TournamentView:
    lines = (evolve(line, rank=rank) for line, rank in zip(view.standings, ranks, strict=True))
    return evolve(view, standings=tuple(lines))


def shape(view: TournamentView) -> list[tuple[int, int]]:
    return [(step.rank, len(step.players)) for step in podium(view)]


def test_three_stand_on_it() -> None:
    view = league()
    steps = podium(view)
    assert [step.rank for step in steps] == [1, 2, 3]
    assert [step.players[0].standing for step in steps] == list(view.standings[:3])
    assert not any(step.is_shared for step in steps)


def test_a_tie_is_a_shared_step() -> None:
    assert shape(with_ranks(league(), 1, 1, 3, 4, 5, 6)) == [(1, 2), (3, 1)]
    assert shape(with_ranks(league(), 1, 2, 2, 2, 5, 6)) == [(1, 1), (2, 3)]
    assert shape(with_ranks(league(), 1, 1, 1, 1, 5, 6)) == [(1, 4)]
    assert podium(with_ranks(league(), 1, 1, 3, 4, 5, 6))[0].is_shared


def test_who_has_no_rank_does_not_stand_on_it() -> None:
    assert shape(with_ranks(league(3), None, 1, 2)) == [(1, 1), (2, 1)]
    assert shape(league(2)) == [(1, 1), (2, 1)]


def test_before_anything_is_decided_there_is_none() -> None:
    plan = preset("league", "League", "Reversi")
    assert podium(tournament_view(entered(plan, 4))) == ()
    assert podium(tournament_view(started(plan, 4))) == ()


def test_the_best_win_is_over_the_one_who_came_furthest() -> None:
    view = league(8)
    ranks = {line.name: line.rank or 0 for line in view.standings}
    for step in podium(view):
        (player,) = step.players
        name = player.standing.name
        beaten = {one.second for one in view.pairings if one.first == name and one.result == "1-0"}
        beaten |= {one.first for one in view.pairings if one.second == name and one.result == "0-1"}
        assert player.best_win is not None
        assert player.best_win.opponent == min(beaten, key=ranks.__getitem__)
        assert len(player.matches) == 14, "everybody twice"


def test_a_win_without_a_game_is_no_best_win() -> None:
    view = league(4)
    unplayed = {"1-0": "+/-", "0-1": "-/+"}
    pairings = tuple(evolve(one, result=unplayed.get(one.result, one.result)) for one in view.pairings)
    assert all(player.best_win is None for step in podium(evolve(view, pairings=pairings)) for player in step.players)


CUP = Plan("Cup", "Reversi", Format.KNOCKOUT, draw=Draw.ENTRY)
LEAGUE = Plan("League", "Reversi", Format.ROUND_ROBIN)
A_WINS_CUP = played(CUP, ["A-D 1-0, B-C 1-0", "A-B 1-0"])
A_WINS_LEAGUE = played(LEAGUE, ["A-B 1-0, C-D 1-0", "A-C 1-0, B-D 1-0", "D-A 0-1, B-C 1-0"])


def with_house(tournament: Tournament, *names: str) -> Tournament:
    return evolve(tournament, entrants=tuple(evolve(one, house=one.name in names) for one in tournament.entrants))


@pytest.mark.parametrize(
    ("tournament", "house", "first", "words"),
    [
        (A_WINS_CUP, "A", "B", "A won the bracket, outside the places"),
        (A_WINS_CUP, "AB", "C", "A and B came before the first place, outside the places"),
        (A_WINS_CUP, "ABCD", "A", "A won the bracket, outside the places"),
        (A_WINS_CUP, "B", "A", ""),
        (A_WINS_LEAGUE, "A", "B", "A came first, outside the places"),
        (A_WINS_LEAGUE, "BC", "A", ""),
    ],
)
def test_house_player_ahead_of_the_first_place_is_named_everywhere(
    tournament: Tournament, house: str, first: str, words: str
) -> None:
    over = with_house(tournament, *house)
    view, is_bracket = tournament_view(over), tournament.plan.is_bracket
    assert view.standings[0].name == first
    assert outside_words(view.standings, is_bracket=is_bracket) == words
    assert outside_words(places(over), is_bracket=is_bracket) == words, "the list of tournaments"
    assert [line[4:] for line in trf(over).splitlines() if line.startswith("### ")] == ([words] if words else [])
    notes = {row.name: row.note for row in standings(over)}
    assert [name for name in house if notes[name] == "house, outside the places"] == [
        name for name in house if name in words.split()
    ]


def test_worth_telling_are_the_longest_the_fastest_and_the_upset() -> None:
    cup = played(Plan("Cup", "Reversi", Format.KNOCKOUT), ["A-D 0-1, B-C 1-0", "D-B 1/2", "B-D +:-"])
    rated = {"A": 1700, "B": 1600, "C": 1650, "D": 1500}
    entrants = tuple(evolve(one, rating=rated[one.name]) for one in cup.entrants)
    view = tournament_view(evolve(cup, entrants=entrants))
    assert highlights(view, {1: 40, 2: 30, 3: 55, 4: 0}) == (
        Highlight("longest match", "D", "B", 3, 55),
        Highlight("fastest win", "B", "C", 2, 30),
        Highlight("upset", "D", "A", 1, 200),
    )
    for counts in ({1: 40}, {1: 60, 2: 60, 3: 60}):
        assert highlights(evolve(view, upset=None), counts) == (), "of one match there is no most, nor of equal ones"
    given_up = evolve(cup.pairings[1], reason="resigned: by hand")
    view = tournament_view(evolve(cup, pairings=(*cup.pairings[:1], given_up, *cup.pairings[2:])))
    assert [one.kind for one in highlights(view, {1: 40, 2: 3})] == ["longest match"]
    assert view.upset is None, "nobody is rated"


@pytest.mark.parametrize(
    ("plan", "name"),
    [
        (preset("cup", "Cup", "Reversi", games=1), "Final"),
        (preset("cup", "Cup", "Reversi", games=1, format="double-elimination"), "Grand final"),
        (preset("league", "League", "Reversi"), None),
    ],
)
def test_the_final_is_a_knockouts_alone(plan: Plan, name: str | None) -> None:
    assert final_of(tournament_view(started(plan, 6))) is None
    final = final_of(tournament_view(finished(plan, 6)))
    assert (final and final.round_name) in {name, name and "Deciding final"}
