"""The person behind a request for what is a player's alone: by HTTP Basic authentication (RFC 7617), or by a link."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request

from gameserver.endpoints import lobby_of
from gameserver.read_model.lobby_view import read_model_of
from gameserver.read_model.views import Owner
from gameserver.values import value
from gameserver.wire_log.owner_access import NotShown, raise_unproven

_CHALLENGE = {"WWW-Authenticate": 'Basic realm="Your name and your secret", charset="UTF-8"'}
_CLOSE = {"Connection": "close"}


@value
class Visitor:
    """The player, and the query by which the links of the page lead on."""

    owner: Owner
    query: Mapping[str, str]


async def visitor_of(request: Request) -> Visitor:
    """The player whom a link, or name and secret, prove. A name in the query has to be the one that is proved.

    Raises `HTTPException`, with a sentence on what to do instead.
    """
    try:
        return await _proved(request)
    except NotShown as refused:
        status = HTTPStatus.UNAUTHORIZED if refused.wants_proof else HTTPStatus.FORBIDDEN
        raise refusal(refused, status) from refused


def refusal(refused: NotShown, status: HTTPStatus = HTTPStatus.FORBIDDEN) -> HTTPException:
    """The answer to a visitor who is refused."""
    headers = _CHALLENGE if refused.wants_proof else {}
    if refused.is_last:
        headers = headers | _CLOSE
    return HTTPException(status, str(refused), headers)


async def _proved(request: Request) -> Visitor:
    token = request.query_params.get("link")
    if token is not None:
        return Visitor(read_model_of(request).owner_of(token), {"link": token})
    name, secret = _credentials(request)
    wanted = request.query_params.get("player", name)
    if name != wanted:
        secret = ""
    if not wanted:
        raise_unproven()
    lobby = lobby_of(request)
    owner = await read_model_of(request).check_owner(wanted, secret, lobby.session, lobby.address)
    return Visitor(owner, {"player": wanted})


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
