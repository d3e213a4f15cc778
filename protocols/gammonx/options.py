"""The protocol's own settings."""

from attrs import Attribute, field, validators

from gameserver.values import value

SECRET_LENGTH_MIN = 32
"""A shorter key than its 256 bits would be the weak part of HS256 (RFC 7518, 3.2)."""


def _is_long_enough(_instance: object, attribute: "Attribute[str]", secret: str) -> None:
    if secret and len(secret.encode()) < SECRET_LENGTH_MIN:
        raise ValueError(f"{attribute.name} must have {SECRET_LENGTH_MIN} bytes or more, or be empty")


@value
class GammonXOptions:
    """The protocol's table in the configuration."""

    jwt_secret: str = field(default="", repr=False, validator=[validators.instance_of(str), _is_long_enough])
    """The HS256 key of JSON Web Tokens, of 32 bytes or more. With it they prove who a player is. Empty: they prove
    nothing."""
    maps_moves: bool = field(default=True, validator=validators.instance_of(bool))
    """True if player 2 receives and sends moves in the coordinates of its own board. The servers of September 2025
    showed player 2 its own board, but moves as on player 1's; clients that correct for that need `false`. Moves of
    clients of 2026 are always mapped."""
