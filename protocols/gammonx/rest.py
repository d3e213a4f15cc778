"""REST: where a match begins. An application under `/api/matches`.

    GET  /                      the server is there
    POST /join                  look for an opponent
    POST /queues/{id}           how does the search stand (GET too, as the later document has it)
    POST /queues/{id}/cancel    give it up

The document's client joins and goes to the hub at once, where it waits. Asking and giving up are of a later document; a
client that does not know them loses nothing.

The body of a request is read as strictly as ASP.NET Core does it. Names are read in any case, GUIDs with their hyphens,
enums as numbers alone; absent members have their defaults. What cannot be read is told member by member.
"""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar

import attrs
import orjson
from attrs import evolve
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gameserver.protocol import (
    Against,
    Book,
    Code,
    LobbyClient,
    LobbyReply,
    RecallTicket,
    Rejected,
    ShowTicket,
    TicketShown,
    TicketStatus,
    Unbook,
    lobby_of,
)
from protocols.gammonx import schema
from protocols.gammonx.profiles import GammonXProfile, not_a_guid, reason
from protocols.gammonx.schema import (
    CONVERTER,
    GAME_OF,
    LENGTH_OF,
    NIL,
    MatchModus,
    MatchType,
    MatchVariant,
    QueueStatus,
    match_guid,
    player_name,
    read_guid,
)
from protocols.gammonx.session import TOKEN_PREFIX
from protocols.wording import filled

JSON = "application/json; charset=utf-8"

_PROBLEM_JSON = "application/problem+json; charset=utf-8"

_AGAINST: Mapping[MatchModus, Against] = {
    MatchModus.NORMAL: Against.ANYBODY,
    MatchModus.RANKED: Against.RATED,
    MatchModus.BOT: Against.HOUSE,
}

_JOIN_FAILED = "An error occurred while creating the match lobby"

_HERE_ALREADY = (
    "{name} has this PlayerId, and is logged in by another connection. Log out there, or join with the secret of "
    "{name}, if the teacher has given one out, as 'Authorization: Bearer SECRET'"
)

_NO_SECRETS = (TOKEN_PREFIX, "eyJ")
"""The beginnings of bearer tokens that are no secrets of the roster: ours, and JSON Web Tokens (RFC 7519, 3.1)."""

RequestT = TypeVar("RequestT")

EnumT = TypeVar("EnumT", MatchVariant, MatchModus, MatchType)

Errors = Mapping[str, list[str]]


class BadBody(Exception):
    """The body of a GammonX REST request cannot be read; `errors` says of each member what is wrong with it."""

    def __init__(self, errors: Errors) -> None:
        super().__init__("One or more validation errors occurred.")
        self.errors = errors


class _RequestRefused(Exception):
    """The request is refused, by a code and a sentence of the document's. `is_last` ends the connection with it."""

    def __init__(self, code: str, message: str, *, is_last: bool = False) -> None:
        super().__init__(message)
        self.error = schema.RequestError(code, message)
        self.is_last = is_last


class _Unsupported(Exception):
    """The body is of another type than JSON."""


def matches_app(profile: GammonXProfile) -> Starlette:
    """Makes the application that answers the GammonX REST requests under `/api/matches`."""
    app = Starlette(
        routes=[
            Route("/", _alive),
            Route("/join", _join, methods=["POST"]),
            # The later document says GET, its server takes POST.
            Route("/queues/{queue_id}", _show, methods=["GET", "POST"]),
            Route("/queues/{queue_id}/cancel", _cancel, methods=["POST"]),
        ],
        exception_handlers={_RequestRefused: _refused, BadBody: _bad_body, _Unsupported: _unsupported},
    )
    app.state.profile = profile
    return app


async def _alive(_: Request) -> Response:
    # Clients look here whether the server is there; they want 200, and no body.
    return Response(b"")


async def _join(request: Request) -> Response:
    wanted = await _read(request, schema.JoinRequest)
    lobby = lobby_of(request)
    match_id, token = _book_ids(_profile(request), lobby, wanted)
    shown = _bearer(request)
    secret = "" if shown.startswith(_NO_SECRETS) else shown
    booking = evolve(_booking(_profile(request), lobby, wanted, match_id, token), secret=secret)
    told = await lobby.ask(booking)
    if isinstance(told.answer, Rejected):
        is_last = told.answer.code is Code.PROOF_TOO_OFTEN
        refusal = _join_refusal(_profile(request), wanted, told.answer)
        if told.answer.code is Code.IN_MATCH and (known := await _known_match(request, wanted.player_id)):
            refusal += f" Its matchId is {known}."
        raise _RequestRefused("JOIN_ERROR", refusal, is_last=is_last)
    # A client that asks again because an answer was lost gets the existing ticket.
    found = _shown(told)
    # 2026 always answers that the player waits, and names the match once it is asked for.
    if _profile(request).polls:
        return _ok(schema.Joined(None, found.ticket, QueueStatus.WAITING_FOR_OPPONENT, token))
    # Both ids and the status: clients of either generation find theirs.
    return _ok(schema.Joined(_public_id(found), found.ticket, _status(found), token))


