"""The public pages as one application for the HTTP listener, under `/`."""

import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import cast

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from gameserver.endpoints import AsgiApp
from gameserver.read_model.lobby_view import read_model_of
from gameserver.web.pages.archive import record_routes
from gameserver.web.pages.error_pages import ErrorPages
from gameserver.web.pages.halls import hall_routes
from gameserver.web.pages.lobby import lobby_routes
from gameserver.web.pages.match import match_routes
from gameserver.web.pages.metrics import serve_metrics
from gameserver.web.pages.own_page import own_routes
from gameserver.web.pages.own_wire_log import serve_own_log
from gameserver.web.pages.play import play_routes
from gameserver.web.pages.podium import podium_routes
from gameserver.web.pages.rehearsals import Rehearsals
from gameserver.web.pages.tournament import tournament_routes
from gameserver.web.pages.tournament_list import tournament_list_routes
from gameserver.web.ui.assets import serve_asset
from gameserver.web.ui.live_pages import Streams
from gameserver.web.ui.place import Place, rendering_at
from gameserver.web.ui.security_headers import guarded


def pages(scenarios: Mapping[str, str] | None = None) -> AsgiApp:
    """The application with all public pages. `scenarios` are the packages with those of each protocol, by its name."""
    streams = Streams(secrets.token_hex(4), compresses=True)
    routes = [
        *lobby_routes(streams),
        *match_routes(streams),
        *record_routes(),
        *tournament_list_routes(),
        *tournament_routes(streams),
        *podium_routes(streams),
        *hall_routes(streams),
        *play_routes(),
        *own_routes(Rehearsals(scenarios or {})),
        Route("/wire-log", serve_own_log),
        Route("/metrics", serve_metrics),
        Route("/static/{name}", serve_asset),
        Route("/robots.txt", _robots),
        Route("/favicon.ico", _icon),
    ]
    return cast("AsgiApp", _Pages(Router(routes, redirect_slashes=False)))


class _Pages:
    """The routes, with security headers on every response, and with error pages for people."""

    def __init__(self, routes: ASGIApp) -> None:
        # The router has no exception handlers, so whatever the routes raise arrives at the error pages.
        self._app = ErrorPages(routes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        place = Place(has_others=bool(read_model_of(Request(scope)).halls.others))
        with rendering_at(place):
            await self._app({**scope, "starlette.exception_handlers": ({}, {})}, receive, guarded(send))


async def _robots(_request: Request) -> Response:
    """Keep search engines out: the pages show names of students."""
    return PlainTextResponse("User-agent: *\nDisallow: /\n")


async def _icon(_request: Request) -> Response:
    """Answer without an icon: every page links to its own. This keeps the 404 out of browsers' logs."""
    return Response(status_code=HTTPStatus.NO_CONTENT)
