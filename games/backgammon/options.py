"""Options of a game of the family, or of a match of several."""

from collections.abc import Iterable
from typing import Any

from attrs import converters, field, frozen, validators

from games.backgammon.match import Length
from gameserver.game import Seat


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
    """Options of a game."""

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
        """True if the starter plays the dice of the opening roll: only if all players who roll by hand would."""
        asked = [plays for plays, by_hand in zip(self.plays_opening_dice, self.by_hand, strict=True) if by_hand]
        return all(asked or self.plays_opening_dice)

    @property
    def tells_ties(self) -> bool:
        """True if a tie of the opening roll is rolled again by hand; else it is as if it had not been."""
        return self.starts_with_opening_dice and any(self.by_hand)


@frozen
class TavliOptions(GameOptions):
    """Tavli is always a match; `starter` and `plays_opening_dice` are for its first game."""

    length: Length = field(default=Length.CASH, converter=Length)
