"""A player's own page, for after a loss: think times, network and wire log, which nobody else is shown.

A visitor shows the name's secret (HTTP Basic, RFC 7617), or comes by the link that `get match` gives to a player who is
logged in. Without a roster anybody may use any name, so there only a link can tell whose a page is, and the page begins
with the login by which the link was given. For the same reason it is about one hall: in another one, somebody else may
have the name.
"""

import binascii
import io
import zipfile
from base64 import b64decode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from http import HTTPStatus
from math import log10
from urllib.parse import urlencode
from xml.sax.saxutils import quoteattr

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.check.scenario import Scenario, of_package
from gameserver.endpoints import lobby_of
from gameserver.read_model.read_model import ReadModel, read_model_of
from gameserver.read_model.views import Owner, OwnLog
from gameserver.records.match_record import MatchRecord, SeatRecord, SeatResult, time_of_day
from gameserver.records.player_stats import OWN_MOVES_MAX, MoveTimes, OwnMove, ThinkTimes, think_times
from gameserver.records.reader import PAGE_MATCHES_MAX, MatchHead, Wanted
from gameserver.records.store import small_file
from gameserver.tournaments.csv_text import csv_text
from gameserver.values import value
from gameserver.web.records import result_of_head
from gameserver.web.responses import number_in
from gameserver.web.templating import render
from gameserver.wire_log.owner_access import NotShown, raise_unproven

_MATCHES_SHOWN = 50
_SLOWEST_SHOWN = 8
_SCENARIOS_SHOWN = 4  # for each reason of a loss
_LINES_SHOWN = 200
# The latest matches that the archive has in full, to be played again: each takes a millisecond to read.
_REPLAYABLE_MAX = 500
# From this part of the limit on a move is slow: a busier machine, or the network of the event, may cost the match.
_SLOW_SHARE = 0.5

_MATCH_COLUMNS = (
    *("match", "game", "opened_at", "ended_at", "opponents", "result", "points", "reason", "why"),
    *("round_trip_us", "round_trip_deviation_us", "segments_resent"),
)
_MOVE_COLUMNS = ("match", "game", "number", "move", "think_ms", "lag_ms", "limit_ms")

# RFC 7617, 2.1: without `charset` it is not defined how a browser encodes what is typed.
_CHALLENGE = {"WWW-Authenticate": 'Basic realm="Your name and your secret", charset="UTF-8"'}
_CLOSE = {"Connection": "close"}

# The drawing of think times, in units of the SVG.
_BARS = 10
_WIDTH, _HEIGHT = 480, 180
_LEFT, _RIGHT, _TOP, _BOTTOM = 8, 472, 20, 146
_GAP = 4


def own_routes(scenarios: Mapping[str, str]) -> list[BaseRoute]:
    """The routes of a player's own page, of everything on it as one file, and of the own wire log.

    `scenarios` are the packages with the scenarios of `gameserver check`, by the name of their protocol.
    """
    return [
        Route("/own", partial(_own_page, scenarios)),
        Route("/own/everything.zip", _everything),
        Route("/wire-log", _own_log),
    ]


@value
class _OwnMatch:
    head: MatchHead
    own: SeatRecord
    opponents: str
    times: ThinkTimes | None
    """None where the player made no move."""


@value
class _OwnFigures:
    """Everything on the page but the wire log."""

    lag: MoveTimes | None
    losses: Sequence[tuple[str, int]]
    """The reasons of losses, the most frequent reason first."""
    matches: tuple[_OwnMatch, ...]
    moves: tuple[OwnMove, ...]
    older: int | None
    """The number before which more matches are found."""

    @property
    def slowest(self) -> Sequence[OwnMove]:
        """The player's moves that took the largest parts of their limits."""
        slow = [move for move in self.moves if move.share >= _SLOW_SHARE]
        return sorted(slow, key=lambda move: -move.share)[:_SLOWEST_SHOWN]


