"""The protocol's own settings."""

from attrs import field, validators

from gameserver.values import value


@value
class ConnectFourOptions:
    """The table `connect-four` in the configuration."""

    time_elapsed_error: bool = field(default=True, validator=validators.instance_of(bool))
    """True if a late client receives `time elapsed` with the move that was made for it. No original server sent it."""
