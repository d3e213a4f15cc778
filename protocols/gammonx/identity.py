"""The player that a connection names: by the query of the hub's address, by a JSON Web Token, or by our own.

Clients of 2026 name their match and themselves when they connect, in the query (`matchId`,
`playerId`) or in the claims of a JWT; those of the document say it by `JoinMatch`. A JWT that is
signed with the server's secret proves what it says. Without a secret there is nothing to prove it
by, and it counts as much as the query: it says whose seat is meant.
"""

from collections.abc import Mapping
from typing import Any

import jwt

from gameserver.values import value
from protocols.gammonx.guids import read_guid
from protocols.signalr import Client

TOKEN_PREFIX = "gx."  # noqa: S105 - what is secret comes behind it
"""The beginning of our tokens; others, which clients have from elsewhere, are not the lobby's business."""

PLAYER_CLAIMS = (
    "playerId",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier",
    "nameidentifier",
    "nameid",
    "sub",
)
"""Claims by which a token may name the player; the first one that is there counts."""


@value
class Identity:
    """A connection's statements about itself; None for one that it does not make."""

    match_id: str | None = None
    player_id: str | None = None
    is_proven: bool = False
    """True if a signed token names the player."""
    token: str = ""
    """The token that a join answered, if the client shows it."""


def identity_of(client: Client, jwt_secret: str) -> Identity:
    """Reads the identity from the request that opened the connection."""
    handshake = client.handshake
    if handshake is None:
        return Identity()
    shown = [token for token in (client.access_token, handshake.query.get("token")) if token]
    own = next((token for token in shown if token.startswith(TOKEN_PREFIX)), "")
    claims = next(filter(None, (_claims(token, jwt_secret) for token in shown)), {})
    claimed = next((str(claims[name]) for name in PLAYER_CLAIMS if name in claims), None)
    return Identity(
        match_id=read_guid(handshake.query.get("matchId")) or read_guid(claims.get("matchId")),
        player_id=read_guid(claimed) or read_guid(handshake.query.get("playerId")),
        is_proven=bool(jwt_secret) and read_guid(claimed) is not None,
        token=own,
    )


def _claims(token: str, secret: str) -> Mapping[str, Any]:
    """The claims of a JWT; empty if it is none, or is not valid for the secret."""
    if token.startswith(TOKEN_PREFIX):
        return {}
    try:
        claims: Mapping[str, Any] = jwt.decode(
            token, secret, algorithms=["HS256"], options={"verify_aud": False, "verify_signature": bool(secret)}
        )
    except (jwt.PyJWTError, RecursionError):
        return {}
    return claims
