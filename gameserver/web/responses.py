"""Responses other than pages: style sheets, scripts, values of the read model as JSON; and headers for all."""

from fractions import Fraction
from hashlib import sha256
from importlib.resources import files
from typing import Any

from cattrs.gen import make_dict_unstructure_fn, override
from cattrs.preconf.orjson import make_converter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Send

from gameserver.read_model.read_model import LobbyView
from gameserver.read_model.replay import MatchReplay
from gameserver.read_model.views import Result
from gameserver.tournaments.season import points_text
from gameserver.values import value

_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

# Digits of a number in an address: SQLite holds 18 of an integer's, and a browser's scripts 15 exactly.
_DIGITS_MAX = 15
_CONVERTER = make_converter()
_RESULT = make_dict_unstructure_fn(Result, _CONVERTER, lapse=override(omit=True), rule=override(omit=True))
# No foreign sources and nothing inline: markup that a name smuggles in cannot run.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)


@value
class _Asset:
    """A style sheet, script or icon, kept in memory and cached by browsers for ever: its URL has the digest."""

    content: bytes
    media_type: str
    digest: str


def _load() -> dict[str, _Asset]:
    found: dict[str, _Asset] = {}
    for file in files("gameserver.web").joinpath("static").iterdir():
        suffix = file.name[file.name.rfind(".") :]
        if suffix in _KINDS:
            content = file.read_bytes()
            found[file.name] = _Asset(content, _KINDS[suffix], sha256(content).hexdigest()[:12])
    return found


_ASSETS = _load()


def asset_url(name: str) -> str:
    """The URL at which a style sheet, script or icon is served as a response, with the digest of its content."""
    return f"/static/{name}?{_ASSETS[name].digest}"


async def serve_asset(request: Request) -> Response:
    """Makes the response with a style sheet, script or icon. A browser keeps it for ever if its URL has the digest."""
    asset = _ASSETS.get(request.path_params["name"])
    if asset is None:
        raise HTTPException(404)
    # With another digest it is the link of an older page: the file has changed, and must not be kept under that name.
    is_current = request.url.query == asset.digest
    caching = "public, max-age=31536000, immutable" if is_current else "no-cache"
    return Response(asset.content, media_type=asset.media_type, headers={"Cache-Control": caching})


def number_in(text: str) -> int | None:
    """Reads a number in the address of a page; None if it makes no sense. Digits other than ASCII's make none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS_MAX else None


_CONVERTER.register_unstructure_hook(Result, _RESULT)
_CONVERTER.register_unstructure_hook(Fraction, lambda points: float(points_text(points)))


def as_json(value: object) -> Any:
    """A value of the read model as the JSON of a response."""
    return _CONVERTER.unstructure(value)


def lobby_json(lobby_view: LobbyView) -> Any:
    """The JSON for a response about the lobby."""
    return {
        "games": list(lobby_view.games),
        "players": as_json(lobby_view.players),
        "house": as_json(lobby_view.house),
        "offers": as_json(lobby_view.offers),
        "matches": as_json(lobby_view.matches),
    }


def match_json(match_replay: MatchReplay) -> Any:
    """A match as a JSON response instead of a page, with all its steps and its present board."""
    board = match_replay.present
    picture = None if board.picture is None else board.picture.description
    return {**as_json(match_replay.view), "board": {"text": board.text, "description": picture}}


def guarded(send: Send) -> Send:
    """An ASGI `send` that adds the security headers to every response."""

    async def guarded_send(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], *_HEADERS]}
        await send(message)

    return guarded_send
