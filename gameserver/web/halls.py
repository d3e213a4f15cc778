"""The page of all halls; and under `/halls/NAME` the records of another, on the pages that this one has for its own."""

from collections.abc import Callable, Sequence
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, Router
from starlette.types import Receive, Scope, Send

from gameserver.endpoints import LOBBY_KEY
from gameserver.halls import hall_of_word, hall_phrase
from gameserver.read_model.read_model import Halls, HallView, LobbyView, ReadModel, RecordsModel, read_model_of
from gameserver.values import value
from gameserver.web.certificates import certificate_routes
from gameserver.web.errors import Missing, error_pages
from gameserver.web.live_pages import Regions, Streams, WatchedPage, block_regions
from gameserver.web.made_once import SharedPage, SharedText, page_response, shared_text
from gameserver.web.match import match_routes
from gameserver.web.records import before_in, before_text, heads_of_all, match_list_routes, matches_page, wanted_in
from gameserver.web.responses import as_json
from gameserver.web.templating import PageHall, moment, present_hall, render, rendering_at
from gameserver.web.tournament import podium_routes, tournament_routes
from gameserver.web.tournament_list import tournament_list_routes

_TEMPLATE = "halls.html"
_PAUSE_S = 1.0
TOURNAMENTS_MAX = 6
# The end of the addresses of streams: nothing is live in records.
_NEVER_LIVE = "/events"


def hall_routes(streams: Streams) -> list[BaseRoute]:
    """The routes of the page of all halls, of the matches of all, and of each other hall's records."""

    async def make(read_model: ReadModel) -> SharedText:
        lobby_view = await read_model.latest()
        mark = await streams.begin(read_model, _watched(read_model), lobby_view)
        return shared_text(halls_page(_views_of(read_model, lobby_view), mark).encode())

    shared = SharedPage(make)

    async def page(request: Request) -> Response:
        return page_response(request, await shared.get(read_model_of(request)))

    async def events(request: Request) -> Response:
        return streams.open(request, _watched(read_model_of(request)))

    return [
        Route("/halls", page),
        Route("/halls/events", events),
        Route("/halls/matches", _matches),
        Route("/halls/api/v1/matches", _matches_json),
        Route("/api/v1/halls", _json),
        Route("/halls/{hall}", _records),
        Mount("/halls/{hall}", app=_OtherHalls(streams)),
    ]


def halls_page(views: Sequence[HallView], mark: str = "") -> str:
    """Renders the page of all halls."""
    return render(_TEMPLATE, here="/halls", json_url="/api/v1/halls", mark=mark, **_values(views))


def _views_of(read_model: ReadModel, lobby_view: LobbyView) -> tuple[HallView, ...]:
    """All halls: this one as it is now, the others as they were heard of last."""
    halls = read_model.halls
    return halls.views(lobby_view.news(halls.own, halls.url))


def _values(views: Sequence[HallView]) -> dict[str, object]:
    return {"views": views, "tournaments_max": TOURNAMENTS_MAX}


def _watched(read_model: ReadModel) -> WatchedPage:
    def select(lobby_view: LobbyView) -> object:
        return _views_of(read_model, lobby_view)

    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        values = _values(_views_of(read_model, lobby_view))
        return lambda: block_regions(_TEMPLATE, ("halls",), **values), False

    return WatchedPage("halls", select, make, _PAUSE_S)


async def _json(request: Request) -> Response:
    read_model = read_model_of(request)
    return JSONResponse([one.json for one in _views_of(read_model, await read_model.latest())])


async def _matches(request: Request) -> Response:
    read_model, wanted = read_model_of(request), wanted_in(request)
    before = before_in(request.query_params.get("before", ""))
    heads, following = await heads_of_all(read_model, wanted, before)
    games = (await read_model.latest()).games
    with rendering_at(PageHall(at="/halls", has_others=present_hall().has_others)):
        return HTMLResponse(matches_page(heads, wanted, games, before_text(before), before_text(following)))


async def _matches_json(request: Request) -> Response:
    before = before_in(request.query_params.get("before", ""))
    heads, following = await heads_of_all(read_model_of(request), wanted_in(request), before)
    return JSONResponse({"matches": as_json(heads), "before": before_text(following)})


async def _records(request: Request) -> Response:
    """Lead from a hall's address to its matches."""
    halls, word = read_model_of(request).halls, request.path_params["hall"]
    name = hall_of_word(word)
    if name == halls.own:
        return _to(request, "/matches")
    return _to(request, f"{_view_of(halls, word).at}/matches")


def _to(request: Request, address: str) -> Response:
    """A redirect that keeps the query."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(f"{address}{query}", HTTPStatus.FOUND)


def _view_of(halls: Halls, word: str) -> HallView:
    """The other hall that an address means. Raises `Missing`."""
    name = hall_of_word(word)
    view = None if name is None else halls.view_of(name)
    if view is None:
        raise Missing(f"There is no hall {word}; all of them are on ", "/halls")
    return view


@value
class _OfHall:
    """The place of the lobby in a request about another hall: its records alone."""

    read_model: RecordsModel


def _missing(view: HallView, live: str, why: str) -> Missing:
    """The 404 about something that is missing in the records of another hall, and where to look."""
    missing = f"{why} on record in {hall_phrase(view.name)}"
    if view.away_since:
        return Missing(f"{missing}, which has been away since {moment(view.away_since)}")
    where = "on " if live else "on its own pages, which have no known address"
    return Missing(f"{missing}; what is live there is {where}", live)


class _OtherHalls:
    """The records of other halls, as an application. Each hall has routes of its own, as viewers share their pages."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self._routers: dict[str, Router] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request about another hall's records. This hall's own are at their short addresses."""
        request = Request(scope)
        read_model = read_model_of(request)
        word, rest = scope["path_params"]["hall"], scope["path"].removeprefix(scope["root_path"])
        if rest == "/":
            await (await _records(request))(scope, receive, send)
            return
        # A player's page is over all halls anyway.
        if hall_of_word(word) == read_model.halls.own or rest.startswith("/players"):
            # Two slashes at the beginning would lead to another site.
            await _to(request, f"/{rest.lstrip('/')}")(scope, receive, send)
            return
        view = _view_of(read_model.halls, word)
        of_hall = read_model.of_hall(view.name)
        assert of_hall is not None, "a hall with a view has records"
        router = self._routers.get(view.name)
        if router is None:
            # One for each hall and for good: the pages that its viewers share are in the routes.
            router = self._routers[view.name] = Router(self._routes(), redirect_slashes=False)
        # A hall that is away answers nobody: no link leads there.
        pages = "" if view.away_since else view.pages
        live = f"{pages}{rest}" if pages else ""

        async def records(scope: Scope, receive: Receive, send: Send) -> None:
            try:
                await router({**scope, LOBBY_KEY: _OfHall(of_hall)}, receive, send)
            except Missing as error:
                raise _missing(view, live, error.detail) from error

        with rendering_at(PageHall(view.at, view.title, live, pages, view.away_since, has_others=True)):
            await error_pages(records)(scope, receive, send)

    def _routes(self) -> list[BaseRoute]:
        routes = [
            *match_list_routes(),
            *match_routes(self._streams),
            *tournament_list_routes(),
            *tournament_routes(self._streams),
            *podium_routes(self._streams),
            *certificate_routes(),
        ]
        return [route for route in routes if isinstance(route, Route) and not route.path.endswith(_NEVER_LIVE)]
