"""The admin requests: `/api` for the lobby, `/api/tournaments` for tournaments, with answers in JSON.

All of them are behind the gate, and so may show what no other port does: attacked names, students' ids, wire logs. The
teacher's pages call the same functions. An answer comes from the read model and includes the effect of every act that
was answered before it. A command is answered only once it is in the journal: with 200, or with 409 and the reason.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from importlib.metadata import version
from typing import Any, TypeVar, cast

import orjson
import structlog
import trio
from attrs import Factory, asdict, evolve, field, fields_dict, make_class, validators
from cattrs import transform_error
from cattrs.preconf.orjson import make_converter
from cattrs.v import format_exception
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gameserver.core.commands import (
    ENTRANTS_MAX,
    Command,
    Conduct,
    CreateTournament,
    Drain,
    EntryMode,
    Kick,
    SetLadder,
    Void,
)
from gameserver.core.events import Code, Event, Rejected, TournamentCreated
from gameserver.core.identity import is_guid
from gameserver.database.connection import DatabaseError
from gameserver.endpoints import AsgiApp, HttpEndpoint, LobbyReply, lobby_of
from gameserver.exports.tournament_report import EXPORTS
from gameserver.http.host_context import HostContext
from gameserver.read_model import read_model
from gameserver.read_model.read_model import read_model_of
from gameserver.read_model.troubles import Trouble, refusals
from gameserver.read_model.views import (
    AdminLobbyView,
    AdminTournamentView,
    Attack,
    RollCall,
)
from gameserver.tournaments.act_table import WHY, ActField, impossible_now, spec_of, teacher_acts
from gameserver.tournaments.csv_text import CsvStyle
from gameserver.tournaments.files import FileOptions
from gameserver.tournaments.model import RATING_MAX, TEAM_LENGTH_MAX, Act, RegisterEntrant
from gameserver.tournaments.plan import Plan
from gameserver.tournaments.presets import preset
from gameserver.tournaments.view import as_json
from gameserver.values import value

log = structlog.get_logger()

_T = TypeVar("_T")

# The key of the scope by which handlers find what only they may see.
_KEY = "gameserver.behind_the_gate"
# Letters of a reason, which is journaled and shown beside what it explains. Judgement: some sentences.
_TEXT_LENGTH_MAX = 500
_BY: Any = field(default="the admin listener", validator=[validators.min_len(1), validators.max_len(100)])
_WHY: Any = field(default="", validator=validators.max_len(_TEXT_LENGTH_MAX))
_RATING: Any = field(default=0, validator=[validators.ge(0), validators.le(RATING_MAX)])

# A mistyped field is refused: if it were ignored, the server would act otherwise than it was asked.
CONVERTER = make_converter(forbid_extra_keys=True)

# Sentences for the lobby's refusals that a teacher can meet. Others are shown as their code and facts.
_REFUSALS: Mapping[Code, str] = {
    Code.UNKNOWN_PLAYER: "there is no player '{player}' here",
    Code.UNKNOWN_GAME: "there is no game {game}",
    Code.STOPPING: "the server is about to stop, no new matches start",
    Code.STALE: "there is no such match, or it is over",
    Code.UNKNOWN_TOURNAMENT: "there is no tournament {tournament}",
    Code.TOURNAMENT_REFUSED: "{why}",
    Code.LADDER_REFUSED: "{why}",
    Code.SERVER_FAULT: "{why}",
}


@value
class _TeacherCommand:
    """The author of a teacher's act and the reason for it. Both are journaled."""

    why: str = field(validator=[validators.min_len(1), validators.max_len(_TEXT_LENGTH_MAX)])
    by: str = _BY


@value
class Stop(_TeacherCommand):
    """An admin request to stop the server that waits for the running matches, for `within_s` seconds at most."""

    why: str = field(default="the server is to stop", validator=validators.max_len(_TEXT_LENGTH_MAX))
    within_s: float = field(default=300.0, validator=[validators.ge(0), validators.le(86_400)])


def _answer(content: Any, status: int = HTTPStatus.OK) -> Response:
    """An answer of the admin listener in JSON. An attrs instance becomes an object."""
    # With a line end, for people who ask by curl.
    body = orjson.dumps(CONVERTER.unstructure(content), option=orjson.OPT_APPEND_NEWLINE)
    return Response(body, status, media_type="application/json")