async def _known_match(request: Request, player_id: str) -> str:
    """The id of the match that a player is in, for a client that has lost it; empty if it may not be told."""
    lobby, token = lobby_of(request), _bearer(request)
    shown_token = token if token.startswith(TOKEN_PREFIX) else ""
    told = await lobby.ask(RecallTicket(lobby.session, player_id, lobby.address, shown_token))
    return "" if isinstance(told.answer, Rejected) else _public_id(_shown(told))


def _bearer(request: Request) -> str:
    """The proof of the player: a secret of the roster, or a token."""
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else ""


def _profile(request: Request) -> GammonXProfile:
    profile: GammonXProfile = request.app.state.profile
    return profile


def _book_ids(profile: GammonXProfile, lobby: LobbyClient, wanted: schema.JoinRequest) -> tuple[str, str]:
    """A new match id and its token. Raises `_RequestRefused` where the modus is none."""
    if profile.unknown_modus is not None and wanted.match_modus not in set(MatchModus):
        raise _RequestRefused("JOIN_ERROR", profile.unknown_modus)
    modus = _chosen(MatchModus, "MatchModus", wanted.match_modus)
    return match_guid(lobby.new_id(), modus), f"{TOKEN_PREFIX}{lobby.new_id()}"


def _booking(
    profile: GammonXProfile, lobby: LobbyClient, wanted: schema.JoinRequest, match_id: str, token: str
) -> Book:
    # ASP.NET Core reads an absent GUID as this one.
    if wanted.player_id == NIL:
        raise _RequestRefused("JOIN_ERROR", f"{_JOIN_FAILED}: the PlayerId is missing; choose a GUID and keep it")
    variant = _chosen(MatchVariant, "MatchVariant", wanted.match_variant)
    modus = _chosen(MatchModus, "MatchModus", wanted.match_modus)
    kind = _chosen(MatchType, "MatchType", wanted.match_type)
    return Book(
        session=lobby.session,
        ticket=match_id,
        player=player_name(wanted.player_id),
        identity=wanted.player_id,
        address=lobby.address,
        game=GAME_OF[variant],
        options={"length": LENGTH_OF[kind].value},
        seat_options={"by_hand": True, "plays_opening_dice": profile.opens_with_dice},
        against=_AGAINST[modus],
        open_to_queue=modus is MatchModus.NORMAL and kind is MatchType.CASH_GAME,
        token=token,
    )


def _chosen(kind: type[EnumT], name: str, number: int) -> EnumT:
    try:
        return kind(number)
    except ValueError as error:
        known = ", ".join(f"{each.value} {each.name.title().replace('_', '')}" for each in kind)
        raise _RequestRefused("JOIN_ERROR", f"{_JOIN_FAILED}: there is no {name} {number}, only {known}") from error


def _join_refusal(profile: GammonXProfile, wanted: schema.JoinRequest, rejected: Rejected) -> str:
    if rejected.code is Code.TICKET_OPEN:
        return profile.already_searching.format(player=wanted.player_id)
    if rejected.code is Code.NAME_TAKEN:
        return f"{_JOIN_FAILED}: {filled(_HERE_ALREADY, rejected.facts)}"
    return f"{_JOIN_FAILED}: {reason(rejected)}"


async def _show(request: Request) -> Response:
    queue_id, asked = await _queue_request(request)
    lobby = lobby_of(request)
    told = await lobby.ask(ShowTicket(lobby.session, queue_id, asked.player_id))
    if isinstance(told.answer, Rejected):
        raise _RequestRefused("QUEUE_ERROR", "No queue entry or match lobby found with the given queue id")
    shown = _shown(told)
    status = _status(shown)
    if status is QueueStatus.OPPONENT_FOUND:
        return _ok(schema.QueueState(None, status, _public_id(shown)))
    return _ok(schema.QueueState(queue_id, status, None))


async def _cancel(request: Request) -> Response:
    queue_id, asked = await _queue_request(request)
    lobby = lobby_of(request)
    told = await lobby.ask(Unbook(lobby.session, queue_id, asked.player_id))
    if isinstance(told.answer, Rejected):
        found = told.answer.code is Code.TICKET_SEATED
        raise _RequestRefused(
            "QUEUE_ERROR", reason(told.answer) if found else "No queue entry found with the given queue id"
        )
    return _ok(schema.QueueState(queue_id, QueueStatus.DISCARDED, None))


