"""The pages: one of the lobby with all tournaments, and one of each tournament.

Every form is answered by a redirection, so that loading a page again does nothing twice; what is
refused is said on the page that the form was on, with what was typed still in it. All of it is behind
the gate of the admin listener, which sees to it that no foreign page sends these forms.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote, unquote

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from gameserver import reports
from gameserver.admin.acts import seen
from gameserver.admin.answers import Stop, fitted, told
from gameserver.admin.tournaments import act_of, conduct, create, past_tournaments, tournament, tournaments
from gameserver.core.commands import Drain, Kick, ListGames, Void
from gameserver.core.events import GamesListed
from gameserver.core.tournament_commands import Entry
from gameserver.endpoints import AsgiApp, HttpEndpoint, lobby_of
from gameserver.teacher.forms import (
    Form,
    creation_of,
    doing_of,
    form_of,
    match_of,
    player_of,
    reason_of,
    seconds_of,
)
from gameserver.tournaments.model import Phase, Verdict
from gameserver.tournaments.presets import PRESETS
from gameserver.web.assets import serve_asset
from gameserver.web.policy import guarded
from gameserver.web.templating import render

BY = "the teacher's page"
NAME_COOKIE = "gameserver-teacher"
NAME_LENGTH_MAX = 100
NAME_KEPT_S = 180 * 86_400

DONE: Mapping[str, str] = {
    "name": "Noted: what you do is kept under this name.",
    "create": "The tournament is announced. Start it when everybody is here.",
    "start": "The draw is made, and play begins.",
    "pause": "No more matches begin; those that are being played go on.",
    "resume": "The tournament goes on.",
    "finish": "It stops as soon as the matches that are being played are over.",
    "cancel": "The tournament is cancelled. Its results stay on record.",
    "add": "The player takes part.",
    "drop": "The player is out.",
    "disqualify": "The player is disqualified.",
    "void": "The game is struck out and played again.",
    "correct": "The result is corrected.",
    "kick": "The player's connection is ended. They may enter again.",
    "void-match": "The match is ended without a loser.",
    "drain": "No new match begins, and the server stops after the last.",
}
"""What is said after an act. An address names the line and never the words: nobody can put theirs on the page."""

LIFE: Mapping[Phase, tuple[str, ...]] = {
    Phase.GATHERING: ("start", "cancel"),
    Phase.RUNNING: ("pause", "finish", "cancel"),
    Phase.PAUSED: ("resume", "finish", "cancel"),
    Phase.FINISHING: ("resume", "cancel"),
    Phase.OVER: ("resume",),
    Phase.CANCELLED: (),
}
"""Which buttons there are; whether an act is possible is for the tournament to say."""

_BLANK: Form = {"preset": "hanze", "entry": Entry.LOGGED_IN.value, "within_s": "300"}


async def _overview(request: Request, refusal: str = "", typed: Form = _BLANK) -> str:
    shown, lobby = await tournaments(request), await seen(request)
    rows = [await trio.to_thread.run_sync(reports.summary_of, row, shown.now_ms) for row in shown.rows]
    rows = [*await past_tournaments(request, shown), *rows]
    heard = await told(request, ListGames(lobby_of(request).session))
    games = [game for event in heard.events if isinstance(event, GamesListed) for game in event.games]
    values = {"tournaments": rows[::-1], "lobby": lobby, "games": games, "presets": list(PRESETS), "typed": typed}
    return _render(request, "teacher.html", refusal, **values)


async def _tournament(request: Request, refusal: str = "", typed: Form = _BLANK) -> str:
    number = request.path_params["tournament"]
    row, now_ms = await tournament(request, number)
    view = await trio.to_thread.run_sync(reports.view_of, row, now_ms)
    is_past = not (await tournaments(request, number)).rows
    life = () if is_past else LIFE[Phase(view.phase)]
    verdicts = [verdict.value for verdict in Verdict]
    lobby = await seen(request)
    entered = {line.name for line in view.standings}
    others = [player.name for player in lobby.players if player.name not in entered]
    names = [line.name for line in view.standings] + others
    values = {"view": view, "life": life, "verdicts": verdicts, "names": names, "typed": typed, "is_past": is_past}
    return _render(request, "teacher_tournament.html", refusal, **values, exports=list(reports.EXPORTS))


def _render(request: Request, template: str, refusal: str, **values: Any) -> str:
    done = "" if refusal else DONE.get(request.query_params.get("done", ""), "")
    return render(template, here="", json_url="", refusal=refusal, done=done, me=_name_of(request), **values)


async def _show_overview(request: Request) -> Response:
    return HTMLResponse(await _overview(request))


async def _show_tournament(request: Request) -> Response:
    return HTMLResponse(await _tournament(request))


async def _name(request: Request) -> Response:
    name = form_of(await request.body()).get("name", "")
    if len(name) > NAME_LENGTH_MAX:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"a name has {NAME_LENGTH_MAX} characters at the most")
    response = _redirect("/", "name")
    secure = request.url.scheme == "https"
    response.set_cookie(NAME_COOKIE, quote(name), max_age=NAME_KEPT_S, httponly=True, samesite="strict", secure=secure)
    return response


async def _create(request: Request) -> Response:
    row, _ = await create(request, creation_of(form_of(await request.body()), _by(request)))
    return _redirect(f"/tournaments/{row.number}", "create")


async def _conduct(request: Request) -> Response:
    number, act = request.path_params["tournament"], act_of(request)
    await conduct(request, number, act, doing_of(act, form_of(await request.body()), _by(request)))
    return _redirect(f"/tournaments/{number}", act)


async def _kick(request: Request) -> Response:
    form = form_of(await request.body())
    await told(request, Kick(player_of(form), reason_of(form), _by(request)))
    return _redirect("/", "kick")


async def _void(request: Request) -> Response:
    form = form_of(await request.body())
    await told(request, Void(match_of(form), reason_of(form), _by(request)))
    return _redirect("/", "void-match")


async def _drain(request: Request) -> Response:
    form = form_of(await request.body())
    stop = fitted({"why": reason_of(form), "by": _by(request), "within_s": seconds_of(form)}, Stop)
    await told(request, Drain(round(stop.within_s * 1000), stop.why, stop.by))
    return _redirect("/", "drain")


def _redirect(address: str, done: str) -> Response:
    return RedirectResponse(f"{address}?done={done}", HTTPStatus.SEE_OTHER)


def _name_of(request: Request) -> str:
    """The teacher's name, as it was typed once."""
    return unquote(request.cookies.get(NAME_COOKIE, ""))[:NAME_LENGTH_MAX]


