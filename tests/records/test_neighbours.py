"""The matches of a player before and after one, as the page of a match links to them."""

from gameserver.journal.journal import Journal
from gameserver.records.match_record import MatchRecord, SeatRecord, SeatResult


def match_of(number: int, *players: str) -> MatchRecord:
    at = "2026-01-01T12:00:00.000+00:00"
    seats = tuple(SeatRecord(seat, name, "strategic", 0, SeatResult.DRAW) for seat, name in enumerate(players))
    return MatchRecord(number, "Reversi", 1, "{}", at, at, "played", "", "", seats, ())


def test_neighbours_are_each_players_own(journal: Journal) -> None:
    played = [
        match_of(1, "ann", "bób"),
        match_of(2, "bób", "cleo"),
        match_of(4, "ann", "cleo"),
        match_of(7, "bób", "ann"),
    ]
    journal.append([], played)
    reader = journal.reader()
    assert reader.neighbours(4, ("ann", "cleo")) == ((1, 7), (2, None))
    assert reader.neighbours(1, ("ann", "bób")) == ((None, 4), (None, 2))
    assert reader.neighbours(9, ("bób", "nobody")) == ((7, None), (None, None)), "a match that is being played"
    assert reader.neighbours(1, ()) == ()
