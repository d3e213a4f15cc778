"""The admin requests about tournaments: `/api/tournaments`.

A tournament is named by its number. Answers come from the read model and include the effect of every act that
was answered.
"""

import secrets
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import Any, cast

from attrs import Factory, evolve, field, fields_dict, make_class, validators
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from gameserver.admin.api_responses import HANDLERS, TEXT_LENGTH_MAX, answer, answer_of, body_of, fitted, json_of
from gameserver.admin.request_scope import student_ids_of
from gameserver.admin.roster_entries import player_meant
from gameserver.core.commands import ENTRANTS_MAX, Conduct, CreateTournament, EntryMode
from gameserver.core.events import TournamentCreated
from gameserver.endpoints import AsgiApp
from gameserver.exports.tournament_report import EXPORTS
from gameserver.read_model.lobby_view import read_model_of
from gameserver.read_model.views import AdminTournamentView
from gameserver.tournaments.act_table import WHY, ActField, impossible_now, spec_of, teacher_acts
from gameserver.tournaments.csv_text import CsvStyle
from gameserver.tournaments.files import FileOptions
from gameserver.tournaments.model import RATING_MAX, Act, RegisterEntrant
from gameserver.tournaments.plan import Plan
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import as_json
from gameserver.values import value

_BY: Any = field(default="the admin listener", validator=[validators.min_len(1), validators.max_len(100)])
_WHY: Any = field(default="", validator=validators.max_len(TEXT_LENGTH_MAX))
_RATING: Any = field(default=0, validator=[validators.ge(0), validators.le(RATING_MAX)])


@value
class Named:
    """A player whom the teacher enters: a name, and a rating for the seeding."""

    player: str
    rating: int = _RATING
    gammonx_id: str = ""
    """The GUID that the teacher's table has beside the name; the server's roster has to agree."""


@value
class Creation:
    """A tournament to create: a preset's plan, with changes to some of its fields."""

    preset: str
    name: str
    game: str
    changes: Mapping[str, Any] = Factory(dict)
    entry: EntryMode = EntryMode.LOGGED_IN
    roster: tuple[Named, ...] = field(default=(), validator=validators.max_len(ENTRANTS_MAX))
    by: str = _BY
    why: str = _WHY


@value
class _Signed:
    """The author of an act."""

    by: str = _BY


@value
class Exporting:
    """The ways to make a file. Students' ids, by player, override those of the server's roster."""

    student_ids: Mapping[str, str] = field(factory=dict, validator=validators.max_len(ENTRANTS_MAX))
    csv: CsvStyle = CsvStyle.ENGLISH


async def _list(request: Request) -> Response:
    """The tournaments that the lobby keeps, and the latest of those that only the records hold, by number."""
    read_model = read_model_of(request)
    summaries = await read_model.tournament_summaries()
    recorded = await read_model.read(lambda reader: reader.tournaments())
    kept = {one.number for one in summaries}
    past = [one for one in recorded if one.number not in kept]
    listed = sorted((*past, *summaries), key=lambda one: one.number)
    return answer({"tournaments": [as_json(one) for one in listed]})


async def _view(request: Request) -> Response:
    summary = await _summary_of(request, request.path_params["tournament"])
    read_model = read_model_of(request)
    view = await read_model.tournament(summary.number, exact=True)
    assert view is not None, "a tournament stays on record"
    # The view may have been made a while ago. Nothing has happened since, but time has passed.
    waiting = (await read_model.look(exact=True)).waiting_json(summary.number, read_model.now_ms())
    return answer(as_json(view) | {"eta_ms": summary.eta_ms} | waiting)


async def _export(request: Request) -> Response:
    summary, kind = await _summary_of(request, request.path_params["tournament"]), request.path_params["kind"]
    if kind not in EXPORTS:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no such file; possible are {', '.join(EXPORTS)}")
    asked = await body_of(request, Exporting) if request.method == "POST" else Exporting()
    style = request.query_params.get("csv")
    student_ids = {**student_ids_of(request), **asked.student_ids}
    options = FileOptions(student_ids, asked.csv if style is None else _style(style))
    text = await read_model_of(request).tournament_file(summary.number, kind, options)
    assert text is not None, "a tournament stays on record"
    if style is None or not EXPORTS[kind].is_csv:
        return PlainTextResponse(text)
    # A browser's download, to be opened in a spreadsheet: Excel needs the byte order mark.
    return Response(text.encode("utf-8-sig"), media_type="text/csv")


def _style(text: str) -> CsvStyle:
    try:
        return CsvStyle(text)
    except ValueError:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"csv is one of {', '.join(CsvStyle)}, not {text!r}") from None


async def _create(request: Request) -> Response:
    return answer(as_json(await create(request, await body_of(request, Creation))), HTTPStatus.CREATED)