def _refused(why: str, status: int) -> Response:
    return _answer({"error": why}, status)


async def _body_of(request: Request, kind: type[_T]) -> _T:
    """The request's JSON as an attrs class. Raises `HTTPException` (400) that names what is wrong."""
    return fitted(await _json_of(request), kind)


async def _json_of(request: Request) -> Any:
    """The request's JSON; an empty body is an empty object. Raises `HTTPException` (400)."""
    try:
        return orjson.loads(await request.body() or b"{}")
    except orjson.JSONDecodeError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"the body should be JSON: {error}") from error


def fitted(raw: Any, kind: type[_T]) -> _T:
    """Fit the JSON of an admin request into an attrs class. Raises `HTTPException` (400) that names what is wrong."""
    try:
        return CONVERTER.structure(raw, kind)
    except Exception as error:
        problems = "; ".join(transform_error(error, path="$", format_exception=_problem))
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"the body does not fit: {problems}") from error


async def answer_of(request: Request, command: Command) -> LobbyReply:
    """Ask the lobby to carry out the command of an admin request. Raises `HTTPException` (409) if it refuses."""
    heard = await lobby_of(request).ask(command)
    if isinstance(heard.answer, Rejected):
        raise HTTPException(HTTPStatus.CONFLICT, _sentence(heard.answer))
    return heard


async def _carry_out(request: Request, command: Command) -> Response:
    """Carry out a command; the events that came back are in the answer."""
    heard = await answer_of(request, command)
    return _answer({"done": True, "events": [_shown(event) for event in heard.events]})


def _sentence(rejected: Rejected) -> str:
    """Put a refusal of the lobby into a sentence for the teacher."""
    known = _REFUSALS.get(rejected.code)
    if known is not None:
        return known.format_map(rejected.facts)
    facts = ", ".join(f"{name} {value}" for name, value in rejected.facts.items())
    return f"{rejected.code.value} ({facts})" if facts else rejected.code.value


def _shown(event: Event) -> dict[str, Any]:
    return {"event": type(event).__name__, **CONVERTER.unstructure(event)}


def _problem(error: BaseException, kind: type | None) -> str:
    if isinstance(error, ValueError) and error.args:
        return str(error.args[0])
    return format_exception(error, kind)


async def _in_json(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for nothing else"
    return _refused(error.detail, error.status_code)


async def _away(request: Request, error: Exception) -> Response:
    log.warning("a request was refused: the records cannot be read", path=request.url.path, why=str(error))
    response = _refused(read_model.RECORDS_AWAY, HTTPStatus.SERVICE_UNAVAILABLE)
    response.headers.update(read_model.RECORDS_AWAY_HEADERS)
    return response


# The exception handlers of every application behind the gate that answers in JSON.
_HANDLERS: Mapping[Any, Callable[[Request, Exception], Awaitable[Response]]] = {
    HTTPException: _in_json,
    DatabaseError: _away,
}


def with_secrets(app: AsgiApp, context: HostContext) -> ASGIApp:
    """Lets the handlers of admin requests see what no other port shows: what the functions below give."""

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, _KEY: context}, receive, send)

    return serve


def attacks_of(request: Request) -> Sequence[Attack]:
    """The admin API's answer about attacks: names lately tried with wrong secrets, the most tried first."""
    # Without a name are tries of this listener's token; they are among the refusals.
    return [one for one in _context_of(request).attacks() if one.name]


def refusals_of(request: Request) -> Sequence[Trouble]:
    """The admin API's answer about refusals: guessed secrets and tokens, unknown host names."""
    context = _context_of(request)
    return refusals(context.attacks(), context.own_names.refused)


def roll_call_of(request: Request, lobby: AdminLobbyView) -> RollCall | None:
    """The roll call in the admin API: the server's roster compared with the players here; None without a roster."""
    return _context_of(request).roll_call(lobby)


async def wire_log_of(request: Request, player: str) -> str | None:
    """The admin API's answer when asked for a player's wire log; None if there is none, or none are kept."""
    # In a thread: files of megabytes are read and searched.
    return await trio.to_thread.run_sync(_context_of(request).wire_log_of, player)


def _context_of(request: Request) -> HostContext:
    found: HostContext = request.scope[_KEY]
    return found


