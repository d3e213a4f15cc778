"""The teacher's pages: the whole server, one tournament, the roster; and a match or a player, for a talk at the desk.

The pages have the forms for every act. On top is what is wrong right now: a sentence for each trouble, and its
remedies. A remedy is a link, or the button of an act that exists. A destructive act leads to the page that asks again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from gameserver.admin.api import (
    admin_lobby,
    attacks_of,
    forecast_before,
    forecast_left,
    refusals_of,
    roll_call_of,
    warnings_before,
    wire_log_of,
)
from gameserver.exports.tournament_report import EXPORTS, file_name, grades_caution
from gameserver.read_model.read_model import LobbyView, ReadModel, read_model_of
from gameserver.read_model.troubles import Presence, Trouble, TroubleKind
from gameserver.read_model.views import AdminLobbyView, AdminPlayerView, Attack, StudentView
from gameserver.records.explanations import blame
from gameserver.records.reader import Wanted
from gameserver.tournaments.act_table import PAIRING, teacher_acts
from gameserver.tournaments.model import EntrantStatus, PairingStatus
from gameserver.tournaments.presets import PRESETS, summary_of_fields
from gameserver.tournaments.view import PairingView, TournamentView
from gameserver.values import value
from gameserver.web.live_pages import Regions, Streams, WatchedPage, block_regions
from gameserver.web.teacher_forms import Filled, act_forms
from gameserver.web.templating import render
from gameserver.web.tournament import bottleneck_values, featured_values
from gameserver.web.tournament_list import listed_tournaments

NAME_COOKIE = "gameserver-teacher"
NAME_LENGTH_MAX = 100
# Seconds between two updates of a page, as of the lobby's.
_PAUSE_S = 1.0

# The messages shown after an act. Tournament acts have theirs in `TeacherAct.done`.
#
# A URL names the key and never the text, so nobody can put text of their own on the page.
_DONE: Mapping[str, str] = {
    "name": "Saved: what you do is recorded under this name.",
    "create": "The tournament is created. Start it when everybody is here.",
    "kick": "The player was disconnected. They may log in again.",
    "void-match": "The match was ended without a loser.",
    "drain": "No new matches start, and the server stops after the last one.",
}

_LOBBY_TEMPLATE = "teacher.html"
# The number of addresses of an attack that are shown beside the latest.
_ADDRESSES_SHOWN = 4
# The blocks that the stream updates. Each block is an element whose id is the block's name.
_LOBBY_BLOCKS = ("troubles", "stopping", "attacks", "tournaments", "players", "kicked", "matches", "voided")
_TOURNAMENT_TEMPLATE = "teacher_tournament.html"
_TOURNAMENT_BLOCKS = (
    "troubles",
    "facts",
    "held",
    "who",
    "players",
    "games",
    "rulings",
    "life",
    "names",
    "pairings",
    "end",
)
# The number of games listed: the open ones and the latest. A double round robin of 40 has 1,560. The page of all games
# is not updated.
_GAMES_MAX = 200
_BOARD_TEMPLATE = "teacher_board.html"
_ROSTER_TEMPLATE = "teacher_roster.html"
_ROSTER_BLOCKS = ("roll",)
# The number of lines of a wire log on the page, the last ones. The file has all.
_WIRE_LINES_MAX = 300
_MATCHES_MAX = 20
# The troubles that are shown; the others are counted. After a restart everybody is cut off for a while.
TROUBLES_MAX = 12
# The kinds that are about no player's seat: there is nothing to be done about them on these pages.
_REFUSALS = frozenset({TroubleKind.GUESSED, TroubleKind.ADMIN_GUESSED, TroubleKind.FOREIGN_NAME})
_CLOCK_WORDS: Mapping[TroubleKind, str] = {
    TroubleKind.CUT_OFF: "The seat waits",
    TroubleKind.ABSENT: "Lost without a game in",
    TroubleKind.LAST_OF_ROUND: "Time for the turn",
}


def page_of(request: Request, template: str, filled: Filled, **values: Any) -> str:
    """Renders any page for the teacher from its template, with its forms as filled in.

    `view` is the tournament that it has.
    """
    phase = getattr(values.get("view"), "phase", "")
    said = "" if filled.why else _done(request.query_params.get("done", ""), phase)
    forms = {"refused": filled, "typed": filled.fields, "done": said, "me": name_of(request)}
    shared = {"pages_url": pages_url(request), "mark": ""}  # without a mark nothing is kept up to date
    return render(template, here=request.url.path, json_url="", **forms, **shared | values)


def _done(name: str, phase: str) -> str:
    """The message after an act; empty if it is no longer true."""
    act = teacher_acts().get(name)
    if act is None:
        return _DONE.get(name, "")
    return act.done if not act.done_holds_in or phase in act.done_holds_in else ""


def name_of(request: Request) -> str:
    """The name that the teacher's pages remember in a cookie, as the teacher typed it before."""
    # Cut, as the browser may send any cookie: the name is journaled with each act.
    return unquote(request.cookies.get(NAME_COOKIE, ""))[:NAME_LENGTH_MAX]


