"""The doubling cube."""

from attrs import field, frozen, validators

from gameserver.game import Seat

CUBE_MAX = 64


@frozen
class Cube:
    """The stake of the game and the side that may raise it: either one while nobody owns the cube."""

    value: int = field(default=1, validator=validators.in_([1 << power for power in range(7)]))
    owner: Seat | None = None

    def may_be_offered_by(self, seat: Seat) -> bool:
        """True if this side may double the stake."""
        return self.value < CUBE_MAX and self.owner in {None, seat}

    def taken_by(self, seat: Seat) -> "Cube":
        """The cube after this side took a double; ValueError where the other could not offer it."""
        if not self.may_be_offered_by(1 - seat):
            raise ValueError(f"nobody could offer the cube to seat {seat}")
        return Cube(2 * self.value, seat)
