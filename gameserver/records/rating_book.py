"""Ratings of players, brought up to date by finished matches.

Every game has ratings of its own. They are worked out once, from the matches in the order in which
they end, and written with the record of the match: what a rating was stands, whatever becomes of the
model. A start reads the latest ones back and goes on from there.

An anchor, a house player of a fixed rating that plays on a ladder, is in no book: its rating stays as it is.
"""

from collections.abc import Iterable, Iterator, Sequence

from gameserver.ratings.rating import Rating, rated
from gameserver.records.house_strengths import fixed_rating
from gameserver.records.match_record import HOUSE_PROTOCOL, MatchRecord, RatingRecord, SeatResult
from gameserver.values import evolved

_HALVES = {SeatResult.WIN: 2, SeatResult.DRAW: 1, SeatResult.LOSS: 0}


_FRESH = Rating()


class RatingBook:
    """The book of everybody's latest rating, by game and player. `known` is what the records hold of them."""

    def __init__(self, known: Iterable[RatingRecord] = ()) -> None:
        self._ratings: dict[tuple[str, str], Rating] = {}
        self.learn(known)

    def rating(self, game: str, player: str) -> Rating:
        """A player's rating in the book; where everybody begins, if there is none yet."""
        return self._ratings.get((game, player), _FRESH)

    def players(self) -> Iterator[str]:
        """The players who have a rating in the book, once for each game."""
        return (player for _, player in self._ratings)

    def learn(self, changed: Iterable[RatingRecord]) -> None:
        """Take ratings into the book that others have worked out."""
        for one in changed:
            self._ratings[one.game, one.player] = Rating(one.rating, one.deviation, one.matches)

    def enter(self, records: Sequence[MatchRecord]) -> Sequence[MatchRecord]:
        """Enter results into the book of ratings; gives the records, with the new ratings in those that are rated."""
        # In the order in which matches end, as the model asks for: bots are improved.
        return [self._entered(record) if record.rated else record for record in records]

    def _entered(self, record: MatchRecord) -> MatchRecord:
        one, other = record.seats
        of_one, of_other = (record.game, one.player), (record.game, other.player)
        known = self._ratings
        if record.is_ladder and HOUSE_PROTOCOL in {one.protocol, other.protocol}:
            return self._entered_by_anchor(record)
        first, second = rated(known.get(of_one, _FRESH), known.get(of_other, _FRESH), _HALVES[one.result])
        known[of_one], known[of_other] = first, second
        return evolved(
            record,
            seats=(
                evolved(one, rating=first.mean, deviation=first.deviation),
                evolved(other, rating=second.mean, deviation=second.deviation),
            ),
        )

    def _entered_by_anchor(self, record: MatchRecord) -> MatchRecord:
        """The record with the new rating of the one player who is no anchor; unrated if the anchor has no rating."""
        (at, seat), (_, house) = sorted(enumerate(record.seats), key=lambda one: one[1].protocol == HOUSE_PROTOCOL)
        anchor, key = fixed_rating(record.game, house.player), (record.game, seat.player)
        if anchor is None:
            return evolved(record, rated=False)
        self._ratings[key], _ = rated(self._ratings.get(key, _FRESH), anchor, _HALVES[seat.result])
        now = self._ratings[key]
        seats = list(record.seats)
        seats[at] = evolved(seat, rating=now.mean, deviation=now.deviation)
        return evolved(record, seats=tuple(seats))
