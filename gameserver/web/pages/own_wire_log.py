"""A player's own wire log, for a client that gives name and secret by HTTP Basic authentication (RFC 7617).

Without a roster anybody may use any name, so nobody can prove that a log is theirs.
"""

import binascii
from base64 import b64decode
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from gameserver.endpoints import lobby_of
from gameserver.read_model.lobby_view import read_model_of
from gameserver.wire_log.owner_access import NotShown, raise_unproven

_CHALLENGE = {"WWW-Authenticate": 'Basic realm="Your name and your secret", charset="UTF-8"'}
_CLOSE = {"Connection": "close"}


async def serve_own_log(request: Request) -> Response:
    """The log as text. A name in the path has to be the name that the secret proves."""
    name, secret = _credentials(request)
    wanted = request.query_params.get("player", name)
    if name != wanted:
        secret = ""
    try:
        if not wanted:
            raise_unproven()
        lobby = lobby_of(request)
        text = await read_model_of(request).own_wire_log(wanted, secret, lobby.session, lobby.address)
    except NotShown as refused:
        status = HTTPStatus.UNAUTHORIZED if refused.wants_proof else HTTPStatus.FORBIDDEN
        headers = _CHALLENGE if refused.wants_proof else {}
        if refused.is_last:
            headers = headers | _CLOSE
        raise HTTPException(status, str(refused), headers) from refused
    return PlainTextResponse(text, headers={"Cache-Control": "no-store"})


def _credentials(request: Request) -> tuple[str, str]:
    """Name and secret; empty if they are missing or cannot be decoded."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return "", ""
    try:
        name, _, secret = b64decode(given.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, secret
