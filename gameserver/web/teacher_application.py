"""The teacher's pages as one application for the admin listener.

Every form is answered by a redirect, so reloading a page repeats nothing. A refusal is shown beside the
form that was sent, which keeps what was typed. With scripts, a form is sent without leaving the page,
which a stream keeps up to date. All of it is behind the gate of the admin listener, which ensures that
no foreign page sends these forms.
"""

import re
import secrets
from datetime import datetime
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from gameserver.admin.api import Creation, Stop, act_name, answer_of, carry_out_act, check, create, fitted
from gameserver.core.commands import Drain, Kick, Void
from gameserver.database.connection import DatabaseError
from gameserver.endpoints import AsgiApp
from gameserver.read_model import read_model
from gameserver.tournaments.act_table import TeacherAct, teacher_acts
from gameserver.web.live_pages import Streams
from gameserver.web.responses import guarded, serve_asset
from gameserver.web.teacher_confirmation import (
    LOBBY_ACTS,
    confirmation,
    lobby_confirmation,
    refused_confirmation,
    refused_lobby_confirmation,
)
from gameserver.web.teacher_forms import (
    Filled,
    WrongField,
    act_in,
    creation_of,
    form_of,
    form_of_act,
    match_of,
    player_of,
    reason_of,
    seconds_of,
)
from gameserver.web.teacher_pages import (
    NAME_COOKIE,
    NAME_LENGTH_MAX,
    board_page,
    name_of,
    overview,
    page_of,
    roster_page,
    show_match,
    show_player,
    tournament_page,
    watched_board,
    watched_overview,
    watched_roster,
    watched_tournament,
)

log = structlog.get_logger()

_BY = "the teacher's page"
_NAME_KEPT_S = 180 * 86_400  # half a year: a course

_ON_OVERVIEW = {
    "/name": "name",
    "/tournaments": "create",
    "/tournaments/check": "create",
    "/kick": "kick",
    "/void": "void",
    "/drain": "drain",
}
_ACT_PATH = re.compile(r"/tournaments/([0-9]{1,9})/([a-z-]+)")


def pages() -> AsgiApp:
    """Makes the application of the teacher's pages, for the admin listener."""
    return cast("AsgiApp", _AdminPages(Streams(secrets.token_hex(4))))


async def _name(request: Request) -> Response:
    name = form_of(await request.body()).get("name", "")
    if len(name) > NAME_LENGTH_MAX:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"a name may have at most {NAME_LENGTH_MAX} characters")
    response = _redirect("/", "name")
    # Without `secure` over plain HTTP, or the browser would not send it back.
    secure = request.url.scheme == "https"
    response.set_cookie(NAME_COOKIE, quote(name), max_age=_NAME_KEPT_S, httponly=True, samesite="strict", secure=secure)
    return response


async def _create(request: Request) -> Response:
    created = await create(request, _wanted(request, await request.body()))
    return _redirect(f"/tournaments/{created.number}", "create")


def _wanted(request: Request, body: bytes) -> Creation:
    return creation_of(form_of(body), _by(request), datetime.now().astimezone())


async def _conduct(request: Request) -> Response:
    number, name = request.path_params["tournament"], act_name(request)
    await carry_out_act(request, number, act_in(name, form_of(await request.body()), _by(request)))
    return _redirect(f"/tournaments/{number}", name)


async def _kick(request: Request) -> Response:
    form = form_of(await request.body())
    await answer_of(request, Kick(player_of(form), reason_of(form), _by(request)))
    return _redirect("/", "kick")


async def _void(request: Request) -> Response:
    form = form_of(await request.body())
    await answer_of(request, Void(match_of(form), reason_of(form), _by(request)))
    return _redirect("/", "void-match")


async def _drain(request: Request) -> Response:
    form = form_of(await request.body())
    stop = fitted({"why": reason_of(form), "by": _by(request), "within_s": seconds_of(form)}, Stop)
    await answer_of(request, Drain(round(stop.within_s * 1000), stop.why, stop.by))
    return _redirect("/", "drain")


def _redirect(address: str, done: str) -> Response:
    # 303 (RFC 9110, 15.4.4): the browser asks for the page by GET, so reloading it sends nothing again.
    return RedirectResponse(f"{address}?done={done}", HTTPStatus.SEE_OTHER)


def _by(request: Request) -> str:
    return name_of(request) or _BY


def _form_at(path: str) -> tuple[str, int | None, TeacherAct | None]:
    """The form that is sent to this path, the tournament whose page has the form, and the act that it asks for."""
    found = _ACT_PATH.fullmatch(path)
    if found is None:
        return _ON_OVERVIEW.get(path, ""), None, None
    spec = teacher_acts().get(found[2])
    return form_of_act(spec) if spec is not None else "", int(found[1]), spec


def _away_page(request: Request) -> Response:
    filled = Filled(why=read_model.RECORDS_AWAY)
    page = page_of(request, "teacher_message.html", filled, heading="The records cannot be read")
    return HTMLResponse(page, HTTPStatus.SERVICE_UNAVAILABLE, read_model.RECORDS_AWAY_HEADERS)


