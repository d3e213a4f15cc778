"""Settings of the HTTP listener: the table `[http]`."""

from attrs import field, validators

from gameserver.values import value


@value
class HttpOptions:
    """Sizes and times of requests. Those of WebSocket messages are the connections' own (`limits`)."""

    head_bytes_max: int = field(default=16_384, validator=[validators.ge(1024), validators.le(1_048_576)])
    """Bytes of a request's first line and headers."""
    body_bytes_max: int = field(default=65_536, validator=[validators.ge(1024), validators.le(67_108_864)])
    """Bytes of a request's body."""
    request_timeout_s: float = field(default=30.0, validator=[validators.ge(1), validators.le(3600)])
    """The time that a request may take to arrive, and that a new connection may take to send its first."""
    keep_alive_s: float = field(default=75.0, validator=[validators.ge(1), validators.le(3600)])
    """The time for which an idle connection is kept open for its next request."""
    ping_every_s: float = field(default=30.0, validator=[validators.ge(0), validators.le(3600)])
    """Seconds of silence after which a WebSocket's peer is sent a ping; 0 for no pings."""
    hosts: tuple[str, ...] = ()
    """Host names by which browsers reach this server, such as `["games.example.edu"]`, besides plain addresses, the
    machine's own name and that in `hall.url`. Under other names `/play` refuses to play."""
