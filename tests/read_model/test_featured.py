"""The board of a tournament that is shown large: chosen by itself, or by the teacher, and kept until its match ends."""

from types import SimpleNamespace

import pytest

from gameserver.drawing import Side
from gameserver.read_model.live import featured_match, interest
from gameserver.read_model.read_model import LobbyView
from gameserver.tournaments.act_table import apply
from gameserver.tournaments.model import Begin, FeaturePairing, Report, Verdict
from gameserver.tournaments.plan import Format, Plan
from tests.tournaments.playing import announced, started


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ((1, (9, 9), 0), (0.5, (9, 9), 0)),  # who won most, of two even games
        ((1, (18, 2), 0), (0.4, (9, 9), 0)),  # a late stage before a close score
        ((0.5, (9, 8), 0), (0.5, (12, 5), 0)),
        ((0.5, (9, 8), 0), (0.5, (), 0)),  # a score that is known to be close, before none
        ((0.5, (9, 8), -400), (0.5, (9, 8), 400)),  # the weaker leads
        ((0.5, (9, 8), -400), (0.5, (9, 8), -100)),
        ((0.5, (5, 9), 300), (0.5, (5, 9), -300)),
    ],
)
def test_interest_is_in_late_stages_close_scores_and_upsets(more, less):
    assert interest(*more) > interest(*less)


def live(players, *scores):
    sides = tuple(Side("x", score=score) for score in scores)
    return SimpleNamespace(players=players, contest=None, seats=players, state=SimpleNamespace(sides=lambda _: sides))


def test_a_board_stays_until_its_match_ends_unless_the_teacher_chooses_another():
    tournament = announced(started(Plan("league", "Reversi", Format.ROUND_ROBIN), 6))
    for number in (1, 2, 3):
        tournament = apply(tournament, Begin(number, number + 10))
    close, wide = (9, 8), (15, 2)
    matches = {
        one.match: live(one.seats, *(close if one.number == 2 else wide)) for one in tournament.pairings if one.match
    }
    assert featured_match(tournament, {}, None) is None
    assert featured_match(tournament, matches, None) == 12
    assert featured_match(tournament, matches, 11) == 11
    chosen = apply(tournament, FeaturePairing(3, "teacher"))
    assert featured_match(chosen, matches, 11) == 13
    ended = apply(chosen, Report(3, 13, Verdict.DRAW))
    assert featured_match(ended, matches, 13) == 12


@pytest.mark.parametrize(("made", "moves_late", "told"), [(12, 6, None), (16, 6, 10), (16, 0, 15), (12, 0, None)])
def test_an_opinion_is_of_the_game_that_is_on_and_late_enough(made, moves_late, told):
    """The second game of a match began after ten moves; a draw of chance is no move."""
    moves = (*[SimpleNamespace(seat=0)] * (made - 10), SimpleNamespace(seat=None))
    row = SimpleNamespace(real_moves=made, moves=moves, game=SimpleNamespace(evaluators={"master": None}))
    known = {4: 0.4, 9: 0.9, 15: 0.5} | ({10: 0.6} if made > 12 else {})
    view = LobbyView(0, 0, matches={1: row}, opinions=lambda _: known)
    found = view.opinion(1, moves_late)
    assert found == (None if told is None else ("house-master", known[told], made - told))