async def _figures(read_model: ReadModel, owner: Owner, before: int | None) -> _OwnFigures:
    player = owner.player
    heads = await read_model.read(lambda reader: reader.heads(Wanted(before, player, count=_MATCHES_SHOWN)))
    moves = await read_model.read(lambda reader: reader.own_moves(player, before))
    career = await read_model.read(lambda reader: reader.career(player))
    lag, losses = career.lag, career.losses
    older = heads[-1].match if len(heads) == _MATCHES_SHOWN else None
    # A link proves one session: without a roster, somebody else may have had the name before.
    if owner.session is not None:
        heads = _own_heads(heads, owner)
        shown = {head.match for head in heads}
        moves = tuple(move for move in moves if move.match in shown)
        lost = (head.reason for head in heads if _seat_of(head, player).result is SeatResult.LOSS)
        lag, losses = None, tuple(Counter(lost).most_common())
        older = older if len(heads) == _MATCHES_SHOWN else None
    times = think_times(moves)
    return _OwnFigures(
        lag=lag,
        losses=losses,
        matches=tuple(_line_of(head, player, times.get(head.match)) for head in heads),
        moves=moves,
        older=older,
    )


def _own_heads(heads: Sequence[MatchHead], owner: Owner) -> tuple[MatchHead, ...]:
    """The matches that are the owner's for certain, whoever had the name before."""
    since = time_of_day(owner.since_ms)
    return tuple(head for head in heads if head.ended_at > since)


def _seat_of(head: MatchHead, player: str) -> SeatRecord:
    return next(seat for seat in head.seats if seat.player == player)


def _line_of(head: MatchHead, player: str, times: ThinkTimes | None) -> _OwnMatch:
    own = _seat_of(head, player)
    return _OwnMatch(head, own, _opponents(head, own), times)


def _opponents(head: MatchHead, own: SeatRecord) -> str:
    return ", ".join(seat.player for seat in head.seats if seat is not own)


async def _own_page(scenarios: Mapping[str, str], request: Request) -> Response:
    owner, query = await _visitor_of(request)
    read_model = read_model_of(request)
    before = number_in(request.query_params.get("before", ""))
    figures = await _figures(read_model, owner, before)
    log, why_none = await _log_of(read_model, owner)
    page = render(
        "own.html",
        here="",
        json_url="",
        name=owner.player,
        figures=figures,
        rehearsed=await read_model.read(lambda _: _rehearsed(figures.matches, scenarios)),
        graph=think_graph(figures.moves),
        moves_max=OWN_MOVES_MAX,
        result_of=result_of_head,
        older=f"/own?{urlencode({**query, 'before': figures.older})}" if figures.older else "",
        lines=() if log is None else log.lines[-_LINES_SHOWN:],
        mishaps=[] if log is None else [line for line in log.lines if line.mishap][-_LINES_SHOWN:],
        why_no_log=why_none,
        is_partial=owner.session is not None,
        everything=f"/own/everything.zip?{urlencode(query)}",
        whole_log=f"/wire-log?{urlencode(query)}" if log is not None else "",
    )
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})