class _AdminPages:
    """The routes. A refusal is shown on the page that the form is on."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._routes = Router(
            [
                Route("/", self._overview, methods=["GET"]),
                Route("/events", self._overview_events, methods=["GET"]),
                Route("/roster", self._roster, methods=["GET"]),
                Route("/roster/events", self._roster_events, methods=["GET"]),
                Route("/matches/{number:int}", show_match, methods=["GET"]),
                Route("/players", show_player, methods=["GET"]),
                Route("/name", _name, methods=["POST"]),
                Route("/tournaments", _create, methods=["POST"]),
                Route("/tournaments/check", self._check, methods=["POST"]),
                Route("/tournaments/{tournament:int}", self._tournament, methods=["GET"]),
                Route("/tournaments/{tournament:int}/events", self._tournament_events, methods=["GET"]),
                Route("/tournaments/{tournament:int}/board", self._board, methods=["GET"]),
                Route("/tournaments/{tournament:int}/board/events", self._board_events, methods=["GET"]),
                Route("/tournaments/{tournament:int}/{act}", self._confirmation, methods=["GET"]),
                Route("/tournaments/{tournament:int}/{act}", _conduct, methods=["POST"]),
                *(Route(f"/{name}", self._lobby_confirmation, methods=["GET"]) for name in LOBBY_ACTS),
                Route("/kick", _kick, methods=["POST"]),
                Route("/void", _void, methods=["POST"]),
                Route("/drain", _drain, methods=["POST"]),
                Route("/static/{name}", serve_asset),
            ],
            redirect_slashes=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request for one of the teacher's pages."""
        request = Request(scope, receive)
        # Read here, for the form as it was typed is shown again with a refusal; the routes are given it once more.
        body = await request.body()
        received = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive_again() -> Any:
            return next(received, None) or await receive()

        try:
            await self._serve(request, scope, receive_again, send, body)
        except DatabaseError as error:
            log.warning("a page was not shown: the records cannot be read", path=request.url.path, why=str(error))
            await _away_page(request)(scope, receive, guarded(send))

    async def _serve(self, request: Request, scope: Scope, receive: Receive, send: Send, body: bytes) -> None:
        try:
            # The router has no exception handlers, so whatever the routes raise arrives here.
            await self._routes({**scope, "starlette.exception_handlers": ({}, {})}, receive, guarded(send))
        except HTTPException as error:
            path = request.url.path
            is_act = _ACT_PATH.fullmatch(path) is not None or path.removeprefix("/") in LOBBY_ACTS
            if request.method != "POST" and not is_act and error.status_code != HTTPStatus.NOT_FOUND:
                raise
            await (await self._refused(request, error, body))(scope, receive, guarded(send))

    async def _overview(self, request: Request) -> Response:
        return HTMLResponse(await overview(request, self._streams))

    async def _check(self, request: Request) -> Response:
        """The overview with the form as it was sent, and its answer: the forecast, and what would hurt."""
        body = await request.body()
        warnings, sentences = await check(request, _wanted(request, body))
        filled = Filled(told=(*sentences, *warnings), picked={"create": form_of(body)})
        return HTMLResponse(await overview(request, self._streams, filled))

    async def _overview_events(self, request: Request) -> Response:
        return self._streams.open(request, watched_overview(request))

    async def _roster(self, request: Request) -> Response:
        return HTMLResponse(await roster_page(request, self._streams))

    async def _roster_events(self, request: Request) -> Response:
        return self._streams.open(request, watched_roster(request))

    async def _tournament(self, request: Request) -> Response:
        return HTMLResponse(await tournament_page(request, request.path_params["tournament"], self._streams))

    async def _confirmation(self, request: Request) -> Response:
        number, act = request.path_params["tournament"], request.path_params["act"]
        return HTMLResponse(await confirmation(request, number, act))

    async def _lobby_confirmation(self, request: Request) -> Response:
        return HTMLResponse(await lobby_confirmation(request, request.url.path.removeprefix("/")))

    async def _tournament_events(self, request: Request) -> Response:
        return self._streams.open(request, watched_tournament(request, request.path_params["tournament"]))

    async def _board(self, request: Request) -> Response:
        return HTMLResponse(await board_page(request, request.path_params["tournament"], self._streams))

    async def _board_events(self, request: Request) -> Response:
        return self._streams.open(request, watched_board(request, request.path_params["tournament"]))

    async def _refused(self, request: Request, error: HTTPException, body: bytes) -> Response:
        """The page that the form is on, with the reason for the refusal."""
        why = error.detail if error.detail != HTTPStatus(error.status_code).phrase else "there is no such page"
        form, number, act = _form_at(request.url.path)
        try:
            typed = form_of(body or request.url.query.encode())
        except HTTPException:
            typed = {}  # what cannot be read was refused for that
        if number is not None:
            filled = Filled(form, why, typed=typed)
            try:
                if request.method == "POST" and act is not None and act.is_destructive:
                    page = await refused_confirmation(request, number, request.url.path.rpartition("/")[2], filled)
                else:
                    page = await tournament_page(request, number, self._streams, filled)
                return HTMLResponse(page, error.status_code)
            except HTTPException:
                form = ""  # there is no such tournament, so the reason goes to the top of the overview
        filled = Filled(form, why, error.field if isinstance(error, WrongField) else "", typed)
        if request.method == "POST" and form in LOBBY_ACTS:
            return HTMLResponse(await refused_lobby_confirmation(request, form, filled), error.status_code)
        return HTMLResponse(await overview(request, self._streams, filled), error.status_code)
