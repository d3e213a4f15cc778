"""A player's own page: what helps them to see why a match was lost, and is shown to nobody else.

A visitor shows the name's secret (HTTP Basic, RFC 7617), or comes by the link that `get match` gives to a player who is
logged in. Without a roster anybody may use any name, so there only a link can tell whose a page is, and the page begins
with the login by which the link was given. For the same reason it is about one hall: in another one, somebody else may
have the name.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.lobby_view import ReadModel, read_model_of
from gameserver.read_model.views import Owner, OwnLog
from gameserver.records.match_record import SeatRecord, SeatResult, time_of_day
from gameserver.records.player_stats import OWN_MOVES_MAX, MoveTimes, OwnMove, think_times
from gameserver.records.reader import PAGE_MATCHES_MAX, MatchHead, Wanted
from gameserver.values import value
from gameserver.web.pages.archive import result_of_head
from gameserver.web.pages.own_file import own_file
from gameserver.web.pages.owner import Visitor, visitor_of
from gameserver.web.pages.rehearsals import Rehearsal, Rehearsals
from gameserver.web.pages.think_graph import SLOW_SHARE, think_graph
from gameserver.web.ui.templating import render
from gameserver.wire_log.owner_access import NotShown

MATCHES_SHOWN = 50
SLOWEST_SHOWN = 8
REPLAYABLE_MAX = 500
"""The latest matches that the archive has in full, to be played again: each takes a millisecond to read."""
LINES_SHOWN = 200


def own_routes(rehearsals: Rehearsals) -> list[BaseRoute]:
    """The routes of the page and of everything on it as one file."""
    return [Route("/own", partial(_own_page, rehearsals)), Route("/own/everything.zip", _everything)]


@value
class OwnMatch:
    """A match in a line of the page."""

    head: MatchHead
    own: SeatRecord
    opponents: str
    times: Any
    """`ThinkTimes`, or None where the player made no move."""


@value
class OwnFigures:
    """Everything on the page but the wire log."""

    lag: MoveTimes | None
    losses: Sequence[tuple[str, int]]
    """Why matches were lost, the most frequent reason first."""
    matches: tuple[OwnMatch, ...]
    moves: tuple[OwnMove, ...]
    older: int | None
    """The number before which more matches are found."""

    @property
    def slowest(self) -> Sequence[OwnMove]:
        """The moves that took the largest parts of their limits."""
        slow = [move for move in self.moves if move.share >= SLOW_SHARE]
        return sorted(slow, key=lambda move: -move.share)[:SLOWEST_SHOWN]


async def _figures(read_model: ReadModel, owner: Owner, before: int | None) -> OwnFigures:
    player = owner.player
    heads = await read_model.read(lambda reader: reader.heads(Wanted(before, player, count=MATCHES_SHOWN)))
    moves = await read_model.read(lambda reader: reader.own_moves(player, before))
    career = await read_model.read(lambda reader: reader.career(player))
    lag, losses = career.lag, career.losses
    older = heads[-1].match if len(heads) == MATCHES_SHOWN else None
    if owner.session is not None:
        heads = own_heads(heads, owner)
        shown = {head.match for head in heads}
        moves = tuple(move for move in moves if move.match in shown)
        lost = (head.reason for head in heads if _seat_of(head, player).result is SeatResult.LOSS)
        lag, losses = None, tuple(Counter(lost).most_common())
        older = older if len(heads) == MATCHES_SHOWN else None
    times = think_times(moves)
    return OwnFigures(
        lag=lag,
        losses=losses,
        matches=tuple(_line_of(head, player, times.get(head.match)) for head in heads),
        moves=moves,
        older=older,
    )


def own_heads(heads: Sequence[MatchHead], owner: Owner) -> tuple[MatchHead, ...]:
    """The matches that are the owner's for certain, whoever had the name before."""
    since = time_of_day(owner.since_ms)
    return tuple(head for head in heads if head.ended_at > since)


def _seat_of(head: MatchHead, player: str) -> SeatRecord:
    return next(seat for seat in head.seats if seat.player == player)


