"""Helpers that handlers behind the gate share: read a body, carry out a command, answer in JSON.

    async def void(request: Request) -> Response:
        act = await body_of(request, Act)
        return await carry_out(request, Void(number, act.why, act.by))

`carry_out` answers only once the command is in the journal: with 200, or with 409 and the reason.
"""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

import orjson
import structlog
from attrs import field, validators
from cattrs import transform_error
from cattrs.preconf.orjson import make_converter
from cattrs.v import format_exception
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gameserver.core.commands import Command
from gameserver.core.events import Code, Event, Rejected
from gameserver.database.connection import DatabaseError
from gameserver.endpoints import LobbyReply, lobby_of
from gameserver.read_model import records_away
from gameserver.read_model.view_json import teach_views
from gameserver.values import value

log = structlog.get_logger()

T = TypeVar("T")

TEXT_LENGTH_MAX = 500

CONVERTER = make_converter(forbid_extra_keys=True)
teach_views(CONVERTER)

REFUSALS: Mapping[Code, str] = {
    Code.UNKNOWN_PLAYER: "there is no player '{player}' here",
    Code.UNKNOWN_GAME: "there is no game {game}",
    Code.STOPPING: "the server is about to stop, no new matches start",
    Code.STALE: "there is no such match, or it is over",
    Code.UNKNOWN_TOURNAMENT: "there is no tournament {tournament}",
    Code.TOURNAMENT_REFUSED: "{why}",
    Code.SERVER_FAULT: "{why}",
}
"""Messages for the refusals that a teacher can meet. Other refusals are shown as their code and facts."""


@value
class TeacherCommand:
    """The author of an act and the reason for it. Both are journaled."""

    why: str = field(validator=[validators.min_len(1), validators.max_len(TEXT_LENGTH_MAX)])
    by: str = field(default="the admin listener", validator=[validators.min_len(1), validators.max_len(100)])


@value
class Stop(TeacherCommand):
    """A stop that waits for the running matches, for `within_s` seconds at most."""

    why: str = field(default="the server is to stop", validator=validators.max_len(TEXT_LENGTH_MAX))
    within_s: float = field(default=300.0, validator=[validators.ge(0), validators.le(86_400)])


def answer(content: Any, status: int = HTTPStatus.OK) -> Response:
    """A response in JSON. An attrs instance becomes an object."""
    body = orjson.dumps(CONVERTER.unstructure(content), option=orjson.OPT_APPEND_NEWLINE)
    return Response(body, status, media_type="application/json")


def refused(why: str, status: int) -> Response:
    """A refusal in JSON."""
    return answer({"error": why}, status)


async def body_of(request: Request, kind: type[T]) -> T:
    """The request's JSON as an attrs class. Raises `HTTPException` (400) that names what is wrong."""
    return fitted(await json_of(request), kind)


async def json_of(request: Request) -> Any:
    """The request's JSON; an empty body is an empty object. Raises `HTTPException` (400)."""
    try:
        return orjson.loads(await request.body() or b"{}")
    except orjson.JSONDecodeError as error:
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"the body should be JSON: {error}") from error


def fitted(raw: Any, kind: type[T]) -> T:
    """The received value as an attrs class. Raises `HTTPException` (400) that names what is wrong."""
    try:
        return CONVERTER.structure(raw, kind)
    except Exception as error:
        faults = "; ".join(transform_error(error, path="$", format_exception=_fault))
        raise HTTPException(HTTPStatus.BAD_REQUEST, f"the body does not fit: {faults}") from error


async def answer_of(request: Request, command: Command) -> LobbyReply:
    """Ask the lobby to carry out a command. Raises `HTTPException` (409) if it refuses."""
    heard = await lobby_of(request).ask(command)
    if isinstance(heard.answer, Rejected):
        raise HTTPException(HTTPStatus.CONFLICT, sentence(heard.answer))
    return heard


async def carry_out(request: Request, command: Command) -> Response:
    """Carry out a command; the events that came back are in the answer."""
    heard = await answer_of(request, command)
    return answer({"done": True, "events": [_shown(event) for event in heard.events]})


def sentence(rejected: Rejected) -> str:
    """A refusal of the lobby as a sentence for people."""
    known = REFUSALS.get(rejected.code)
    if known is not None:
        return known.format_map(rejected.facts)
    facts = ", ".join(f"{name} {value}" for name, value in rejected.facts.items())
    return f"{rejected.code.value} ({facts})" if facts else rejected.code.value


def _shown(event: Event) -> dict[str, Any]:
    return {"event": type(event).__name__, **CONVERTER.unstructure(event)}


def _fault(error: BaseException, kind: type | None) -> str:
    if isinstance(error, ValueError) and error.args:
        return str(error.args[0])
    return format_exception(error, kind)


async def _in_json(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for nothing else"
    return refused(error.detail, error.status_code)


async def _away(request: Request, error: Exception) -> Response:
    log.warning("a request was refused: the records cannot be read", path=request.url.path, why=str(error))
    response = refused(records_away.TEXT, HTTPStatus.SERVICE_UNAVAILABLE)
    response.headers.update(records_away.HEADERS)
    return response


HANDLERS: Mapping[Any, Callable[[Request, Exception], Awaitable[Response]]] = {
    HTTPException: _in_json,
    DatabaseError: _away,
}
"""The exception handlers of every application behind the gate that answers in JSON."""