async def _status(request: Request) -> Response:
    shown = CONVERTER.unstructure(await admin_lobby(request))
    return _answer({"version": version("gameserver")} | shown | {"attacks": CONVERTER.unstructure(attacks_of(request))})


async def _kick(request: Request) -> Response:
    act = await _body_of(request, _TeacherCommand)
    return await _carry_out(request, Kick(request.path_params["player"], act.why, act.by))


async def _void(request: Request) -> Response:
    act = await _body_of(request, _TeacherCommand)
    return await _carry_out(request, Void(request.path_params["match"], act.why, act.by))


async def _drain(request: Request) -> Response:
    stop = await _body_of(request, Stop)
    shown = await admin_lobby(request)
    await answer_of(request, Drain(round(stop.within_s * 1000), stop.why, stop.by))
    return _answer({"done": True, "matches": len(shown.matches), "within_s": stop.within_s})


async def _ladders(request: Request) -> Response:
    """The open ladders, with what goes on there."""
    read_model = read_model_of(request)
    lobby_view, found = await read_model.latest(exact=True), []
    for row in lobby_view.ladders.values():
        history = await read_model.ladder(row.game)
        found.append(
            {
                "game": row.game,
                "since_wall_ms": row.since_wall_ms,
                "players": len(history.players),
                "matches_a_day": history.matches_a_day,
                "waits_for": lobby_view.event_at(row.game),
            }
        )
    return _answer({"ladders": found})


async def _set_ladder(request: Request) -> Response:
    signed = await _body_of(request, _Signed)
    game, is_open = request.path_params["game"], request.url.path.endswith("/open")
    await answer_of(request, SetLadder(game, is_open, signed.by))
    games = (await read_model_of(request).latest(exact=True)).games
    return _answer({"done": True, "game": next(name for name in games if name.lower() == game.lower())})


async def _wire_log(request: Request) -> Response:
    player = request.query_params.get("player", "")
    found = await wire_log_of(request, player)
    if found is None:
        raise HTTPException(
            HTTPStatus.NOT_FOUND, f"there is no wire log of {player!r}; set wire_log.directory to keep wire logs"
        )
    # RFC 6266: the file name is the ASCII part of the player's name. If none is left, the browser chooses one.
    name = "".join(letter for letter in player if letter.isascii() and letter.isalnum())
    disposition = f'attachment; filename="wire-log-{name}.txt"'
    return PlainTextResponse(found, headers={"Content-Disposition": disposition, "Cache-Control": "no-store"})


async def admin_lobby(request: Request) -> AdminLobbyView:
    """The whole lobby for the admin API, including the effect of every act that was answered."""
    return (await read_model_of(request).latest(exact=True)).admin


def _player_meant(request: Request, name: str, gammonx_id: str = "") -> str:
    """The name under which the player will be here. Raises `HTTPException` (400) if the server's roster has another.

    The roster that the server has read decides under which name a client plays. A GUID that it does not know would be
    entered as a player who never comes. `gammonx_id` is what the teacher's table has beside the name.
    """
    if not is_guid(name) and not gammonx_id:
        return name
    students = {one.gammonx_id: one.name for one in _context_of(request).students() if one.gammonx_id}
    if is_guid(name):
        found = students.get(name.lower())
        if found is None:
            raise HTTPException(
                HTTPStatus.BAD_REQUEST,
                f"{name} is the PlayerId of a GammonX client, and no player has it as a name; put it into the column "
                "gammonx_id of the server's roster (lobby.roster), beside the student's name",
            )
        return found
    if students.get(gammonx_id.lower()) != name:
        raise HTTPException(
            HTTPStatus.BAD_REQUEST,
            f"the server's roster (lobby.roster) does not give the gammonx_id {gammonx_id} to {name}, so that client "
            "would come as another player; let lobby.roster name this table",
        )
    return name


@value
class _Named:
    """A player whom the teacher enters: a name, and a rating for the seeding."""

    player: str
    rating: int = _RATING
    team: str = field(default="", validator=validators.max_len(TEAM_LENGTH_MAX))
    gammonx_id: str = ""
    """The GUID that the teacher's table has beside the name; the server's roster has to agree."""


