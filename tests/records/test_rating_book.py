"""Ratings out of the records of matches."""

from attrs import evolve

from gameserver.core.events import SeatsBy
from gameserver.ratings.rating import Rating, rated
from gameserver.records.house_strengths import fixed_rating
from gameserver.records.match_record import MatchRecord, RatingRecord, SeatRecord, SeatResult
from gameserver.records.rating_book import RatingBook

WIN, LOSS, DRAW = SeatResult.WIN, SeatResult.LOSS, SeatResult.DRAW
NEW = Rating()


def record(
    match: int, ann: SeatResult, bob: SeatResult, game: str = "Reversi", *, is_rated: bool = True
) -> MatchRecord:
    seats = (SeatRecord(0, "ann", "strategic", 1, ann), SeatRecord(1, "bob", "strategic", 0, bob))
    return MatchRecord(match, game, 1, "{}", "", "", "played", "", "", seats, (), rated=is_rated)


def test_the_record_says_what_the_ratings_were_after_the_match() -> None:
    book = RatingBook()
    (entered,) = book.enter([record(1, WIN, LOSS)])
    ann, bob = rated(NEW, NEW, 2)
    assert ann.mean > 1500 > bob.mean
    assert [(seat.rating, seat.deviation) for seat in entered.seats] == [
        (ann.mean, ann.deviation),
        (bob.mean, bob.deviation),
    ]
    assert (book.rating("Reversi", "ann"), book.rating("Reversi", "bob")) == (ann, bob)


def test_one_match_builds_on_the_one_before_in_the_order_in_which_they_end() -> None:
    book = RatingBook()
    book.enter([record(7, WIN, LOSS), record(3, DRAW, DRAW)])
    assert (book.rating("Reversi", "ann"), book.rating("Reversi", "bob")) == rated(*rated(NEW, NEW, 2), 1)
    assert book.rating("Reversi", "ann").games == 2


def test_each_game_has_its_own() -> None:
    book = RatingBook()
    book.enter([record(1, WIN, LOSS, "Reversi")])
    assert book.rating("Tavla", "ann") == NEW


def test_unrated_matches_leave_ratings_unchanged() -> None:
    book = RatingBook()
    unrated = record(1, WIN, LOSS, is_rated=False)
    assert book.enter([unrated]) == [unrated]
    assert book.enter([unrated, record(2, LOSS, WIN)])[0] is unrated
    assert book.rating("Reversi", "bob") == rated(NEW, NEW, 0)[1]


def test_it_goes_on_from_what_is_known() -> None:
    known = RatingRecord("Reversi", "ann", 1900.0, 60.0, 40)
    book = RatingBook([known])
    book.enter([record(1, LOSS, WIN)])
    assert book.rating("Reversi", "ann") == rated(Rating(1900.0, 60.0, 40), NEW, 0)[0]


def test_an_anchor_of_a_ladder_keeps_its_rating_and_its_opponent_gets_one() -> None:
    book, anchor = RatingBook(), fixed_rating("Reversi", "house-novice")
    assert anchor is not None
    won = evolve(record(1, LOSS, WIN), seats_by=SeatsBy.LADDER)
    house = SeatRecord(0, "house-novice", "house", 0, LOSS)
    (entered,) = book.enter([evolve(won, seats=(house, won.seats[1]))])
    after, _ = rated(NEW, anchor, 2)
    assert book.rating("Reversi", "bob") == after
    assert [seat.rating for seat in entered.seats] == [None, after.mean]
    assert list(book.players()) == ["bob"]
    unknown = evolve(won, seats=(evolve(house, player="house-random-2"), won.seats[1]))
    assert [one.rated for one in book.enter([unknown])] == [False], "nothing is known of its strength"