def _rehearsed(matches: Sequence[_OwnMatch], scenarios: Mapping[str, str]) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Scenarios to try at home for each reason of a loss, those for the latest match that was lost by it."""
    found: dict[str, Sequence[tuple[str, str]]] = {}
    for line in matches:
        reason = line.head.reason
        if line.own.result is SeatResult.LOSS and reason not in found:
            package = scenarios.get(line.own.protocol, "")
            found[reason] = _scenarios_for(reason, package, line.own.protocol, line.head.game)
    return {reason: tried for reason, tried in found.items() if tried}


def _scenarios_for(reason: str, package: str, protocol: str, game: str) -> Sequence[tuple[str, str]]:
    """The scenarios that would have caught this reason of a loss: the titles, and the options that choose them."""
    fitting = (one for one in _read_scenarios(package) if reason in one.catches and one.suits(game))
    speaks = "" if protocol == "strategic" else f" --protocol {protocol}"
    given = f"--game {game}{speaks}" if game.isascii() and " " not in game else f"--game '{game}'{speaks}"
    return [(one.title, f"{given} --scenario {one.name}") for one in fitting][:_SCENARIOS_SHOWN]


@cache  # reading those of a protocol takes some 20 ms, and is done in a thread
def _read_scenarios(package: str) -> tuple[Scenario, ...]:
    return of_package(package).scenarios


async def _log_of(read_model: ReadModel, owner: Owner) -> tuple[OwnLog | None, str]:
    """The wire log, or why there is none to see."""
    try:
        return await read_model.own_wire_log(owner), ""
    except NotShown as refused:
        return None, str(refused)


async def _everything(request: Request) -> Response:
    owner, _ = await _visitor_of(request)
    read_model, player = read_model_of(request), owner.player
    # Page by page, as a reader gives no more at once: the archive has all, where the page has the latest.
    heads: list[MatchHead] = []
    before: int | None = None
    while True:
        wanted = Wanted(before, player, count=PAGE_MATCHES_MAX)
        found = await read_model.read(lambda reader, wanted=wanted: reader.heads(wanted))  # type: ignore[misc]
        heads += _own_heads(found, owner)
        if len(found) < PAGE_MATCHES_MAX:
            break
        before = found[-1].match
    shown = {head.match for head in heads}
    moves = [move for move in await all_moves(read_model, player) if move.match in shown]
    log, why_none = await _log_of(read_model, owner)
    latest = [head.match for head in heads[:_REPLAYABLE_MAX]]
    # In a thread: to read so many matches alone takes half a second.
    packed = await read_model.read(
        lambda reader: _own_file(player, heads, moves, filter(None, map(reader.match, latest)), log, why_none)
    )
    headers = {"Content-Disposition": 'attachment; filename="everything.zip"', "Cache-Control": "no-store"}
    return Response(packed, media_type="application/zip", headers=headers)


async def all_moves(read_model: ReadModel, player: str) -> Sequence[OwnMove]:
    """Every move of a player for the own page's archive, read piece by piece.

    A piece may end within a match, which the next one has whole.
    """
    moves: list[OwnMove] = []
    before: int | None = None
    while True:
        found = await read_model.read(lambda reader, before=before: reader.own_moves(player, before))  # type: ignore[misc]
        if len(found) < OWN_MOVES_MAX or found[0].match == found[-1].match:
            return [*moves, *found]
        last = found[-1].match
        moves += [move for move in found if move.match != last]
        before = last + 1


async def _visitor_of(request: Request) -> tuple[Owner, Mapping[str, str]]:
    """The player whom a link, or name and secret, prove; and the query by which the links of the page lead on.

    A name in the query has to be the one that is proved.

    Raises `HTTPException`, with a sentence on what to do instead.
    """
    try:
        return await _proved(request)
    except NotShown as refused:
        status = HTTPStatus.UNAUTHORIZED if refused.wants_proof else HTTPStatus.FORBIDDEN
        raise _refusal(refused, status) from refused


def _refusal(refused: NotShown, status: HTTPStatus = HTTPStatus.FORBIDDEN) -> HTTPException:
    headers = _CHALLENGE if refused.wants_proof else {}
    if refused.is_last:  # of the few wrong secrets that a connection may try
        headers = headers | _CLOSE
    return HTTPException(status, str(refused), headers)


async def _proved(request: Request) -> tuple[Owner, Mapping[str, str]]:
    token = request.query_params.get("link")
    if token is not None:
        return read_model_of(request).owner_of(token), {"link": token}
    name, secret = _credentials(request)
    wanted = request.query_params.get("player", name)
    if name != wanted:
        secret = ""  # a browser sends what it knows for the site along with every request: ask for this name's
    if not wanted:
        raise_unproven()
    lobby = lobby_of(request)
    owner = await read_model_of(request).check_owner(wanted, secret, lobby.session, lobby.address)
    return owner, {"player": wanted}


def _credentials(request: Request) -> tuple[str, str]:
    """Name and secret; empty if they are missing or cannot be decoded."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return "", ""
    try:
        name, _, secret = b64decode(given.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return "", ""
    return name, secret


async def _own_log(request: Request) -> Response:
    owner, _ = await _visitor_of(request)
    try:
        log = await read_model_of(request).own_wire_log(owner)
    except NotShown as refused:
        raise _refusal(refused) from refused
    return PlainTextResponse(log.text, headers={"Cache-Control": "no-store"})


def _own_file(
    player: str,
    heads: Sequence[MatchHead],
    moves: Sequence[OwnMove],
    records: Iterable[MatchRecord],
    log: OwnLog | None,
    why_no_log: str,
) -> bytes:
    """The archive, a ZIP file: CSV, a small data file, the wire log, or the reason why there is none.

    `records` are matches to be played again at home.
    """
    of_moves = [(m.match, m.game, m.number, m.move, m.think_ms, m.lag_ms, m.limit_ms) for m in moves]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("matches.csv", csv_text([_MATCH_COLUMNS, *(_row_of(player, head) for head in heads)]))
        file.writestr("moves.csv", csv_text([_MOVE_COLUMNS, *of_moves]))
        file.writestr("matches.sqlite3", small_file(records))
        if log is None:
            file.writestr("no wire log.txt", f"{why_no_log}.\n")
        else:
            file.writestr("wire.log", log.text)
    return packed.getvalue()


def _row_of(player: str, head: MatchHead) -> Sequence[object]:
    own = _seat_of(head, player)
    return (
        *(head.match, head.game, head.opened_at, head.ended_at, _opponents(head, own), own.result.value, own.points),
        *(head.reason, head.why, own.round_trip_us, own.round_trip_deviation_us, own.segments_resent),
    )


def think_graph(moves: Iterable[OwnMove]) -> Markup:
    """Draws the think times on a player's own page as an `svg` element: how many moves took which part of the limit.

    Nothing for moves without a limit.

    Heights are logarithmic: one slow move among a thousand quick ones is the one that matters.
    """
    shares = [move.share for move in moves if move.limit_ms]
    if not shares:
        return Markup()
    counts = [0] * _BARS
    for share in shares:
        counts[min(_BARS - 1, int(share * _BARS))] += 1
    scale = (_BOTTOM - _TOP) / log10(max(counts) + 1)  # + 1: a bar of one move is seen, too
    bars = "".join(_bar(index, count, scale * log10(count + 1)) for index, count in enumerate(counts))
    slow = sum(share >= _SLOW_SHARE for share in shares)
    label = quoteattr(
        f"{len(shares)} moves by the part of the limit that they took; {slow} took half of it or more, "
        f"the longest {max(shares):.0%}"
    )
    marks = (
        f'<text x="{_LEFT}" y="{_HEIGHT - 8}">0 %</text>'
        f'<text class="middle" x="{(_LEFT + _RIGHT) / 2:g}" y="{_HEIGHT - 8}">50 % of the limit</text>'
        f'<text class="end" x="{_RIGHT}" y="{_HEIGHT - 8}">100 %</text>'
    )
    return Markup(  # noqa: S704 - nothing in it but numbers
        f'<svg class="think-graph" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label={label}>'
        f'<line class="level" x1="{_LEFT}" x2="{_RIGHT}" y1="{_BOTTOM}" y2="{_BOTTOM}"/>{bars}{marks}</svg>'
    )


def _bar(index: int, count: int, height: float) -> str:
    if not count:
        return ""
    width = (_RIGHT - _LEFT) / _BARS
    x, y = _LEFT + index * width, _BOTTOM - height
    kind = "slow" if index >= _BARS * _SLOW_SHARE else "quick"
    middle = x + width / 2
    return (
        f'<rect class="{kind}" x="{x + _GAP / 2:.1f}" y="{y:.1f}" width="{width - _GAP:.1f}" height="{height:.1f}"/>'
        f'<text class="middle" x="{middle:.1f}" y="{y - 5:.1f}">{count}</text>'
    )
