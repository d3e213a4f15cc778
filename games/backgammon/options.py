"""What may be chosen for a game of the family, or for a match of several."""

from collections.abc import Iterable
from typing import Any

from attrs import converters, field, frozen, validators

from games.backgammon.match import Length
from gameserver.game import Seat


def _as_tuple(given: Iterable[Any]) -> tuple[Any, ...]:
    """Options are also read from JSON, which knows lists alone."""
    return tuple(given)


@frozen
class GameOptions:
    """What may be chosen for a game."""

    starter: Seat | None = field(default=None, validator=validators.in_([None, 0, 1]))
    """Who starts; None lets the opening roll decide."""
    plays_opening_dice: bool = False
    """Whether the starter plays the dice of the opening roll, or rolls anew."""
    by_hand: tuple[bool, bool] = field(
        default=(False, False),
        converter=_as_tuple,
        validator=validators.deep_iterable(
            validators.instance_of(bool), validators.and_(validators.min_len(2), validators.max_len(2))
        ),
    )
    """The seats that roll and end their turns themselves."""
    length: Length | None = field(default=None, converter=converters.optional(Length))
    """How long a match is to be, such as "5 points", "7 points" or "cash"; None for this game alone."""


@frozen
class TavliOptions(GameOptions):
    """Tavli is always a match; `starter` and `plays_opening_dice` are for its first game."""

    length: Length = field(default=Length.CASH, converter=Length)
