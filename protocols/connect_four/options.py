"""The protocol's own settings."""

from attrs import field, validators

from gameserver.values import frozen


@frozen
class ConnectFourOptions:
    """The table `connect-four` in the configuration."""

    time_elapsed_error: bool = field(default=True, validator=validators.instance_of(bool))
    """Whether who took too long is told, with the move that was made instead. No original server did."""
