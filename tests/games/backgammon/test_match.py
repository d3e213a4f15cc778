"""Matches of several games: rounds, scores, who begins, resigning."""

import pytest

from games.backgammon.match import MATCH_KINDS, Length, MatchScore
from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA

TAVLI = MATCH_KINDS["Tavli"]


def played(kind, length, *results):
    """A match after games of `(winner, points)`."""
    score = MatchScore(MATCH_KINDS[kind], length)
    for winner, points in results:
        score = score.after(winner, points)
    return score


@pytest.mark.parametrize(("kind", "rounds"), [("Backgammon", (1, 9, 13)), ("Tavla", (1, 9, 13)), ("Tavli", (3, 9, 14))])
def test_rounds(kind, rounds):
    planned = MATCH_KINDS[kind].rounds
    assert tuple(planned[each] for each in (Length.CASH, Length.FIVE_POINTS, Length.SEVEN_POINTS)) == rounds


def test_tavli_goes_through_its_three_games_and_begins_again():
    variants = [TAVLI.variant(index) for index in range(5)]
    assert variants == [PORTES, PLAKOTO, FEVGA, PORTES, PLAKOTO]
    assert [MATCH_KINDS[name].variant(7) for name in ("Backgammon", "Tavla")] == [BACKGAMMON, TAVLA]


@pytest.mark.parametrize(
    ("kind", "length", "results", "over", "winner"),
    [
        ("Tavla", Length.CASH, [], False, None),
        ("Tavla", Length.CASH, [(1, 2)], True, 1),
        ("Tavli", Length.CASH, [(1, 2), (0, 1)], False, None),
        ("Tavli", Length.CASH, [(1, 2), (0, 1), (0, 2)], True, 0),
        ("Tavli", Length.CASH, [(1, 1), (None, 0), (0, 1)], True, None),
        ("Tavla", Length.FIVE_POINTS, [(0, 2), (0, 2)], False, None),
        ("Tavla", Length.FIVE_POINTS, [(0, 2), (0, 2), (1, 2), (0, 2)], True, 0),
        ("Backgammon", Length.FIVE_POINTS, [(1, 12)], True, 1),
        ("Tavla", Length.SEVEN_POINTS, [(0, 2)] * 3, False, None),
        ("Tavla", Length.SEVEN_POINTS, [(0, 2)] * 4, True, 0),
    ],
)
def test_when_a_match_is_over_and_who_has_won(kind, length, results, over, winner):
    score = played(kind, length, *results)
    assert (score.is_over, score.winner) == (over, winner)
    assert sum(score.points) == sum(points for _, points in results)


def test_starter_of_the_next_game():
    assert played("Tavli", Length.CASH).next_starter is None, "the dice decide"
    assert played("Tavli", Length.CASH, (1, 2)).next_starter == 1
    assert played("Tavli", Length.CASH, (0, 2)).next_starter == 0
    assert played("Tavli", Length.CASH, (1, 2), (None, 0)).next_starter == 0, "white after a draw"


def test_nothing_follows_the_end():
    score = played("Tavla", Length.CASH, (1, 2))
    with pytest.raises(ValueError, match="over"):
        score.after(0, 1)
    with pytest.raises(ValueError, match="over"):
        score.after_resignation(0)


def test_points_away():
    score = played("Tavla", Length.SEVEN_POINTS, (0, 2), (1, 1))
    assert (score.points_away(0), score.points_away(1)) == (5, 6)
    assert played("Tavla", Length.CASH).points_away(1) == 1


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("kind", "length", "results", "points", "rounds"),
    [
        pytest.param("Backgammon", Length.CASH, [], (0, 3), 1, id="a game of Backgammon costs three"),
        pytest.param("Tavla", Length.CASH, [], (0, 2), 1, id="of Tavla two"),
        pytest.param("Tavli", Length.CASH, [], (0, 6), 3, id="Tavli all three games"),
        pytest.param("Tavli", Length.CASH, [(0, 2), (0, 2)], (4, 5), 3, id="and by a lead in any case"),
        pytest.param("Tavli", Length.CASH, [(1, 2)], (0, 6), 3, id="what was won before counts"),
        pytest.param("Tavla", Length.FIVE_POINTS, [(1, 2), (0, 1)], (1, 5), 3, id="to a target what was lacking"),
        pytest.param("Tavli", Length.SEVEN_POINTS, [], (0, 7), 1, id="in one game"),
    ],
)
def test_resigning_a_match(seat, kind, length, results, points, rounds):
    if seat == 1:
        results, points = [(1 - winner, won) for winner, won in results], points[::-1]
    score = played(kind, length, *results).after_resignation(seat)
    assert (score.points, len(score.rounds)) == (points, rounds)
    assert (score.is_over, score.winner, score.resigned_by) == (True, 1 - seat, seat)
    assert [each.variant for each in score.rounds] == [MATCH_KINDS[kind].variant(index) for index in range(rounds)]
