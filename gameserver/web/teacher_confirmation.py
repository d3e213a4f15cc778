"""The pages that ask again before a destructive act upon a tournament or the lobby: what is lost, and why."""

from collections.abc import Callable, Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request

from gameserver.admin.api import admin_lobby
from gameserver.read_model.lobby_losses import losses_of_connection, losses_of_match, losses_of_stop
from gameserver.read_model.read_model import read_model_of
from gameserver.read_model.views import AdminLobbyView
from gameserver.tournaments.act_table import WHY, TeacherAct, impossible_now, teacher_acts
from gameserver.tournaments.losses import NothingToLose, losses
from gameserver.tournaments.model import TournamentPhase
from gameserver.tournaments.view import TournamentView, as_json
from gameserver.values import value
from gameserver.web.teacher_forms import Filled, Form, fields_in, form_of_act, match_of, player_of, seconds_of
from gameserver.web.teacher_pages import page_of

_TEMPLATE = "teacher_confirm.html"


def _destructive_act(name: str) -> TeacherAct:
    """The act of this name. Raises `HTTPException` (404) if there is none, or if nothing is asked again for it."""
    spec = teacher_acts().get(name)
    if spec is None or not spec.is_destructive:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return spec


async def confirmation(request: Request, number: int, name: str) -> str:
    """The page that asks again before a destructive act upon a tournament.

    Raises `HTTPException` if it is not possible.
    """
    spec, form = _destructive_act(name), dict(request.query_params)
    view = await _view(request, number)
    if view.phase not in spec.phases:
        raise HTTPException(HTTPStatus.CONFLICT, impossible_now(spec, view.name, TournamentPhase(view.phase)))
    try:
        lost = losses(name, as_json(view), fields_in(name, form))
    except NothingToLose as refused:
        raise HTTPException(HTTPStatus.CONFLICT, str(refused)) from refused
    reason = {WHY.name: form.get(WHY.name, "")}
    return _act_page(request, name, view, lost, form, Filled(picked={form_of_act(spec): reason}))


async def refused_confirmation(request: Request, number: int, name: str, filled: Filled) -> str:
    """The page that asks again before an act upon a tournament, after its form was refused.

    Raises `HTTPException` (404).
    """
    view = await _view(request, number)
    try:
        lost = losses(name, as_json(view), fields_in(name, filled.typed))
    except (HTTPException, NothingToLose):
        lost = []
    return _act_page(request, name, view, lost, filled.typed, filled)


async def _view(request: Request, number: int) -> TournamentView:
    view = await read_model_of(request).tournament(number, exact=True)
    if view is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no tournament {number}")
    return view


def _act_page(request: Request, name: str, view: TournamentView, lost: list[str], form: Form, filled: Filled) -> str:
    spec, back = teacher_acts()[name], f"/tournaments/{view.number}"
    given = {one.name: form.get(one.name, "") for one in spec.fields}
    about = {"form": form_of_act(spec), "button": spec.button, "subject": view.name}
    return _page(request, filled, f"{back}/{name}", back, lost, given, **about)


def _page(request: Request, filled: Filled, action: str, back: str, lost: list[str], given: Form, **about: str) -> str:
    return page_of(request, _TEMPLATE, filled, action=action, back=back, losses=lost, given=given, why=WHY, **about)


@value
class _LobbyAct:
    """An act, by its button; `describe` gives whom or what it is about, and what is lost."""

    button: str
    field: str
    describe: Callable[[AdminLobbyView, Form], tuple[str, list[str]]]


def _kick(lobby: AdminLobbyView, form: Form) -> tuple[str, list[str]]:
    name = player_of(form)
    player = next((one for one in lobby.players if one.name == name), None)
    if player is None:
        raise HTTPException(HTTPStatus.CONFLICT, f"{name} is not connected")
    return name, losses_of_connection(name, player.match)


def _void(lobby: AdminLobbyView, form: Form) -> tuple[str, list[str]]:
    number = match_of(form)
    match = next((one for one in lobby.matches if one.match == number), None)
    if match is None:
        raise HTTPException(HTTPStatus.CONFLICT, "there is no such match, or it is over")
    return f"match {number}, {match.game}: {' against '.join(match.players)}", losses_of_match(match.moves)


def _drain(lobby: AdminLobbyView, form: Form) -> tuple[str, list[str]]:
    return "", losses_of_stop(len(lobby.matches), seconds_of(form))


LOBBY_ACTS: Mapping[str, _LobbyAct] = {
    "kick": _LobbyAct("End the connection", "player", _kick),
    "void": _LobbyAct("End it without a loser", "match", _void),
    "drain": _LobbyAct("Stop after the last match", "within_s", _drain),
}


async def lobby_confirmation(request: Request, name: str) -> str:
    """The page that asks again before an act upon the lobby. Raises `HTTPException` if it is not possible."""
    form = dict(request.query_params)
    subject, lost = LOBBY_ACTS[name].describe(await admin_lobby(request), form)
    return _lobby_act_page(request, name, subject, lost, form, Filled())


async def refused_lobby_confirmation(request: Request, name: str, filled: Filled) -> str:
    """The page that asks again before an act upon the lobby, after its form was refused."""
    try:
        subject, lost = LOBBY_ACTS[name].describe(await admin_lobby(request), filled.typed)
    except HTTPException:
        subject, lost = "", []
    return _lobby_act_page(request, name, subject, lost, filled.typed, filled)


def _lobby_act_page(request: Request, name: str, subject: str, lost: list[str], form: Form, filled: Filled) -> str:
    act = LOBBY_ACTS[name]
    given = {act.field: form.get(act.field, "")}
    return _page(request, filled, f"/{name}", "/", lost, given, form=name, button=act.button, subject=subject)