def pages_url(request: Request) -> str:
    """The address of the public pages, as the teacher's pages link to it; without a slash at its end.

    Empty if none are served. A listener on every address of the machine has none to link to: without `http.url`, the
    name by which the browser reached the admin listener stands for it.
    """
    read_model = read_model_of(request)
    for place in read_model.listeners:
        if place.protocol == "http":
            if read_model.halls.url:
                return read_model.halls.url.rstrip("/")
            return place.url((request.url.hostname or "localhost") if place.is_everywhere else place.host)
    return ""


async def overview(request: Request, streams: Streams, filled: Filled | None = None) -> str:
    """Makes the overview of the whole server, one of the teacher's pages."""
    read_model = read_model_of(request)
    lobby_view = await read_model.latest(exact=True)
    mark = await streams.begin(read_model, watched_overview(request), lobby_view)
    presets = {which: summary_of_fields(which) for which in PRESETS}
    roll = roll_call_of(request, lobby_view.admin)
    has_teams = roll is not None and any(one.team for one in roll.students)
    values = {"games": lobby_view.games, "presets": presets, "seasons": read_model.seasons, "has_teams": has_teams}
    values |= await _lobby_values(request, lobby_view)
    before = request.query_params.get("before", "")
    live = {"mark": mark, "events_url": f"/events?{urlencode({'before': before})}" if before else "/events"}
    return page_of(request, _LOBBY_TEMPLATE, filled or _lobby_picked(request), **live, **values)


def _lobby_picked(request: Request) -> Filled:
    """The forms with the player or the match that a link names."""
    query = request.query_params
    return Filled(picked={"kick": {"player": query.get("player", "")}, "void": {"match": query.get("match", "")}})


