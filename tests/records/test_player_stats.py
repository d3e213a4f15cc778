"""A player's scores by seat and by opponent, and the course of a rating, from each kind of database."""

from collections.abc import Callable, Sequence

import pytest

from gameserver.journal.journal import Journal
from gameserver.records.match_record import MatchRecord, RatingRecord, SeatRecord, SeatResult
from gameserver.records.player_stats import (
    HISTORY_MATCHES_MAX,
    OPPONENTS_MAX,
    POINTS_MAX,
    Career,
    Score,
    history_of,
    total,
)
from gameserver.records.rating_book import RatingBook

WIN, LOSS, DRAW, VOID = SeatResult.WIN, SeatResult.LOSS, SeatResult.DRAW, SeatResult.VOID
OTHER = {WIN: LOSS, LOSS: WIN, DRAW: DRAW, VOID: VOID}

CareerOf = Callable[[Sequence[MatchRecord], str], Career]


def played(
    match: int, first: str, second: str, result: SeatResult, game: str = "Reversi", *, is_rated: bool = True
) -> MatchRecord:
    """A match with the first player's result."""
    seats = (SeatRecord(0, first, "strategic", 1, result), SeatRecord(1, second, "gammonx", 0, OTHER[result]))
    reason = "void" if result is VOID else "played"
    at = f"2026-11-23T09:{match // 60:02}:{match % 60:02}.000+00:00"
    return MatchRecord(match, game, 1, "{}", at, at, reason, "", "", seats, (), rated=is_rated and result is not VOID)


@pytest.fixture
def career_of(journal: Journal) -> CareerOf:
    def found(records: Sequence[MatchRecord], player: str) -> Career:
        journal.append([], records)
        return journal.reader().career(player)

    return found


def test_scores_by_seat_and_opponent_add_up_to_the_results(career_of: CareerOf) -> None:
    records = [
        played(1, "ann", "bob", WIN),
        played(2, "bob", "ann", WIN),
        played(3, "ann", "cyd", DRAW),
        played(4, "ann", "cyd", VOID),
        played(5, "cyd", "ann", LOSS),
        played(6, "ann", "bob", WIN, "Tavli", is_rated=False),
        played(7, "bob", "cyd", WIN),
    ]
    career = career_of(records, "ann")
    seats = {(one.game, one.seat): one.score for one in career.seats}
    assert seats == {
        ("Reversi", 0): Score(won=1, drawn=1, void=1),
        ("Reversi", 1): Score(won=1, lost=1),
        ("Tavli", 0): Score(won=1),
    }
    opponents = [(one.game, one.opponent, one.score) for one in career.opponents]
    assert opponents == [
        ("Reversi", "cyd", Score(won=1, drawn=1, void=1)),
        ("Reversi", "bob", Score(won=1, lost=1)),
        ("Tavli", "bob", Score(won=1)),
    ]
    for game in career.games:
        whole = total(one.score for one in career.seats if one.game == game)
        assert whole == total(one.score for one in career.opponents if one.game == game)
        assert whole == Score(*(career.counted(game, result) for result in (WIN, DRAW, LOSS, VOID)))


def test_opponents_without_a_line_of_their_own_are_added_up(career_of: CareerOf) -> None:
    records = [played(at, "ann", f"p{at:03}", WIN if at % 2 else LOSS) for at in range(1, OPPONENTS_MAX + 4)]
    records.append(played(OPPONENTS_MAX + 4, "zoe", "ann", DRAW))
    records.append(played(OPPONENTS_MAX + 5, "zoe", "ann", DRAW))
    career = career_of(records, "ann")
    assert len(career.opponents) == OPPONENTS_MAX + 1
    assert (career.opponents[0].opponent, career.opponents[0].score) == ("zoe", Score(drawn=2))
    others = career.opponents[-1]
    assert (others.opponent, others.opponents, others.score.matches) == (None, 4, 4)
    assert total(one.score for one in career.opponents).matches == len(records)


def test_the_history_ends_with_the_present_rating(career_of: CareerOf) -> None:
    book = RatingBook()
    records = book.enter(
        [
            played(1, "ann", "bob", WIN),
            played(2, "ann", "bob", WIN, is_rated=False),
            played(3, "bob", "ann", WIN),
            played(4, "ann", "bob", DRAW, "Tavli"),
        ]
    )
    history = career_of(records, "ann").history
    assert [(one.game, one.number, one.match) for one in history] == [
        ("Reversi", 1, 1),
        ("Reversi", 2, 3),
        ("Tavli", 1, 4),
    ]
    for point in (history[1], history[2]):
        rating = book.rating(point.game, "ann")
        assert (point.rating, point.deviation) == (rating.mean, rating.deviation)
    assert career_of(records, "nobody") == Career((), (), 0)


def test_a_long_history_is_thinned_and_keeps_its_numbers(career_of: CareerOf) -> None:
    count = HISTORY_MATCHES_MAX + 50
    records = RatingBook().enter([played(at, "ann", "bob", WIN if at % 3 else LOSS) for at in range(1, count + 1)])
    history = career_of(records, "ann").history
    assert POINTS_MAX / 2 < len(history) <= POINTS_MAX
    assert all(one.number == one.match for one in history)
    assert history[-1].number == count
    assert history[0].number > count - HISTORY_MATCHES_MAX


def test_points_are_in_the_order_in_which_matches_ended() -> None:
    rated = [
        ("Reversi", 2, "2026-11-23T09:00", 1510.0, 90.0, None),
        ("Reversi", 1, "2026-11-23T09:30", 1520.0, 80.0, None),
    ]
    points = history_of(rated, [RatingRecord("Reversi", "house", 1520.0, 80.0, 7)])
    assert [(one.number, one.match) for one in points] == [(6, 2), (7, 1)]


def test_the_score_in_percent_leaves_void_matches_out() -> None:
    assert Score(won=1, drawn=1, lost=2, void=9).percent == 37.5
    assert Score(void=2).percent is None
