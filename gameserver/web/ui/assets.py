"""Style sheets, scripts and the icon: small files, kept in memory and cached by browsers for ever.

An asset's URL contains a digest of its content, so a changed asset has a new URL.
"""

from hashlib import sha256
from importlib.resources import files

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gameserver.values import value

_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}


@value
class Asset:
    """A file as it is served."""

    content: bytes
    media_type: str
    digest: str


def _load() -> dict[str, Asset]:
    found: dict[str, Asset] = {}
    for file in files("gameserver.web").joinpath("static").iterdir():
        suffix = file.name[file.name.rfind(".") :]
        if suffix in _KINDS:
            content = file.read_bytes()
            found[file.name] = Asset(content, _KINDS[suffix], sha256(content).hexdigest()[:12])
    return found


_ASSETS = _load()


def asset_url(name: str) -> str:
    """The URL of a file."""
    return f"/static/{name}?{_ASSETS[name].digest}"


async def serve_asset(request: Request) -> Response:
    """The file of this name."""
    asset = _ASSETS.get(request.path_params["name"])
    if asset is None:
        raise HTTPException(404)
    is_current = request.url.query == asset.digest
    caching = "public, max-age=31536000, immutable" if is_current else "no-cache"
    return Response(asset.content, media_type=asset.media_type, headers={"Cache-Control": caching})
