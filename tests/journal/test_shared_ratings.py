"""Ratings that several halls share: no match is lost, whatever ends at once, and one hall's are SQLite's to the bit."""

import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import permutations
from pathlib import Path

import pytest
from attrs import evolve

from gameserver.core.events import SeatsBy
from gameserver.database import postgresql
from gameserver.journal.journal import Journal
from gameserver.journal.postgresql import PostgresqlJournal, SharedRatings
from gameserver.journal.sqlite import SqliteJournal
from gameserver.ratings.rating import Rating
from gameserver.records.match_record import HOUSE_PROTOCOL, MatchRecord, RatingRecord, SeatRecord, SeatResult
from gameserver.records.rating_book import RatingBook

RESULTS = ((SeatResult.WIN, SeatResult.LOSS), (SeatResult.DRAW, SeatResult.DRAW), (SeatResult.LOSS, SeatResult.WIN))
PLAYERS = ("ann", "bob", "Žofie", "李小龙", "zed")
LeadHall = Callable[[str], PostgresqlJournal]


def match(number: int, players: Sequence[str], results: tuple[SeatResult, SeatResult], game: str = "Go") -> MatchRecord:
    """A rated match without moves."""
    pairs = enumerate(zip(players, results, strict=True))
    seats = tuple(SeatRecord(seat, player, "strategic", 0, result) for seat, (player, result) in pairs)
    at = "2026-01-01T10:00:00.000+00:00"
    return MatchRecord(number, game, 1, "{}", at, at, "played", "", "", seats, (), rated=True)


def with_anchor(number: int, chance: random.Random) -> MatchRecord:
    """A match of a ladder with a house player of a fixed rating."""
    one = match(number, (chance.choice(PLAYERS), "house-club"), chance.choice(RESULTS), "Reversi")
    return evolve(one, seats=(one.seats[0], evolve(one.seats[1], protocol=HOUSE_PROTOCOL)), seats_by=SeatsBy.LADDER)


def random_matches(chance: random.Random, count: int) -> list[MatchRecord]:
    return [
        match(number, chance.sample(PLAYERS, 2), chance.choice(RESULTS), chance.choice(("Go", "Reversi")))
        for number in range(1, count + 1)
    ]


def in_batches(chance: random.Random, records: Sequence[MatchRecord]) -> Iterator[Sequence[MatchRecord]]:
    at = 0
    while at < len(records):
        count = chance.randint(1, 5)
        yield records[at : at + count]
        at += count


def by_key(found: Sequence[RatingRecord]) -> Mapping[tuple[str, str], RatingRecord]:
    return {(one.game, one.player): one for one in found}


def after(records: Sequence[MatchRecord]) -> Mapping[tuple[str, str], RatingRecord]:
    """The ratings after these matches, one after the other."""
    book = RatingBook()
    book.enter(records)
    keys = {(one.game, seat.player) for one in records for seat in one.seats}
    ratings: dict[tuple[str, str], Rating] = {key: book.rating(*key) for key in keys}
    return {key: RatingRecord(*key, one.mean, one.deviation, one.games) for key, one in ratings.items()}


@pytest.fixture
def lead_hall(tables: str) -> Iterator[LeadHall]:
    """Opens the journal of a hall, and leads."""
    with ExitStack() as stack:

        def lead(hall: str) -> PostgresqlJournal:
            journal = stack.enter_context(closing(PostgresqlJournal(tables, hall, "off")))
            assert journal.lead()
            return journal

        yield lead


def test_one_hall_has_the_ratings_of_sqlite_to_the_bit(lead_hall: LeadHall, tmp_path: Path) -> None:
    chance = random.Random(20)
    records = [*random_matches(chance, 60), *(with_anchor(number, chance) for number in range(61, 66))]
    with closing(SqliteJournal(tmp_path / "data.sqlite3", "off")) as sqlite:
        postgresql: Journal = lead_hall("")
        book = RatingBook()
        for batch in in_batches(chance, records):
            entered = book.enter(batch)
            sqlite.append((), entered)
            postgresql.append((), entered)
        assert by_key(postgresql.read_ratings()) == by_key(sqlite.read_ratings())
        assert list(postgresql.read_records()) == list(sqlite.read_records())
        assert {one.player for one in postgresql.read_ratings()} == set(PLAYERS), "an anchor has none on record"
        assert postgresql.changed_ratings() == [], "nothing differs from what the hall knows"