def _line_of(head: MatchHead, player: str, times: Any) -> OwnMatch:
    own = _seat_of(head, player)
    return OwnMatch(head, own, ", ".join(seat.player for seat in head.seats if seat is not own), times)


async def _own_page(rehearsals: Rehearsals, request: Request) -> Response:
    visitor = await visitor_of(request)
    read_model, player = read_model_of(request), visitor.owner.player
    before = request.query_params.get("before", "")
    is_number = before.isascii() and before.isdigit() and len(before) < 16
    figures = await _figures(read_model, visitor.owner, int(before) if is_number else None)
    log, why_none = await _log_of(read_model, visitor)
    page = render(
        "own.html",
        here="",
        json_url="",
        name=player,
        figures=figures,
        rehearsed=await read_model.read(lambda _: _rehearsed(figures.matches, rehearsals)),
        graph=think_graph(figures.moves),
        moves_max=OWN_MOVES_MAX,
        result_of=result_of_head,
        older=f"/own?{urlencode({**visitor.query, 'before': figures.older})}" if figures.older else "",
        lines=() if log is None else log.lines[-LINES_SHOWN:],
        mishaps=[] if log is None else [line for line in log.lines if line.mishap][-LINES_SHOWN:],
        why_no_log=why_none,
        is_partial=visitor.owner.session is not None,
        everything=f"/own/everything.zip?{urlencode(visitor.query)}",
        whole_log=f"/wire-log?{urlencode(visitor.query)}" if log is not None else "",
    )
    return HTMLResponse(page, headers={"Cache-Control": "no-store"})


def _rehearsed(matches: Sequence[OwnMatch], rehearsals: Rehearsals) -> Mapping[str, Sequence[Rehearsal]]:
    """Scenarios to try at home for each reason of a loss, those for the latest match that was lost by it."""
    found: dict[str, Sequence[Rehearsal]] = {}
    for line in matches:
        reason = line.head.reason
        if line.own.result is SeatResult.LOSS and reason not in found:
            found[reason] = rehearsals.of(reason, line.own.protocol, line.head.game)
    return {reason: tried for reason, tried in found.items() if tried}


async def _log_of(read_model: ReadModel, visitor: Visitor) -> tuple[OwnLog | None, str]:
    """The wire log, or why there is none to see."""
    try:
        return await read_model.own_wire_log(visitor.owner), ""
    except NotShown as refused:
        return None, str(refused)


async def _everything(request: Request) -> Response:
    visitor = await visitor_of(request)
    read_model, player = read_model_of(request), visitor.owner.player
    heads: list[MatchHead] = []
    before: int | None = None
    while True:
        wanted = Wanted(before, player, count=PAGE_MATCHES_MAX)
        found = await read_model.read(lambda reader, wanted=wanted: reader.heads(wanted))  # type: ignore[misc]
        heads += own_heads(found, visitor.owner)
        if len(found) < PAGE_MATCHES_MAX:
            break
        before = found[-1].match
    shown = {head.match for head in heads}
    moves = [move for move in await all_moves(read_model, player) if move.match in shown]
    log, why_none = await _log_of(read_model, visitor)
    latest = [head.match for head in heads[:REPLAYABLE_MAX]]
    packed = await read_model.read(
        lambda reader: own_file(player, heads, moves, filter(None, map(reader.match, latest)), log, why_none)
    )
    headers = {"Content-Disposition": 'attachment; filename="everything.zip"', "Cache-Control": "no-store"}
    return Response(packed, media_type="application/zip", headers=headers)


async def all_moves(read_model: ReadModel, player: str) -> Sequence[OwnMove]:
    """Every move of the player, read piece by piece. A piece may end within a match, which the next one has whole."""
    moves: list[OwnMove] = []
    before: int | None = None
    while True:
        found = await read_model.read(lambda reader, before=before: reader.own_moves(player, before))  # type: ignore[misc]
        if len(found) < OWN_MOVES_MAX or found[0].match == found[-1].match:
            return [*moves, *found]
        last = found[-1].match
        moves += [move for move in found if move.match != last]
        before = last + 1
