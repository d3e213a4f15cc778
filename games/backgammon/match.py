"""Matches of several games: which game comes next, who begins, what the score is, when it is over.

A match is of a kind (Backgammon, Tavla, or Tavli, whose games are Portes, Plakoto and Fevga in turns) and of a length.
Point matches are over when a side has the points; a cash match is over when its round of games is. `rounds` is how many
games a client should reckon with: nine single games decide a match to five. Draws can take more, so the games go on in
turns until somebody has won; upstream ends such a match without a winner, which is nobody's wish.
"""

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from attrs import converters, evolve, field, frozen, validators

from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, Variant
from gameserver.game import Seat


class Length(Enum):
    """The length of a backgammon match: points, or a number of games."""

    FIVE_POINTS = "5 points"
    SEVEN_POINTS = "7 points"
    CASH = "cash"

    @property
    def target(self) -> int | None:
        """The points that end a backgammon match; None where only the number of games does."""
        return {Length.FIVE_POINTS: 5, Length.SEVEN_POINTS: 7, Length.CASH: None}[self]


@frozen
class _MatchKind:
    """The games and the length of a match of the backgammon family."""

    name: str
    cycle: tuple[Variant, ...]
    rounds: Mapping[Length, int]

    def variant(self, round_index: int) -> Variant:
        """The game of a round of a backgammon match, counted from 0."""
        return self.cycle[round_index % len(self.cycle)]


# As many games as GammonX's list of rounds has, by length.
_SINGLES = {Length.CASH: 1, Length.FIVE_POINTS: 9, Length.SEVEN_POINTS: 13}

MATCH_KINDS = {
    each.name: each
    for each in (
        _MatchKind("Backgammon", (BACKGAMMON,), _SINGLES),
        _MatchKind("Tavla", (TAVLA,), _SINGLES),
        _MatchKind("Tavli", (PORTES, PLAKOTO, FEVGA), {Length.CASH: 3, Length.FIVE_POINTS: 9, Length.SEVEN_POINTS: 14}),
    )
}


@frozen
class Round:
    """A game of a backgammon match that is over; nobody won a draw, and it brought no points."""

    variant: Variant
    winner: Seat | None
    points: int = 0


@frozen
class MatchScore:
    """The score of a backgammon match between its games."""

    kind: _MatchKind
    length: Length
    rounds: tuple[Round, ...] = ()
    resigned_by: Seat | None = None
    points: tuple[int, int] = field(init=False)

    @points.default
    def _sum(self) -> tuple[int, int]:
        white, black = (sum(each.points for each in self.rounds if each.winner == seat) for seat in (0, 1))
        return white, black

    @property
    def is_over(self) -> bool:
        """True if no game of the backgammon match follows."""
        target = self.length.target
        if self.resigned_by is not None:
            return True
        if target is not None:
            return max(self.points) >= target
        return len(self.rounds) >= self.kind.rounds[self.length]

    @property
    def winner(self) -> Seat | None:
        """The winner of a backgammon match; None before its end, and where a cash match ended even."""
        if not self.is_over:
            return None
        if self.resigned_by is not None:
            return 1 - self.resigned_by
        white, black = self.points
        return None if white == black else 0 if white > black else 1

    @property
    def next_variant(self) -> Variant:
        """The game of the backgammon match that follows."""
        return self.kind.variant(len(self.rounds))

    @property
    def next_starter(self) -> Seat | None:
        """The seat that begins the next game: the last winner, white after a draw; None before the first."""
        if not self.rounds:
            return None
        # White after a draw, as in GammonX; None counts as 0.
        return self.rounds[-1].winner or 0

    def points_away(self, seat: Seat) -> int:
        """Counts the points that a side of a backgammon match still needs; in a cash match any game will do."""
        return max(0, (self.length.target or 1) - self.points[seat])

    def after(self, winner: Seat | None, points: int) -> "MatchScore":
        """Makes the score of a backgammon match after another game; ValueError where it was over."""
        if self.is_over:
            raise ValueError("the match is over")
        return MatchScore(self.kind, self.length, (*self.rounds, Round(self.next_variant, winner, points)))

    def after_resignation(self, seat: Seat) -> "MatchScore":
        """Makes the score of a backgammon match that a side gives up; ValueError where it was over.

        To a target the other side gets what it lacked, for the game at hand. For cash every open
        game is lost as if resigned, and by as much as it takes to be ahead.
        """
        if self.is_over:
            raise ValueError("the match is over")
        winner = 1 - seat
        if self.length.target is not None:
            # As the server of 2026 does: that of the document gave the points of every game of the list.
            score = self.after(winner, self.points_away(winner))
        else:
            score = self
            while not score.is_over:
                lead = score.points[seat] - score.points[winner] + 1
                score = score.after(winner, max(score.next_variant.resigning_costs, lead))
        return evolve(score, resigned_by=seat)


def _as_tuple(given: Iterable[Any]) -> tuple[Any, ...]:
    """Options are also read from JSON, which knows lists alone."""
    return tuple(given)


def _for_both_seats(given: Any) -> tuple[Any, ...]:
    """One answer stands for both seats."""
    return (given, given) if isinstance(given, bool) else _as_tuple(given)


_ONE_EACH: Any = validators.deep_iterable(
    validators.instance_of(bool), validators.and_(validators.min_len(2), validators.max_len(2))
)


@frozen
class GameOptions:
    """The options of a game of the backgammon family."""

    starter: Seat | None = field(default=None, validator=validators.in_([None, 0, 1]))
    """The seat that starts; None lets the opening roll decide."""
    plays_opening_dice: tuple[bool, bool] = field(
        default=(False, False), converter=_for_both_seats, validator=_ONE_EACH
    )
    """The seats that would play the dice of the opening roll, and not roll again."""
    by_hand: tuple[bool, bool] = field(default=(False, False), converter=_as_tuple, validator=_ONE_EACH)
    """The seats that roll and end their turns themselves."""
    length: Length | None = field(default=None, converter=converters.optional(Length))
    """The length of a match, such as "5 points", "7 points" or "cash"; None for this game alone."""

    @property
    def starts_with_opening_dice(self) -> bool:
        """True if the starter plays the opening roll: only if all players who roll by hand would."""
        asked = [plays for plays, by_hand in zip(self.plays_opening_dice, self.by_hand, strict=True) if by_hand]
        return all(asked or self.plays_opening_dice)

    @property
    def tells_ties(self) -> bool:
        """True if a tie of the opening roll is rolled again by hand; else it is as if it had not been."""
        return self.starts_with_opening_dice and any(self.by_hand)


@frozen
class TavliOptions(GameOptions):
    """The options of Tavli, always a match; `starter` and `plays_opening_dice` are for its first game."""

    length: Length = field(default=Length.CASH, converter=Length)
