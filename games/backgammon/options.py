"""What may be chosen for a game of the family."""

from attrs import field, frozen, validators

from gameserver.game import Seat


@frozen
class GameOptions:
    """What may be chosen for a game."""

    starter: Seat | None = field(default=None, validator=validators.in_([None, 0, 1]))
    """Who starts; None lets the opening roll decide."""
    plays_opening_dice: bool = False
    """Whether the starter plays the dice of the opening roll, or rolls anew."""
    by_hand: tuple[bool, bool] = (False, False)
    """The seats that roll and end their turns themselves."""
