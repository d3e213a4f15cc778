"""A connection as admission sees it: whether its peer has logged in, and how long it has been idle."""

import structlog

from gameserver.protocol import Adapter, RefusalKind

log = structlog.get_logger()


class Guest:
    """A connection, or a TLS handshake that is to become one."""

    __slots__ = ()

    adapter: Adapter
    session: int
    address: str
    _stamp_ms: int

    @property
    def is_established(self) -> bool:
        """True if the peer has logged in, plays or is being answered: then it gives way to nobody."""
        try:
            return self.adapter.is_established
        except Exception:
            log.exception("adapter failed", session=self.session)
            return False

    @property
    def heard_ms(self) -> int:
        """When the last bytes came, or else the connection began, in milliseconds on the server's axis."""
        return self._stamp_ms

    def farewell(self, why: str, kind: RefusalKind) -> None:
        """End the connection with a reason, in the protocol's own words."""
        raise NotImplementedError

    def abort(self, why: str) -> None:
        """Close now, whatever is queued."""
        raise NotImplementedError