async def create(request: Request, wanted: Creation) -> AdminTournamentView:
    """Announce a tournament. Raises `HTTPException` with the reason if it is refused."""
    roster = tuple(
        RegisterEntrant(player_meant(request, one.player, one.gammonx_id), one.rating, by=wanted.by)
        for one in wanted.roster
    )
    lobby_view = await read_model_of(request).look(exact=True)
    plan = _plan(wanted, has_own_turn_time=lobby_view.has_own_turn_time)
    command = CreateTournament(plan, secrets.token_hex(32), wanted.entry, roster, wanted.by, wanted.why)
    created = (await answer_of(request, command)).answer
    assert isinstance(created, TournamentCreated), "the other answer is a refusal, which `told` raises"
    return await _summary_of(request, created.number)


def _plan(wanted: Creation, *, has_own_turn_time: bool) -> Plan:
    """The preset's plan with the changes. A time for a turn in the server's settings goes before the preset's."""
    chosen = {"turn_time_ms": None} if has_own_turn_time else {}
    try:
        return preset(wanted.preset, wanted.name, wanted.game, **chosen | _settings(wanted.changes))
    except (ValueError, TypeError) as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error.args[0] if error.args else error)) from error


def _settings(changes: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's fields from JSON: a list becomes a tuple."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in changes.items()}


async def _conduct(request: Request) -> Response:
    number, name = request.path_params["tournament"], act_name(request)
    await conduct(request, number, act_of(name, await json_of(request)))
    return answer(as_json(await _summary_of(request, request.path_params["tournament"])))


def act_name(request: Request) -> str:
    """The act that the path names, one of `teacher_acts()`. Raises `HTTPException` (404)."""
    name: str = request.path_params["act"]
    if name not in teacher_acts():
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no such action; possible are {', '.join(teacher_acts())}")
    return name


def act_of(name: str, raw: Any) -> Act:
    """The act of this name, as a request's JSON describes it. Raises `HTTPException` (400).

    Fields of other acts are ignored. Times are set by the lobby.
    """
    known = {one.name: one for spec in teacher_acts().values() for one in (*spec.fields, WHY)}
    spec, said = teacher_acts()[name], fitted(raw, _body_type(tuple(known.values())))
    values = {one.name: getattr(said, one.name) for one in (*spec.fields, WHY)}
    for one in spec.fields:
        if values[one.name] is None:
            choices = ", ".join(choice.value for choice in one.choices)
            raise HTTPException(HTTPStatus.BAD_REQUEST, f"{one.name} is missing; give one of: {choices}")
    kind: type[Any] = spec.type
    if "now_ms" in fields_dict(kind):
        values["now_ms"] = 0
    act: Act = kind(by=said.by, **values)
    return act


@lru_cache(maxsize=8)
def _body_type(asked: tuple[ActField, ...]) -> type[Any]:
    """The class of a request's body: the author, and the fields of the acts."""
    fields = {}
    for one in asked:
        kind: Any = one.kind if one.blank is not None else one.kind | None
        limits: list[Any] = []
        if one.most is not None:
            limits = [validators.ge(0), validators.le(one.most)] if one.is_number else [validators.max_len(one.most)]
        fields[one.name] = field(default=one.blank, type=kind, validator=limits)
    return make_class("Body", fields, bases=(_Signed,), frozen=True)


async def conduct(request: Request, number: int, act: Act) -> None:
    """Carry out an act upon a tournament, which comes back from the records if the lobby keeps it no longer.

    Raises `HTTPException` with the reason if it is refused.
    """
    if isinstance(act, RegisterEntrant):
        act = evolve(act, player=player_meant(request, act.player))
    read_model = read_model_of(request)
    if not (await read_model.look(exact=True)).has_tournament(number):
        command = await read_model.read(lambda reader: reader.restoring(number))
        if command is not None:
            spec = spec_of(act)
            if command.state.phase not in spec.phases:
                why = impossible_now(spec, command.state.plan.name, command.state.phase)
                raise HTTPException(HTTPStatus.CONFLICT, why)
            await answer_of(request, command)
    await answer_of(request, Conduct(number, act))


async def _summary_of(request: Request, number: int) -> AdminTournamentView:
    """The tournament with this number, in the lobby or on record. Raises `HTTPException` (404)."""
    summary = await read_model_of(request).tournament_summary(number)
    if summary is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no tournament {number}")
    return summary


APPLICATION = cast(
    "AsgiApp",
    Starlette(
        routes=[
            Route("/", _list),
            Route("/", _create, methods=["POST"]),
            Route("/{tournament:int}", _view),
            Route("/{tournament:int}/export/{kind}", _export, methods=["GET", "POST"]),
            Route("/{tournament:int}/{act}", _conduct, methods=["POST"]),
        ],
        exception_handlers=HANDLERS,
    ),
)
"""The routes under `/api/tournaments`."""
