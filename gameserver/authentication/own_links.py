"""Links to a player's own page, given to players who are logged in: a name, a session and a time, sealed with a key.

The key is the server's alone and new at every start, so nothing is kept and no link outlives the server that gave it.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256

from gameserver.read_model.views import Owner
from gameserver.values import value

LIVES_S = 12 * 3600
"""A day in class, counted from the full minute."""
_SEAL_BYTES = 16


@value
class OwnLinks:
    """Makes and reads the links' secret part. `key` is random; `now_s` tells the time."""

    _key: bytes
    now_s: Callable[[], float]

    def token_of(self, owner: Owner) -> str:
        """The secret part of a link, in letters that need no quoting in a URL."""
        session = "" if owner.session is None else owner.session
        until_s = int(self.now_s()) // 60 * 60 + LIVES_S
        said = f"{until_s} {session} {owner.since_ms} {owner.player}".encode("utf-8", "surrogatepass")
        return urlsafe_b64encode(self._seal(said) + said).decode().rstrip("=")

    def owner_of(self, token: str) -> Owner | None:
        """The player whom a link was given to; None where it is not one of ours, or too old."""
        try:
            sealed = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
        except ValueError:
            return None
        seal, said = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
        if not hmac.compare_digest(seal, self._seal(said)):
            return None
        until_s, session, since_ms, player = said.decode("utf-8", "surrogatepass").split(" ", 3)
        if self.now_s() >= int(until_s):
            return None
        return Owner(player, int(session) if session else None, int(since_ms))

    def _seal(self, said: bytes) -> bytes:
        return hmac.digest(self._key, said, sha256)[:_SEAL_BYTES]
