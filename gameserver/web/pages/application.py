"""The pages as one application for the HTTP listener, under `/`."""

import secrets
from http import HTTPStatus
from typing import cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from gameserver.endpoints import AsgiApp
from gameserver.web.pages.archive import record_routes
from gameserver.web.pages.lobby import lobby_routes
from gameserver.web.pages.match import match_routes
from gameserver.web.pages.metrics import serve_metrics
from gameserver.web.pages.own_wire_log import serve_own_log
from gameserver.web.pages.tournament import tournament_routes
from gameserver.web.ui.assets import serve_asset
from gameserver.web.ui.live_pages import Streams
from gameserver.web.ui.security_headers import guarded
from gameserver.web.ui.templating import render


def pages() -> AsgiApp:
    """All pages."""
    streams = Streams(secrets.token_hex(4))
    routes = [
        *lobby_routes(streams),
        *match_routes(streams),
        *record_routes(),
        *tournament_routes(streams),
        Route("/wire-log", serve_own_log),
        Route("/metrics", serve_metrics),
        Route("/static/{name}", serve_asset),
        Route("/robots.txt", _robots),
        Route("/favicon.ico", _icon),
    ]
    return cast("AsgiApp", _Pages(Router(routes, redirect_slashes=False)))


class _Pages:
    """The routes, with the headers that tell browsers what a page may do, and refusals that are pages.

    A program that asks for what is not there is left to the listener, which knows all that is there.
    """

    def __init__(self, routes: ASGIApp) -> None:
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        guarded_send = guarded(send)
        request = Request(scope)
        wants_page = "text/html" in request.headers.get("accept", "")
        try:
            # Without handlers of its own, what the routes raise comes to here.
            await self._routes({**scope, "starlette.exception_handlers": ({}, {})}, receive, guarded_send)
        except HTTPException as error:
            if not wants_page and error.status_code == HTTPStatus.NOT_FOUND and not error.detail.startswith(_OURS):
                raise
            response = _page_of(request, error) if wants_page else _line_of(error)
            await response(scope, receive, guarded_send)


_OURS = "There is no "
"""How a refusal begins that says more than that a path is not there."""


def _page_of(request: Request, error: HTTPException) -> Response:
    is_bare = error.detail == HTTPStatus(error.status_code).phrase
    text = f"There is nothing at {request.url.path}" if is_bare else error.detail
    heading = HTTPStatus(error.status_code).phrase
    page = render("message.html", here="", json_url="", heading=heading, text=text)
    return HTMLResponse(page, error.status_code, error.headers)


def _line_of(error: HTTPException) -> Response:
    return PlainTextResponse(f"{error.detail}\n", error.status_code, error.headers)


async def _robots(_request: Request) -> Response:
    """Names of students are nothing for search engines."""
    return PlainTextResponse("User-agent: *\nDisallow: /\n")


async def _icon(_request: Request) -> Response:
    """The icon has an address of its own in every page; who asks here gets none, without an error in the log."""
    return Response(status_code=HTTPStatus.NO_CONTENT)
