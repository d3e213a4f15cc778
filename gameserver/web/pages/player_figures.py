"""A player's results at one game, for the player's page: the rating's course, scores by seat and by opponent."""

from markupsafe import Markup

from gameserver.records.player_stats import Career, OpponentScore, RatingPoint, Score, total
from gameserver.values import value
from gameserver.web.pages.rating_graph import plus_minus, rating_graph

OPPONENTS_SHOWN = 6
"""The number of opponents that are not folded away."""
_SEATS = ("First seat", "Second seat")


@value
class SeatLine:
    """The score in a seat, or in all of them."""

    words: str
    score: Score


@value
class GameFigures:
    """All that is shown of one game."""

    game: str
    lines: tuple[SeatLine, ...]
    opponents: tuple[OpponentScore, ...]
    graph: Markup
    rating: int | None
    plus_minus: int
    rated: int
    """The number of rated matches."""
    since: RatingPoint | None
    """The first point of the graph."""

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.lines[0].score.matches

    @property
    def has_void(self) -> bool:
        """True if a match ended without a result."""
        return bool(self.lines[0].score.void)


def figures_of(career: Career) -> list[GameFigures]:
    """The figures of each game, the game of the most matches first."""
    found = [_figures(career, game) for game in career.games]
    return sorted(found, key=lambda one: -one.matches)


def _figures(career: Career, game: str) -> GameFigures:
    seats = [one for one in career.seats if one.game == game]
    history = [one for one in career.history if one.game == game]
    rating = next((one for one in career.ratings if one.game == game), None)
    return GameFigures(
        game=game,
        lines=(
            SeatLine("All", total(one.score for one in seats)),
            *(SeatLine(_seat_words(one.seat), one.score) for one in seats),
        ),
        opponents=tuple(one for one in career.opponents if one.game == game),
        graph=rating_graph(history),
        rating=None if rating is None else round(rating.rating),
        plus_minus=0 if rating is None else plus_minus(rating.deviation),
        rated=0 if rating is None else rating.matches,
        since=history[0] if history else None,
    )


def _seat_words(seat: int) -> str:
    return _SEATS[seat] if seat < len(_SEATS) else f"Seat {seat + 1}"
