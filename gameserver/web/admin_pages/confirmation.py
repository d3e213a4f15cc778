"""The page that asks again before a destructive act: what is lost, and why it should be."""

from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request

from gameserver.read_model.lobby_view import read_model_of
from gameserver.tournaments.act_table import WHY, TeacherAct, impossible_now, teacher_acts
from gameserver.tournaments.losses import NothingToLose, losses
from gameserver.tournaments.model import TournamentPhase
from gameserver.tournaments.view import TournamentView, as_json
from gameserver.web.admin_pages.act_forms import fields_in, form_of_act
from gameserver.web.admin_pages.forms import Filled, Form
from gameserver.web.admin_pages.layout import page_of, pages_url

_TEMPLATE = "teacher_confirm.html"


def destructive_act(name: str) -> TeacherAct:
    """The act of this name. Raises `HTTPException` (404) if there is none, or if nothing is asked again for it."""
    spec = teacher_acts().get(name)
    if spec is None or not spec.is_destructive:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return spec


async def confirmation(request: Request, number: int, name: str) -> str:
    """The page. Raises `HTTPException` if the act is not possible as it is asked for."""
    spec, form = destructive_act(name), dict(request.query_params)
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
    """The page again, after its form was refused. Raises `HTTPException` (404)."""
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
    spec = teacher_acts()[name]
    return page_of(
        request,
        _TEMPLATE,
        filled,
        form=form_of_act(spec),
        button=spec.button,
        subject=view.name,
        action=f"/tournaments/{view.number}/{name}",
        back=f"/tournaments/{view.number}",
        losses=lost,
        given={one.name: form.get(one.name, "") for one in spec.fields},
        why=WHY,
        pages_url=pages_url(request),
        mark="",
    )
