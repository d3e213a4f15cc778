"""The gate of the admin listener: admits a request only if it brings the token, and no foreign page sent it.

Every request passes the gate, whatever its route:

* Its `Host` must be an address or a name that the server knows as its own (`http/own_names`).
* Its `Origin`, if it has one, must be the same host: another page may not send forms here (CSRF).
* It must bring the token: programs in `Authorization: Bearer`, browsers in a cookie, which
  they get when the token is typed into the form at `/login`. The cookie does not hold the token itself,
  is hidden from scripts, and is not sent along by other sites. A request with the cookie must
  say that it comes from this host (`Origin` or `Sec-Fetch-Site`), unless it is a GET, HEAD or OPTIONS.
  A wrong token is answered in its turn, by address, 20 a second in all; the right one never waits.
"""

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from gameserver.admin import api
from gameserver.admin.api import with_secrets
from gameserver.endpoints import HttpEndpoint, lobby_of
from gameserver.http.adapter import SAFE_METHODS, HttpAdapter, Site
from gameserver.http.application import application
from gameserver.http.host_context import HostContext, HttpOptions
from gameserver.http.own_names import OwnNames
from gameserver.protocol import Adapter, Peer
from gameserver.values import value

COOKIE = "gameserver_admin"
_LOGIN = "/login"

_WHERE = "it is in the file that the server named at its start"
_MISSING = f"The admin listener needs its token, as 'Authorization: Bearer TOKEN'; {_WHERE}"
_WRONG = f"That is not the token of this server; {_WHERE}"

_FORM = """\
<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>gameserver: admin</title>
<style>:root {{ color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }} body {{ max-width: 34rem; margin: 4rem auto; padding: 0 1rem }}
input, button {{ font: inherit; padding: .4rem .6rem }} input {{ width: 100%; box-sizing: border-box; margin: .3rem 0 1rem }}</style>
<main><h1>Admin</h1>
<p role="status">{said}</p>
<form method="post" action="/login">
<label>Token <input type="password" name="token" autocomplete="current-password" required autofocus></label>
<input type="hidden" name="next" value="{target}">
<button>Open</button>
</form></main></html>
"""  # noqa: E501 - a page


@value
class Gate:
    """The gate in front of an ASGI application. `hosts` are more names that belong to this server."""

    app: ASGIApp
    token: str
    own_names: OwnNames
    hosts: tuple[str, ...] = ()
    wrong_token: Callable[[str, int], Awaitable[None]] | None = None
    """Waits before the answer to a wrong token, of this address and session. A right one never waits."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request of the admin listener through the gate, or refuse it."""
        request = Request(scope, receive)
        response = self._foreign(request.headers)
        if response is None and request.url.path == _LOGIN and request.method == "POST":
            response = await self._log_in(request)
        elif response is None:
            response = await self._refusal(request)
        await (self.app if response is None else response)(scope, receive, send)

    def _foreign(self, headers: Headers) -> Response | None:
        """Refuse a request that a foreign page had the browser send."""
        host = headers.get("host", "")
        why = self.own_names.refusal(host, self.hosts, "admin.hosts")
        if why:
            return _refused(HTTPStatus.MISDIRECTED_REQUEST, why)
        origin = headers.get("origin")
        if origin is not None and _netloc(origin) != host:
            return _refused(HTTPStatus.FORBIDDEN, f"A page of {origin} may not act here")
        return None

    async def _refusal(self, request: Request) -> Response | None:
        """Refuse a request without the token."""
        headers = request.headers
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            if _same(given.strip(), self.token):
                return None
            await self._wait(request, given)
            return self._unauthorized(request, _WRONG)
        cookie = request.cookies.get(COOKIE, "")
        if not _same(cookie, self._cookie):
            await self._wait(request, cookie)
            return self._unauthorized(request, _MISSING)
        # An `Origin` was compared with `Host` above. Browsers send one of the two headers with every form; a request
        # that has neither may come from anywhere.
        from_here = "origin" in headers or headers.get("sec-fetch-site") == "same-origin"
        if request.method in SAFE_METHODS or from_here:
            return None
        return _refused(HTTPStatus.FORBIDDEN, "A request that changes something must say which page it comes from")

    async def _wait(self, request: Request, given: str) -> None:
        """Have a wrong token, or a wrong cookie, wait for its turn."""
        if given and self.wrong_token is not None:
            lobby = lobby_of(request)
            await self.wrong_token(lobby.address, lobby.session)

    def _unauthorized(self, request: Request, why: str) -> Response:
        """The answer 401: JSON for programs, and a page with a form for the token for people."""
        challenge = {"WWW-Authenticate": "Bearer"}  # RFC 9110, 11.6.1 asks for one, RFC 6750, 3 for this
        if request.method == "GET" and "text/html" in request.headers.get("accept", ""):
            target = request.url.path if request.url.path != _LOGIN else "/"
            said = "Type the token of this server. It is in the file that was named when the server started."
            return HTMLResponse(_form(said, target), HTTPStatus.UNAUTHORIZED, challenge)
        return _refused(HTTPStatus.UNAUTHORIZED, why, challenge)

    async def _log_in(self, request: Request) -> Response:
        """Exchange the token for a cookie."""
        typed = parse_qs((await request.body()).decode("utf-8", "replace"))
        target = typed.get("next", ["/"])[0]
        # Browsers read both as the beginning of another host, to which a crafted link would lead after the login.
        if not target.startswith("/") or target.startswith(("//", "/\\")):
            target = "/"
        token = typed.get("token", [""])[0].strip()
        if not _same(token, self.token):
            await self._wait(request, token)
            return HTMLResponse(_form(_WRONG + ".", target), HTTPStatus.UNAUTHORIZED)
        response = RedirectResponse(target, HTTPStatus.SEE_OTHER)
        secure = request.url.scheme == "https"  # a browser would not send a secure one back over plain HTTP
        response.set_cookie(COOKIE, self._cookie, httponly=True, samesite="strict", secure=secure)
        return response

    @property
    def _cookie(self) -> str:
        # Made of the token: a new token ends every login, and a restart with the same one ends none.
        return hmac.new(self.token.encode(), b"cookie of the admin listener", hashlib.sha256).hexdigest()


def _same(given: str, wanted: str) -> bool:
    """Compare in constant time. An empty wanted token matches nothing, so nobody gets in without one."""
    return bool(wanted) and hmac.compare_digest(given.encode(), wanted.encode())


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


def _refused(status: HTTPStatus, why: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"error": why}, status, headers)


def _form(said: str, target: str) -> str:
    return _FORM.format(said=said, target=target.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;"))


def adapter_maker(more: Sequence[HttpEndpoint]) -> Callable[[Peer, HostContext], Adapter]:
    """Makes the function that gives each admin connection a gate of its own before `/api` and these endpoints."""
    app = application((api.ENDPOINT, *more))

    def adapter(peer: Peer, context: HostContext) -> Adapter:
        options = context.options
        # The context is the connection's, so the gate is made for each of them; the application is one for all.
        gate = Gate(with_secrets(app, context), options.token, context.own_names, options.hosts, context.wrong_token)
        return HttpAdapter(peer, context, HttpOptions(), Site({}, gate))

    return adapter