@value
class Creation:
    """An admin request to create a tournament: a preset's plan, with changes to some of its fields."""

    preset: str
    name: str
    game: str
    changes: Mapping[str, Any] = Factory(dict)
    entry: EntryMode = EntryMode.LOGGED_IN
    roster: tuple[_Named, ...] = field(default=(), validator=validators.max_len(ENTRANTS_MAX))
    by: str = _BY
    why: str = _WHY
    within_ms: int = field(default=0, validator=[validators.ge(0), validators.le(86_400_000)])
    """The time from now within which it has to be over; 0 for no such limit."""


@value
class _Signed:
    by: str = _BY


@value
class _Exporting:
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
    return _answer({"tournaments": [as_json(one) for one in listed]})


async def _view(request: Request) -> Response:
    summary = await _summary_of(request, request.path_params["tournament"])
    read_model = read_model_of(request)
    view = await read_model.tournament(summary.number, exact=True)
    assert view is not None, "a tournament stays on record"
    # The view may have been made a while ago. Nothing has happened since, but time has passed.
    lobby_view = await read_model.latest(exact=True)
    waiting = lobby_view.waiting_json(summary.number, read_model.now_ms())
    invitation = read_model.invitation(summary.number)
    facts = {"eta_ms": summary.eta_ms, "warnings": summary.warnings, "join": invitation.url if invitation else ""}
    gathering = lobby_view.gathering(summary.number)
    return _answer(as_json(view) | facts | waiting | {"gathering": gathering and asdict(gathering)})


async def _export(request: Request) -> Response:
    summary, kind = await _summary_of(request, request.path_params["tournament"]), request.path_params["kind"]
    if kind not in EXPORTS:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no such file; possible are {', '.join(EXPORTS)}")
    asked = await _body_of(request, _Exporting) if request.method == "POST" else _Exporting()
    style = request.query_params.get("csv")
    # They are in the teacher's roster alone: neither the lobby nor the journal nor the records have them, and no page.
    student_ids = {**_context_of(request).student_ids(), **asked.student_ids}
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


async def _check(request: Request) -> Response:
    warnings, sentences = await check(request, await _body_of(request, Creation))
    return _answer({"warnings": warnings, "forecast": sentences})


async def check(request: Request, wanted: Creation) -> tuple[Sequence[str], Sequence[str]]:
    """Look at the tournament that an admin request would create: what would hurt it, and its forecast, in sentences."""
    lobby_view = await read_model_of(request).latest(exact=True)
    plan = _plan(wanted, has_own_clock=lobby_view.has_own_clock)
    named = [_player_meant(request, one.player, one.gammonx_id) for one in wanted.roster]
    if plan.game.lower() not in map(str.lower, lobby_view.games):
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"there is no game {plan.game!r}")
    sentences, objection = await forecast_before(request, plan, wanted.entry, named, wanted.within_ms)
    warnings = await warnings_before(request, plan, wanted.entry, named)
    return (*warnings, objection) if objection else warnings, sentences


async def _forecast(request: Request) -> Response:
    number = (await _summary_of(request, request.path_params["tournament"])).number
    terms = (await read_model_of(request).latest(exact=True)).gathering_terms(number)
    if terms is None:
        return _answer({"forecast": await forecast_left(request, number)})
    view = await read_model_of(request).tournament(number, exact=True)
    assert view is not None, "a tournament that gathers its players is in the lobby"
    sentences, _ = await forecast_before(request, *terms, [line.name for line in view.standings])
    return _answer({"forecast": sentences})


async def forecast_before(
    request: Request, plan: Plan, entry: EntryMode, entered: Sequence[str], within_ms: int | None = 0
) -> tuple[Sequence[str], str]:
    """The admin API's forecast of a tournament that begins now, and an objection if it may not end in time."""
    return await _context_of(request).forecast_before(plan, entry, entered, within_ms)


async def forecast_left(request: Request, number: int) -> Sequence[str]:
    """The admin API's forecast of the time that a running tournament still takes; none if it does not run."""
    return await _context_of(request).forecast_left(number)


async def warnings_before(request: Request, plan: Plan, entry: EntryMode, entered: Sequence[str]) -> Sequence[str]:
    """The admin API's answer if it is asked which settings would hurt a tournament; a sentence for each."""
    return await _context_of(request).warnings_before(plan, entry, entered)


async def _create(request: Request) -> Response:
    return _answer(as_json(await create(request, await _body_of(request, Creation))), HTTPStatus.CREATED)