async def _queue_request(request: Request) -> tuple[str, schema.QueueRequest]:
    if request.method == "GET":
        asked = schema.QueueRequest(read_guid(request.query_params.get("playerId")) or NIL)
    else:
        asked = await _read(request, schema.QueueRequest)
    text = request.path_params["queue_id"]
    queue_id = read_guid(text)
    if queue_id is None:
        raise _RequestRefused("QUEUE_ERROR", not_a_guid("queueId", text))
    return queue_id, asked


def _shown(told: LobbyReply) -> TicketShown:
    return next(event for event in told.events if isinstance(event, TicketShown))


def _public_id(shown: TicketShown) -> str:
    """The id by which both players are told of the match."""
    return shown.public_id or shown.ticket


def _status(shown: TicketShown) -> QueueStatus:
    return QueueStatus.WAITING_FOR_OPPONENT if shown.status is TicketStatus.WAITING else QueueStatus.OPPONENT_FOUND


async def _read(request: Request, kind: type[RequestT]) -> RequestT:
    # ASP.NET Core answers any other type with 415.
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise _Unsupported
    return read_body(await request.body(), kind)


def _ok(payload: Any) -> Response:
    return Response(_write_body(schema.Response("OK", payload)), media_type=JSON)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, _RequestRefused), "as it is registered"
    body = _write_body(schema.Response("ERROR", error.error))
    # So that the next guess of a secret needs a connection, of which only so many come at once.
    headers = {"Connection": "close"} if error.is_last else None
    return Response(body, HTTPStatus.BAD_REQUEST, headers, media_type=JSON)


async def _bad_body(request: Request, error: Exception) -> Response:
    assert isinstance(error, BadBody), "as it is registered"
    return _problem(request, HTTPStatus.BAD_REQUEST, str(error), "15.5.1", error.errors)


async def _unsupported(request: Request, _: Exception) -> Response:
    return _problem(request, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Unsupported Media Type", "15.5.16")


def _problem(request: Request, status: HTTPStatus, title: str, section: str, errors: Errors | None = None) -> Response:
    """The answer of ASP.NET Core itself, by RFC 9457."""
    problem: dict[str, Any] = {
        "type": f"https://tools.ietf.org/html/rfc9110#section-{section}",
        "title": title,
        "status": int(status),
    }
    if errors is not None:
        problem["errors"] = errors
    # A W3C trace id, as ASP.NET Core writes it; nothing is traced here.
    trace = match_guid(lobby_of(request).new_id(), MatchModus.NORMAL).replace("-", "")
    problem["traceId"] = f"00-{trace}-{trace[:16]}-00"
    return Response(_write_body(problem), status, media_type=_PROBLEM_JSON)


def read_body(body: bytes, kind: type[RequestT]) -> RequestT:
    """Reads the body of a GammonX REST request as strictly as ASP.NET Core does. Raises `BadBody`."""
    members = _members(body)
    given: dict[str, Any] = {}
    errors: dict[str, list[str]] = {}
    for field in attrs.fields(kind):  # type: ignore[arg-type]  # a class of the schema
        # Errors name members as the document writes them; what is read counts in any case.
        name = _pascal_case(field.name)
        if name.lower() not in members:
            continue
        read, what = _READERS[field.type]
        value = read(members[name.lower()])
        if value is None:
            errors[f"$.{name}"] = [f"The JSON value could not be converted to {what}."]
        given[field.name] = value
    if errors:
        raise BadBody({"req": ["The req field is required."], **errors})
    return kind(**given)


def _members(body: bytes) -> dict[str, Any]:
    if not body.strip():
        raise BadBody({"": ["A non-empty request body is required."], "req": ["The req field is required."]})
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadBody({"$": [f"The body is not JSON: {error}."], "req": ["The req field is required."]}) from error
    if not isinstance(found, dict):
        raise BadBody({"$": ["The JSON value must be an object."], "req": ["The req field is required."]})
    return {name.lower(): value for name, value in found.items()}


def _pascal_case(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _read_number(value: object) -> int | None:
    return value if type(value) is int and -(1 << 31) <= value < 1 << 31 else None


_READERS: Mapping[Any, tuple[Callable[[object], Any], str]] = {
    str: (read_guid, "a GUID such as fdd907ca-794a-43f4-83e6-cadfabc57c45"),
    int: (_read_number, "a number; enums are written as numbers, not as names"),
}
"""Readers of each type's values, with the type's name for refusals."""


def _write_body(payload: Any) -> bytes:
    written: bytes = CONVERTER.dumps(payload)
    return written
