"""The protocol's own settings."""

from attrs import field, validators

from gameserver.values import value


@value
class WebOptions:
    """The web protocol's table in the configuration."""

    messages_per_10_s: int = field(
        default=20, validator=[validators.instance_of(int), validators.ge(1), validators.le(1000)]
    )
    """The most `say` messages of a connection in any ten seconds. More get an error."""