def watched_overview(request: Request) -> WatchedPage:
    """The stream of the teacher's overview."""

    async def make(_read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        values = await _lobby_values(request, lobby_view)
        return lambda: _lobby_regions(values), False

    # The address of the public pages is on the page, and differs by the name that a browser came by.
    topic = ("teacher", request.query_params.get("before", ""), pages_url(request))
    return WatchedPage(topic, lambda lobby_view: lobby_view.version, make, _PAUSE_S)


async def _lobby_values(request: Request, lobby_view: LobbyView) -> dict[str, Any]:
    tournaments, older = await listed_tournaments(request)
    return {
        "lobby": lobby_view.admin,
        "troubles": trouble_lines((*refusals_of(request), *lobby_view.troubles), pages_url(request)),
        "troubles_max": TROUBLES_MAX,
        "names_tournament": True,
        "now_ms": lobby_view.now_ms,
        "attacks": [_attack(one) for one in attacks_of(request)],
        "tournaments": tournaments,
        "older": older,
        "pages_url": pages_url(request),
    }


def _attack(attack: Attack) -> dict[str, Any]:
    """A row of the table of wrong secrets."""
    *others, last = attack.addresses
    addresses = [last, *reversed(others[-_ADDRESSES_SHOWN:])]
    return {
        "name": attack.name,
        "tries": attack.tries,
        "addresses": addresses,
        "more": len(attack.addresses) - len(addresses),
        "since": _time_of_day(attack.since_ms),
        "last": _time_of_day(attack.last_ms),
    }


def _time_of_day(wall_ms: int) -> str:
    return datetime.fromtimestamp(wall_ms / 1000).astimezone().strftime("%H:%M:%S")


def _lobby_regions(values: Mapping[str, Any]) -> Regions:
    fields = Filled().fields
    return block_regions(_LOBBY_TEMPLATE, _LOBBY_BLOCKS, typed=fields, **values)


async def tournament_page(request: Request, number: int, streams: Streams, filled: Filled | None = None) -> str:
    """Makes the teacher's page of a tournament. Raises `HTTPException` (404)."""
    read_model = read_model_of(request)
    lobby_view = await read_model.latest(exact=True)
    shows_all = request.query_params.get("games") == "all"
    mark = "" if shows_all else await streams.begin(read_model, watched_tournament(request, number), lobby_view)
    values = await _tournament_values(request, number, read_model, lobby_view, _GAMES_MAX if not shows_all else None)
    live = {"mark": mark, "events_url": f"/tournaments/{number}/events"}
    files = {"files": _files(values["view"]), "caution": grades_caution(values["view"].format)}
    files["before"], files["forecast"] = await _foresight(request, lobby_view, values["view"])
    return page_of(request, _TOURNAMENT_TEMPLATE, filled or _pairing_picked(request), **files, **live, **values)


async def _foresight(
    request: Request, lobby_view: LobbyView, view: TournamentView
) -> tuple[Sequence[str], Sequence[str]]:
    """The settings that would hurt a tournament that gathers its players, and the forecast of one that is not over."""
    terms = lobby_view.gathering_terms(view.number)
    if terms is None:
        sentences = await forecast_left(request, view.number)
        return (), [f"{sentence} Reload the page to work it out anew." for sentence in sentences]
    names = [line.name for line in view.standings]
    sentences, _ = await forecast_before(request, *terms, names, None)
    return await warnings_before(request, *terms, names), sentences


def _pairing_picked(request: Request) -> Filled:
    """The forms for games with the game that was picked in the table."""
    pick = request.query_params.get("pick", "")
    return Filled(picked={form: {PAIRING.name: pick} for form in ("games", "games-apart")} if pick.isdigit() else {})


def _files(view: TournamentView) -> list[dict[str, Any]]:
    return [{"kind": kind, "is_csv": file.is_csv, "name": file_name(view.name, kind)} for kind, file in EXPORTS.items()]


def watched_tournament(request: Request, number: int) -> WatchedPage:
    """The stream of the teacher's page of a tournament."""

    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        values = await _tournament_values(request, number, read_model, lobby_view, _GAMES_MAX)
        return lambda: block_regions(_TOURNAMENT_TEMPLATE, _TOURNAMENT_BLOCKS, **values), False

    def select(lobby_view: LobbyView) -> object:
        here = tuple(player.name for player in lobby_view.players)
        return lobby_view.tournament_mark(number), here, lobby_view.presence(number), _troubles(lobby_view, number)

    return WatchedPage(("teacher's tournament", number, pages_url(request)), select, make, _PAUSE_S)


async def _tournament_values(
    request: Request, number: int, read_model: ReadModel, lobby_view: LobbyView, games_max: int | None
) -> dict[str, Any]:
    view = await read_model.tournament(number, exact=True)
    if view is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no tournament {number}")
    entered = {line.name for line in view.standings}
    others = [player.name for player in lobby_view.players if player.name not in entered]
    return {
        "view": view,
        "warnings": (*view.warnings, *lobby_view.bank_warnings(number)),
        "who": _who_is_here(view, lobby_view),
        "troubles": trouble_lines(_troubles(lobby_view, number), pages_url(request)),
        "troubles_max": TROUBLES_MAX,
        "names_tournament": False,
        "now_ms": lobby_view.now_ms,
        "forms": act_forms(),
        "held": [one for one in view.pairings if one.status == PairingStatus.HELD],
        "names": [line.name for line in view.standings] + others,
        "pairings": listed_games(view, games_max),
        "featured": lobby_view.featured.get(number),
        "pages_url": pages_url(request),
    } | bottleneck_values(view, lobby_view)


async def board_page(request: Request, number: int, streams: Streams) -> str:
    """Makes the page with a tournament's featured board, for the teacher's projector. Raises `HTTPException` (404)."""
    read_model = read_model_of(request)
    lobby_view = await read_model.latest(exact=True)
    values = await _board_values(request, number, read_model, lobby_view)
    mark = await streams.begin(read_model, watched_board(request, number), lobby_view)
    return render(_BOARD_TEMPLATE, here="", json_url="", mark=mark, **values)


def watched_board(request: Request, number: int) -> WatchedPage:
    """The stream of the teacher's page with a tournament's featured board."""

    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        values = await _board_values(request, number, read_model, lobby_view)
        return lambda: block_regions(_BOARD_TEMPLATE, ("featured",), **values), False

    topic = ("teacher's board", number, pages_url(request))
    return WatchedPage(topic, lambda lobby_view: lobby_view.tournament_mark(number), make, _PAUSE_S)


async def _board_values(request: Request, number: int, read_model: ReadModel, lobby_view: LobbyView) -> dict[str, Any]:
    view = await read_model.tournament(number, exact=True)
    if view is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no tournament {number}")
    return {"view": view} | featured_values(view, lobby_view, 0, pages_url(request))


def _troubles(lobby_view: LobbyView, number: int) -> tuple[Trouble, ...]:
    """The troubles of this tournament. What is held for a decision has a place of its own on the page."""
    return tuple(one for one in lobby_view.troubles if one.tournament == number and one.kind is not TroubleKind.HELD)


def listed_games(view: TournamentView, most: int | None) -> list[PairingView]:
    """The games on the teacher's page of a tournament, the latest first. Of more than `most`, all open ones stay."""
    latest = list(reversed(view.pairings))
    if most is None or len(latest) <= most:
        return latest
    room = most - sum(one.result == "" for one in latest)
    closed = [one.number for one in latest if one.result][: max(0, room)]
    shown = set(closed)
    return [one for one in latest if one.result == "" or one.number in shown]


async def roster_page(request: Request, streams: Streams) -> str:
    """Makes the teacher's page of the roster: which students are here, and which are missing."""
    read_model = read_model_of(request)
    lobby_view = await read_model.latest(exact=True)
    mark = await streams.begin(read_model, watched_roster(request), lobby_view)
    values = _roster_values(request, lobby_view.admin)
    live = {"mark": mark, "events_url": "/roster/events"}
    return page_of(request, _ROSTER_TEMPLATE, Filled(), **live, **values)


def watched_roster(request: Request) -> WatchedPage:
    """The live stream that keeps the teacher's page of the roster up to date."""

    async def make(_read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        values = _roster_values(request, lobby_view.admin)
        return lambda: block_regions(_ROSTER_TEMPLATE, _ROSTER_BLOCKS, **values), False

    return WatchedPage(("roster",), lambda lobby_view: lobby_view.version, make, _PAUSE_S)


def _roster_values(request: Request, lobby: AdminLobbyView) -> dict[str, Any]:
    """The students by where they are: those first for whom the teacher has to do something."""
    roll = roll_call_of(request, lobby)
    students = () if roll is None else roll.students
    searches = {ticket.player: ticket.game for ticket in lobby.tickets}
    return {
        "has_roster": roll is not None,
        "count": len(students),
        "mistaken": _mistaken(students),
        "missing": [one for one in students if one.player is None],
        "present": [(one, one.player, _doing(one.player, searches)) for one in students if one.player is not None],
        "others": () if roll is None else [(one, _doing(one, searches)) for one in roll.others],
    }


def _mistaken(students: Sequence[StudentView]) -> list[tuple[AdminPlayerView, list[str]]]:
    """The players under names that are nearly a missing student's, each with the students they may be."""
    found: dict[str, tuple[AdminPlayerView, list[str]]] = {}
    for student in students:
        for player in student.mistaken:
            found.setdefault(player.name, (player, []))[1].append(student.name)
    return list(found.values())


def _doing(player: AdminPlayerView, searches: Mapping[str, str]) -> str:
    """The occupation of a player, in a few words. `searches` are the games of open tickets."""
    game = player.seeks or searches.get(player.name)
    if player.match is not None:
        return f"playing match {player.match}"
    if game:
        return f"looking for {game}"
    return "idle" if player.room is None else f"in room {player.room}"


async def show_match(request: Request) -> Response:
    """Makes the teacher's page of a match: the reason for its end, network facts, and every move with its times."""
    read_model, number = read_model_of(request), request.path_params["number"]
    is_live = (await read_model.latest()).match(number) is not None
    record = None if is_live else await read_model.read(lambda reader: reader.match(number))
    if record is None and not is_live:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no match {number}")
    lines = () if record is None else blame(record)
    return HTMLResponse(page_of(request, "teacher_match.html", Filled(), number=number, record=record, blame=lines))


async def show_player(request: Request) -> Response:
    """Show the teacher the page of a player: matches, no-shows, and the wire log."""
    name = request.query_params.get("name", "").strip()
    read_model = read_model_of(request)
    heads = await read_model.read(lambda reader: reader.heads(Wanted(player=name, count=_MATCHES_MAX)))
    text = await wire_log_of(request, name)
    here = next((one for one in (await admin_lobby(request)).players if one.name == name), None)
    no_shows = await read_model.read(lambda reader: reader.no_shows(name))
    if not heads and not no_shows and here is None and text is None:  # a name that was typed wrong
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no player {name} here, and none on record")
    lines = [] if text is None else text.splitlines()
    values = {
        "name": name,
        "player": here,
        "heads": heads,
        "no_shows": no_shows,
        "log": lines[-_WIRE_LINES_MAX:],
        "log_lines": len(lines),
        "keeps_wire_logs": read_model.keeps_wire_logs,
    }
    return HTMLResponse(page_of(request, "teacher_player.html", Filled(), **values))


@value
class Remedy:
    """A remedy for a trouble on the teacher's pages: an act that is carried out at once, or a page to look at."""

    label: str
    address: str
    is_act: bool = False


@value
class _TroubleLine:
    """A trouble in words: the names of its players come first, then `words`, then `clock_words` and the clock."""

    trouble: Trouble
    words: str
    clock_words: str
    remedies: tuple[Remedy, ...]


def trouble_lines(troubles: Iterable[Trouble], pages_url: str) -> list[_TroubleLine]:
    """The troubles on top of the teacher's pages in words, with their remedies; `pages_url` is of the public pages."""
    return [
        _TroubleLine(
            trouble=one,
            words=_WORDS[one.kind](one),
            clock_words=_CLOCK_WORDS.get(one.kind, "") if one.until_ms is not None else "",
            remedies=() if one.kind in _REFUSALS else tuple(_remedies(one, pages_url)),
        )
        for one in troubles
    ]


def _absent_words(one: Trouble) -> str:
    where = "is not here" if one.why == Presence.AWAY else "is here, but the client has not asked to play"
    return f"{where}: game {one.pairing} waits."


def _round_words(one: Trouble) -> str:
    if one.round_name:
        return f"its round ({one.round_name})"
    return f"round {one.round}" if one.round else "its round"


_WORDS: Mapping[TroubleKind, Callable[[Trouble], str]] = {
    TroubleKind.GUESSED: lambda one: (
        f"{one.why}. The right one still lets its owner in; the table of wrong secrets says where they come from."
    ),
    TroubleKind.ADMIN_GUESSED: lambda one: f"This listener was tried with {one.why}.",
    TroubleKind.FOREIGN_NAME: lambda one: f"Browsers were refused under an unknown host name: {one.why}.",
    TroubleKind.HELD: lambda one: f"waits for your decision (game {one.pairing}): {one.why}.",
    TroubleKind.AFTER_RESTART: lambda one: f"lost game {one.pairing} by an illegal move, {one.why}.",
    TroubleKind.LATE: lambda one: f"is late again and again: {one.why}.",
    TroubleKind.CUT_OFF: lambda one: f"was cut off{f' in match {one.match}' if one.until_ms else ''}: {one.why}.",
    TroubleKind.ABSENT: _absent_words,
    TroubleKind.LAST_OF_ROUND: lambda one: (
        f"is the last match of {_round_words(one)}, and everybody waits for it{f': {one.why}' if one.why else ''}."
    ),
}


def _remedies(one: Trouble, pages_url: str) -> Iterable[Remedy]:
    """The remedies, the mildest first."""
    if one.match is not None and pages_url:
        yield Remedy("See the match", f"{pages_url}/matches/{one.match}")
    is_here = one.kind is TroubleKind.ABSENT and one.why == Presence.NOT_READY
    if is_here or one.kind in (TroubleKind.LATE, TroubleKind.CUT_OFF):
        yield Remedy("What the client sent", f"/players?{urlencode({'name': one.players[0]})}")
    if one.kind is TroubleKind.LATE or is_here:
        yield Remedy("End the connection…", f"/?{urlencode({'player': one.players[0]})}#players-title")
    if one.tournament is None:
        yield Remedy("End it without a loser…", f"/?match={one.match}#matches-title")
        return
    if one.kind is TroubleKind.AFTER_RESTART:
        yield from _act(one, "void", label="Play again", pairing=str(one.pairing), why=one.why)
    if one.kind in (TroubleKind.HELD, TroubleKind.AFTER_RESTART):
        yield Remedy("Set the result", f"/tournaments/{one.tournament}?pick={one.pairing}#games-title")
    if one.kind is TroubleKind.ABSENT:
        yield from _act(one, "pause", is_act=True)
    if one.pairing is not None and one.kind not in (TroubleKind.ABSENT, TroubleKind.AFTER_RESTART):
        yield from _act(one, "void", pairing=str(one.pairing))
    if one.kind in (TroubleKind.LATE, TroubleKind.CUT_OFF, TroubleKind.ABSENT):
        yield from _act(one, "drop", player=one.players[0])


def _act(one: Trouble, name: str, *, is_act: bool = False, label: str = "", **fields: str) -> Iterable[Remedy]:
    """An act upon the tournament, if it is possible now; with its page that asks again, unless it is done at once."""
    spec = teacher_acts()[name]
    if one.phase in spec.phases:
        query = f"?{urlencode(fields)}" if fields else ""
        label = label or spec.button
        label = label if is_act else f"{label}…"
        yield Remedy(label, f"/tournaments/{one.tournament}/{name}{query}", is_act)


@value
class _WhoIsHere:
    """The players of a tournament by where they are, house players aside."""

    expected: int
    missing: tuple[str, ...]
    not_ready: tuple[str, ...]
    elsewhere: tuple[str, ...]
    others: tuple[str, ...]
    """Players who are here and are not in it: strangers, and players who were dropped."""
    may_add: bool

    @property
    def here(self) -> int:
        """The number of its players who are connected."""
        return self.expected - len(self.missing)


def _who_is_here(view: TournamentView, lobby_view: LobbyView) -> _WhoIsHere | None:
    """The players by where they are; None where nobody has to be here, because nothing is to be played."""
    acts = teacher_acts()
    if view.phase not in acts["drop"].phases or not lobby_view.has_tournament(view.number):
        return None
    presence = lobby_view.presence(view.number)
    inside = {one.player for one in presence}
    inside |= {line.name for line in view.standings if line.note == EntrantStatus.DISQUALIFIED}

    def those(place: Presence) -> tuple[str, ...]:
        return tuple(one.player for one in presence if one.presence is place)

    return _WhoIsHere(
        expected=len(presence),
        missing=those(Presence.AWAY),
        not_ready=those(Presence.NOT_READY),
        elsewhere=those(Presence.ELSEWHERE),
        others=tuple(player.name for player in lobby_view.players if player.name not in inside),
        may_add=view.phase in acts["add"].phases,
    )
