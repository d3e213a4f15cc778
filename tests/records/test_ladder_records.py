"""The matches and the nightly rankings of ladders come back from the records."""

from contextlib import closing
from pathlib import Path

from attrs import evolve

from gameserver.core.commands import KeepRanking
from gameserver.core.events import SeatsBy
from gameserver.database import sqlite
from gameserver.journal.journal import Journal
from gameserver.ladder import LadderResult
from gameserver.records import ladder_records, store
from gameserver.records.match_record import SeatResult
from gameserver.records.reader import RecordReader, Wanted
from gameserver.tournaments.season import SeasonSettings
from tests.exports.matches import played


def test_results_and_rankings_are_read_back(tmp_path: Path) -> None:
    path, one = tmp_path / "data.sqlite3", played("Reversi")
    seats = tuple(evolve(seat, rating=1500.0 + seat.seat, deviation=90.0) for seat in one.seats)
    night = KeepRanking("Reversi", "2026-09-02", (("ann", 1510.0, 90.0, 3), ("bob", 1490.0, 91.0, 2)))
    with closing(sqlite.connect(path, isolation_level=None)) as connection:
        sqlite.prepare(connection)
        matches = [evolve(one, match=7, rated=True, seats=seats, seats_by=SeatsBy.LADDER)]
        matches += [evolve(one, match=8, seats=tuple(evolve(seat, result=SeatResult.DRAW) for seat in one.seats))]
        store.insert_matches(connection, matches, 1)
        ladder_records.insert(connection, [night, evolve(night, game="Chess")])
        ladder_records.insert(connection, [evolve(night, lines=())])
    reader = RecordReader(lambda: sqlite.read_only(path))
    results, ratings = reader.ladder("Reversi", 0)
    (first, second) = one.seats
    assert [(found.match, found.players) for found in results] == [(7, (first.player, second.player))]
    assert results[0].results == (first.result, second.result)
    assert ratings == {seat.player: (seat.rating, 90.0) for seat in seats}
    assert reader.ladder("Chess", 0)[0] == reader.ladder("Reversi", results[0].ended_ms + 1)[0] == []
    assert isinstance(results[0], LadderResult)
    assert reader.ranking("Reversi", None, 9) == (("2026-09-02",), list(night.lines))
    assert reader.ranking("Reversi", "2026-09-03", 9) == (("2026-09-02",), [])
    assert [head.match for head in reader.heads(Wanted(ladder="Reversi"))] == [7]
    lengths = [(*players, is_drawn) for *players, _, is_drawn in reader.match_lengths("Reversi")]
    assert lengths == [(first.player, second.player, is_drawn) for is_drawn in (True, False)]
    assert [head.is_ladder for head in reader.heads(Wanted())] == [False, True]
    assert [reader.match(number).is_ladder for number in (7, 8)] == [True, False]


def test_a_season_has_the_ranking_at_the_end_of_a_ladders_day(journal: Journal) -> None:
    lines = (("ann", 1510.0, 90.0, 3), ("bob", 1490.0, 91.0, 2), ("cyd", 1490.0, 95.0, 1))
    journal.append([], [KeepRanking("Reversi", "2026-09-02", lines), KeepRanking("Chess", "2026-09-02", lines[1:])])
    days = ("2026-08-31", "2026-09-01", "2026-09-02", "2026-09-01")
    season = SeasonSettings(events=tuple(f"ladder:Reversi {day}" for day in days))
    events = journal.reader().season_events(season, "2026-09-01")
    assert [(one.name, one.night, one.state) for one in events] == [
        ("Ladder of Reversi, 2026-08-31", "2026-09-01", "no ranking on record"),
        ("Ladder of Reversi, 2026-09-01", "2026-09-02", ""),
        ("Ladder of Reversi, 2026-09-02", "2026-09-03", "not over yet"),
    ]
    assert [(place.name, place.rank) for place in events[1].places] == [("ann", 1), ("bob", 2), ("cyd", 2)]
