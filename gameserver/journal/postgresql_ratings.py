"""Ratings that several halls share: worked out from what is in the database, in the transaction that records a match.

Two halls may end matches of one player at once. Each locks the players' ratings until its commit, so the second one
goes on from the first one's result: no match is lost, and the numbers are those of some order of all matches. With one
hall they are what its own rating book has worked out already.

No two halls wait for each other for ever. Rows that are missing are inserted first, then all are locked, both in the
order of games and players; whoever locks has met every row that another hall was inserting.
"""

from collections.abc import Iterable, Mapping, Sequence

from attrs import define, field

from gameserver.database.postgresql import PostgresqlConnection
from gameserver.database.postgresql_arrays import Array, integers, numbers, texts
from gameserver.ratings.rating import Rating
from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.rating_book import RatingBook

OVERLAP_S = 10.0
"""A change is stamped before its commit, which may wait for a replica. So the last seconds' changes are read again."""

_MAKE = """
    INSERT INTO gameserver.rating (game, player, rating, deviation, matches)
    SELECT game, player, ?3::float8, ?4::float8, 0 FROM unnest(?1::text[], ?2::text[]) AS new (game, player)
    ON CONFLICT DO NOTHING
"""
_LOCK = """
    SELECT game, player, rating, deviation, matches FROM gameserver.rating
    WHERE (game, player) IN (SELECT game, player FROM unnest(?1::text[], ?2::text[]) AS wanted (game, player))
    ORDER BY game, player FOR UPDATE
"""
_WRITE = """
    UPDATE gameserver.rating AS own SET rating = new.rating, deviation = new.deviation, matches = new.matches,
        changed_at = clock_timestamp(), changed_by = current_setting('gameserver.hall')
    FROM unnest(?1::text[], ?2::text[], ?3::float8[], ?4::float8[], ?5::bigint[])
        AS new (game, player, rating, deviation, matches)
    WHERE own.game = new.game AND own.player = new.player
"""
_CHANGED = """
    SELECT game, player, rating, deviation, matches FROM gameserver.rating
    WHERE changed_at > clock_timestamp() - make_interval(secs => ?1)
        AND changed_by IS DISTINCT FROM current_setting('gameserver.hall')
    UNION SELECT game, player, rating, deviation, matches FROM gameserver.rating
    WHERE (game, player) IN (SELECT game, player FROM unnest(?2::text[], ?3::text[]) AS wanted (game, player))
"""

Key = tuple[str, str]
"""A game and a player."""


@define
class SharedRatings:
    """The ratings as the leader of one hall writes them. Used by the journal's thread."""

    _made: set[Key] = field(factory=set, init=False)
    """Those that others had committed when they were last seen, so that they need not be inserted."""
    _differing: set[Key] = field(factory=set, init=False)
    """Those that came out other than this hall's rating book had worked out."""

    def write(self, connection: PostgresqlConnection, records: Sequence[MatchRecord]) -> Sequence[MatchRecord]:
        """Rate these matches, in their order, within the transaction that writes them; gives them with the ratings."""
        keys = sorted({(one.game, seat.player) for one in records if one.rated for seat in one.seats})
        if not keys:
            return records
        known = self._locked(connection, keys)
        book = RatingBook(known)
        rated = book.enter(records)
        ratings = {key: book.rating(*key) for key in keys}
        connection.change("rating", _WRITE, (*_columns(keys), *_values(ratings)))
        self._made.update((one.game, one.player) for one in known if one.matches)
        # Noted before the commit, and read again afterwards: so it does not matter whether it succeeds.
        self._differing.update(_differing(records, rated))
        return rated

    def changed(self, connection: PostgresqlConnection, within_s: float) -> list[RatingRecord]:
        """The ratings that others have changed in the last seconds, and those that were worked out anew here."""
        differing = sorted(self._differing)
        rows = connection.execute(_CHANGED, (within_s + OVERLAP_S, *_columns(differing)))
        found = [RatingRecord(*row) for row in rows]
        self._differing.difference_update(differing)
        return found

    def _locked(self, connection: PostgresqlConnection, keys: Sequence[Key]) -> list[RatingRecord]:
        """The ratings, which nobody else can change until the commit; all of them are there."""
        missing = [key for key in keys if key not in self._made]
        if missing:
            fresh = Rating()
            connection.execute(_MAKE, (*_columns(missing), fresh.mean, fresh.deviation))
        found = [RatingRecord(*row) for row in connection.execute(_LOCK, _columns(keys))]
        if len(found) == len(keys):
            return found
        self._made.clear()  # somebody has deleted ratings, or a crash has
        return self._locked(connection, keys)


def _columns(keys: Sequence[Key]) -> tuple[Array, Array]:
    return texts([game for game, _ in keys]), texts([player for _, player in keys])


def _values(ratings: Mapping[Key, Rating]) -> tuple[Array, Array, Array]:
    found = list(ratings.values())
    return (
        numbers([one.mean for one in found]),
        numbers([one.deviation for one in found]),
        integers([one.games for one in found]),
    )


def _differing(before: Iterable[MatchRecord], after: Iterable[MatchRecord]) -> Iterable[Key]:
    """The players whose ratings in these records are not the same."""
    for one, other in zip(before, after, strict=True):
        for seat, seat_after in zip(one.seats, other.seats, strict=True):
            if (seat.rating, seat.deviation) != (seat_after.rating, seat_after.deviation):
                yield one.game, seat.player