async def create(request: Request, wanted: Creation) -> AdminTournamentView:
    """Create the tournament that an admin request asks for. Raises `HTTPException` with the reason if it is refused."""
    roster = tuple(
        RegisterEntrant(_player_meant(request, one.player, one.gammonx_id), one.rating, team=one.team, by=wanted.by)
        for one in wanted.roster
    )
    lobby_view = await read_model_of(request).latest(exact=True)
    plan = _plan(wanted, has_own_clock=lobby_view.has_own_clock)
    if wanted.within_ms and plan.game.lower() in map(str.lower, lobby_view.games):
        named = [one.player for one in roster]
        _, objection = await forecast_before(request, plan, wanted.entry, named, wanted.within_ms)
        if objection:
            raise HTTPException(HTTPStatus.BAD_REQUEST, objection)
    # The seed of lots and dice: a player who knew it beforehand could gain by it.
    command = CreateTournament(plan, secrets.token_hex(32), wanted.entry, roster, wanted.by, wanted.why)
    created = (await answer_of(request, command)).answer
    assert isinstance(created, TournamentCreated), "the other answer is a refusal, which `answer_of` raises"
    return await _summary_of(request, created.number)


def _plan(wanted: Creation, *, has_own_clock: bool) -> Plan:
    """The preset's plan with the changes. A time for a turn in the server's settings goes before the preset's."""
    chosen = {"clock": None} if has_own_clock else {}
    try:
        return preset(wanted.preset, wanted.name, wanted.game, **chosen | _settings(wanted.changes))
    except (ValueError, TypeError) as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, str(error.args[0] if error.args else error)) from error


def _settings(changes: Mapping[str, Any]) -> dict[str, Any]:
    """A plan's fields from JSON: a list becomes a tuple."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in changes.items()}


async def _conduct(request: Request) -> Response:
    number, name = request.path_params["tournament"], act_name(request)
    await carry_out_act(request, number, act_of(name, await _json_of(request)))
    return _answer(as_json(await _summary_of(request, request.path_params["tournament"])))


def act_name(request: Request) -> str:
    """The name of the act in the path of an admin API request. Raises `HTTPException` (404)."""
    name: str = request.path_params["act"]
    if name not in teacher_acts():
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no such action; possible are {', '.join(teacher_acts())}")
    return name


def act_of(name: str, raw: Any) -> Act:
    """Read an act upon a tournament from an admin request's JSON. Raises `HTTPException` (400).

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
        values["now_ms"] = 0  # the lobby puts in its own time as it decides
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


async def carry_out_act(request: Request, number: int, act: Act) -> None:
    """Carries out an act sent to the admin API; its tournament is restored from the records if need be.

    Raises `HTTPException` with the reason if it is refused.
    """
    if isinstance(act, RegisterEntrant):
        act = evolve(act, player=_player_meant(request, act.player))
    read_model = read_model_of(request)
    if not (await read_model.latest(exact=True)).has_tournament(number):
        command = await read_model.read(lambda reader: reader.restoring(number))
        if command is not None:
            spec = spec_of(act)
            # Judged before it is restored: a refused act is to leave the lobby as it was.
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


ENDPOINT = HttpEndpoint(
    "/api",
    cast(
        "AsgiApp",
        Starlette(
            routes=[
                Route("/status", _status),
                Route("/wire-log", _wire_log),
                Route("/drain", _drain, methods=["POST"]),
                Route("/ladders", _ladders),
                Route("/ladders/{game}/open", _set_ladder, methods=["POST"]),
                Route("/ladders/{game}/close", _set_ladder, methods=["POST"]),
                Route("/players/{player:path}/kick", _kick, methods=["POST"]),
                Route("/matches/{match:int}/void", _void, methods=["POST"]),
            ],
            exception_handlers=_HANDLERS,
        ),
    ),
)

APPLICATION = cast(
    "AsgiApp",
    Starlette(
        routes=[
            Route("/", _list),
            Route("/", _create, methods=["POST"]),
            Route("/check", _check, methods=["POST"]),
            Route("/{tournament:int}", _view),
            Route("/{tournament:int}/forecast", _forecast),
            Route("/{tournament:int}/export/{kind}", _export, methods=["GET", "POST"]),
            Route("/{tournament:int}/{act}", _conduct, methods=["POST"]),
        ],
        exception_handlers=_HANDLERS,
    ),
)
