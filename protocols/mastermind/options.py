"""The protocol's own settings: how large a game may be asked for."""

from attrs import field, validators

from gameserver.values import value


def _limit(default: int) -> int:
    """A limit from 1 up to the default, which is what the game itself can bear."""
    number: int = field(
        default=default, validator=[validators.instance_of(int), validators.ge(1), validators.le(default)]
    )
    return number


@value
class MastermindOptions:
    """The protocol's table in the configuration. The least of each is 1."""

    nbr_colors_max: int = _limit(1_000)
    """The most colours that a NewGame may ask for."""
    code_length_max: int = _limit(100)
    """The longest code."""
    max_tries_max: int = _limit(10_000)
    """The most tries."""