def _by(request: Request) -> str:
    return _name_of(request) or BY


class _Pages:
    """The routes, with what is refused said on the page that asked."""

    def __init__(self) -> None:
        self._routes = Router(
            [
                Route("/", _show_overview, methods=["GET"]),
                Route("/name", _name, methods=["POST"]),
                Route("/tournaments", _create, methods=["POST"]),
                Route("/tournaments/{tournament:int}", _show_tournament, methods=["GET"]),
                Route("/tournaments/{tournament:int}/{act}", _conduct, methods=["POST"]),
                Route("/kick", _kick, methods=["POST"]),
                Route("/void", _void, methods=["POST"]),
                Route("/drain", _drain, methods=["POST"]),
                Route("/static/{name}", serve_asset),
            ],
            redirect_slashes=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        request = Request(scope, receive)
        body = await request.body()
        received = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def receive_again() -> Any:
            return next(received, None) or await receive()

        try:
            # Without handlers of its own, what the routes raise comes to here.
            await self._routes({**scope, "starlette.exception_handlers": ({}, {})}, receive_again, guarded(send))
        except HTTPException as error:
            if request.method != "POST" and error.status_code != HTTPStatus.NOT_FOUND:
                raise
            await (await _refused(request, error, body))(scope, receive, guarded(send))


async def _refused(request: Request, error: HTTPException, body: bytes) -> Response:
    """The page that was asked from, with why not."""
    why = error.detail if error.detail != HTTPStatus(error.status_code).phrase else "there is no such page"
    try:
        typed = {**_BLANK, **form_of(body)}
    except HTTPException:
        typed = dict(_BLANK)
    parts = request.url.path.split("/")
    if len(parts) == len(("", "tournaments", "1", "act")) and parts[2].isdecimal():
        request.scope["path_params"] = {"tournament": int(parts[2])}
        try:
            return HTMLResponse(await _tournament(request, why, typed), error.status_code)
        except HTTPException:
            pass
    return HTMLResponse(await _overview(request, why, typed), error.status_code)


ENDPOINT = HttpEndpoint("/", cast("AsgiApp", _Pages()))
