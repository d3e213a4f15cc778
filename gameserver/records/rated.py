"""What finished matches do to the ratings of their players.

Every game has ratings of its own. They are worked out once, from the matches in the order in which
they end, and written with the record of the match: what a rating was stands, whatever becomes of the
model. A start reads the latest ones back and goes on from there.
"""

from collections.abc import Iterable, Sequence

from gameserver.core.rows import evolved
from gameserver.ratings.rating import Rating, rated
from gameserver.records.model import MatchRecord, RatingRecord, SeatResult

_HALVES = {SeatResult.WIN: 2, SeatResult.DRAW: 1, SeatResult.LOSS: 0}


class RatingBook:
    """Everybody's latest rating, by game and player. `known` is what the records hold of them."""

    def __init__(self, known: Iterable[RatingRecord] = ()) -> None:
        self._ratings = {(one.game, one.player): Rating(one.rating, one.deviation, one.matches) for one in known}

    def rating(self, game: str, player: str) -> Rating:
        """A player's rating; where everybody begins, if there is none yet."""
        return self._ratings.get((game, player)) or Rating()

    def enter(self, records: Sequence[MatchRecord]) -> Sequence[MatchRecord]:
        """Take these results in; gives the records, with the new ratings in those that are rated."""
        if not any(record.rated for record in records):
            return records
        return [self._entered(record) if record.rated else record for record in records]

    def _entered(self, record: MatchRecord) -> MatchRecord:
        keys = [(record.game, seat.player) for seat in record.seats]
        before = [self.rating(*key) for key in keys]
        after = rated(before[0], before[1], _HALVES[record.seats[0].result])
        self._ratings.update(zip(keys, after, strict=True))
        seats = zip(record.seats, after, strict=True)
        return evolved(
            record,
            seats=tuple(evolved(seat, rating=now.mean, deviation=now.deviation) for seat, now in seats),
        )