def test_two_halls_end_matches_of_one_player_at_once(lead_hall: LeadHall) -> None:
    """Each has a rating book that knows nothing of the other's match, as when both end within a second."""
    halls = {name: lead_hall(name) for name in ("", "reversi", "go")}
    ended = [
        match(1, ("ann", "bob"), RESULTS[0]),
        match(1, ("bob", "ann"), RESULTS[0]),
        match(1, ("ann", "zed"), RESULTS[1]),
    ]
    begin = threading.Barrier(len(halls))

    def end(journal: Journal, record: MatchRecord) -> None:
        entered = RatingBook().enter([record])
        begin.wait()
        journal.append((), entered)

    in_threads([lambda one=one: end(*one) for one in zip(halls.values(), ended, strict=True)])
    found = by_key(halls[""].read_ratings())
    assert found["Go", "ann"].matches == 3
    written = {record.seats for journal in halls.values() for record in journal.read_records()}
    orders = [order for order in permutations(ended) if after(order) == found]
    assert written in [{one.seats for one in RatingBook().enter(order)} for order in orders], "some order of the three"


@pytest.mark.parametrize("seed", range(2))
def test_no_match_is_lost_and_nobody_waits_for_ever(lead_hall: LeadHall, seed: int) -> None:
    chance = random.Random(seed)
    halls = [lead_hall(name) for name in ("", "reversi", "go")]
    played = [random_matches(chance, 60) for _ in halls]

    def play(journal: Journal, records: Sequence[MatchRecord], of_hall: random.Random) -> None:
        book = RatingBook()
        for batch in in_batches(of_hall, records):
            journal.append((), book.enter(batch))

    runs = [(*one, random.Random(seed * 10 + number)) for number, one in enumerate(zip(halls, played, strict=True))]
    in_threads([lambda one=one: play(*one) for one in runs])
    found = by_key(halls[0].read_ratings())
    counted: dict[tuple[str, str], int] = {}
    for record in (record for records in played for record in records):
        for seat in record.seats:
            counted[record.game, seat.player] = counted.get((record.game, seat.player), 0) + 1
    assert {key: one.matches for key, one in found.items()} == counted
    steps = {
        (one.game, seat.player, seat.rating, seat.deviation)
        for hall in halls
        for one in hall.read_records()
        for seat in one.seats
    }
    assert len(steps) == sum(counted.values()), "each match moved a rating on from another's result"
    assert {(one.game, one.player, one.rating, one.deviation) for one in found.values()} <= steps


def test_a_hall_learns_what_others_have_changed(lead_hall: LeadHall) -> None:
    first, reversi = lead_hall(""), lead_hall("reversi")
    books = {journal: RatingBook() for journal in (first, reversi)}

    def end(journal: PostgresqlJournal, record: MatchRecord) -> None:
        journal.append((), books[journal].enter([record]))

    def learn(journal: PostgresqlJournal) -> None:
        books[journal].learn(journal.changed_ratings())

    end(first, match(1, ("ann", "bob"), RESULTS[0]))
    learn(reversi)
    assert books[reversi].rating("Go", "ann") == books[first].rating("Go", "ann")
    end(reversi, match(1, ("ann", "zed"), RESULTS[2]))
    end(first, match(2, ("ann", "bob"), RESULTS[1]))
    ann = by_key(first.read_ratings())["Go", "ann"]
    assert books[first].rating("Go", "ann") != Rating(ann.rating, ann.deviation, 3), "its own is not what is on record"
    for journal in (first, reversi):
        learn(journal)
        assert books[journal].rating("Go", "ann") == Rating(ann.rating, ann.deviation, 3)
        assert books[journal].rating("Go", "zed").games == 1


def test_a_transaction_that_was_rolled_back_leaves_no_gap(tables: str, lead_hall: LeadHall) -> None:
    lead_hall("")
    ratings, record = SharedRatings(), match(1, ("ann", "bob"), RESULTS[0])
    with closing(postgresql.connect(tables)) as connection:
        for end in ("ROLLBACK", "COMMIT"):
            connection.execute("BEGIN")
            (rated,) = ratings.write(connection, [record])
            connection.execute(end)
        assert [seat.rating for seat in rated.seats] == [seat.rating for seat in RatingBook().enter([record])[0].seats]
        ratings.write(connection, [match(2, ("ann", "zed"), RESULTS[1])])
        connection.execute("DELETE FROM gameserver.rating WHERE player = 'ann'")
        ratings.write(connection, [match(3, ("ann", "zed"), RESULTS[1])])
        found = connection.execute("SELECT player, matches FROM gameserver.rating ORDER BY player").fetchall()
        assert found == [("ann", 1), ("bob", 1), ("zed", 2)]


def in_threads(runs: Sequence[Callable[[], None]]) -> None:
    """Run all at once; raises what any of them raised."""
    with ThreadPoolExecutor(len(runs)) as threads:
        for run in [threads.submit(run) for run in runs]:
            run.result(60)
