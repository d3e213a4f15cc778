"""The public pages as one application for the HTTP listener, under `/`; and `/metrics`, for Prometheus."""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import cast

from attrs import define
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from gameserver.endpoints import AsgiApp
from gameserver.read_model.metrics import COMMIT_BOUNDS_S, ServerMetrics
from gameserver.read_model.read_model import LobbyView, read_model_of
from gameserver.web.certificates import certificate_routes
from gameserver.web.errors import error_pages
from gameserver.web.halls import hall_routes
from gameserver.web.ladder import ladder_routes
from gameserver.web.live_pages import Streams
from gameserver.web.lobby import lobby_routes, play_routes
from gameserver.web.match import match_routes
from gameserver.web.own import own_routes
from gameserver.web.records import record_routes
from gameserver.web.responses import guarded, serve_asset
from gameserver.web.season import season_routes
from gameserver.web.templating import PageHall, rendering_at
from gameserver.web.tournament import podium_routes, tournament_routes
from gameserver.web.tournament_list import tournament_list_routes


def pages(scenarios: Mapping[str, str] | None = None) -> AsgiApp:
    """Makes the application of all public pages. `scenarios` are the packages with those of each protocol."""
    # Nothing on these pages is secret, so the length of compressed data reveals nothing (as in BREACH).
    streams = Streams(secrets.token_hex(4), compresses=True)
    routes = [
        *lobby_routes(streams),
        *match_routes(streams),
        *record_routes(),
        *ladder_routes(),
        *tournament_list_routes(),
        *tournament_routes(streams),
        *podium_routes(streams),
        *certificate_routes(),
        *season_routes(),
        *hall_routes(streams),
        *play_routes(),
        *own_routes(scenarios or {}),
        Route("/metrics", _serve_metrics),
        Route("/static/{name}", serve_asset),
        Route("/robots.txt", _robots),
        Route("/favicon.ico", _icon),
    ]
    return cast("AsgiApp", _guarded_pages(Router(routes, redirect_slashes=False)))


def _guarded_pages(routes: ASGIApp) -> ASGIApp:
    """Security headers on every response, and error pages for people."""
    # The router has no exception handlers, so whatever the routes raise arrives at the error pages.
    pages = error_pages(routes)

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        with rendering_at(PageHall(has_others=bool(read_model_of(Request(scope)).halls.others))):
            await pages({**scope, "starlette.exception_handlers": ({}, {})}, receive, guarded(send))

    return serve


async def _robots(_request: Request) -> Response:
    """Keep search engines out: the pages show names of students."""
    return PlainTextResponse("User-agent: *\nDisallow: /\n")


async def _icon(_request: Request) -> Response:
    """Answer without an icon: every page links to its own. This keeps the 404 out of browsers' logs."""
    return Response(status_code=HTTPStatus.NO_CONTENT)


@define(eq=False)
class _Collected(Collector):
    _lobby_view: LobbyView
    _metrics: ServerMetrics

    def collect(self) -> Iterator[Metric]:
        """Yield every metric of the server as it is now."""
        lobby_view, metrics = self._lobby_view, self._metrics
        yield _by("players", "Players in the lobby", "protocol", Counter(one.protocol for one in lobby_view.players))
        yield _by("connections", "Connections to the listeners of each protocol", "protocol", metrics.connections())
        yield GaugeMetricFamily("gameserver_queue_depth", "Commands and queries that wait", metrics.queue_depth())
        yield _by("live_matches", "Matches being played", "game", Counter(one.game for one in lobby_view.matches))
        yield _by("open_offers", "Open offers to play", "kind", Counter(one.kind for one in lobby_view.offers))
        yield _by("tournaments", "Tournaments", "phase", Counter(lobby_view.tournament_phases))
        yield CounterMetricFamily("gameserver_commands", "Commands and queries answered", metrics.commands)
        yield CounterMetricFamily("gameserver_refusals", "Those of them that were refused", metrics.refusals)
        yield CounterMetricFamily("gameserver_moves", "Moves accepted", metrics.moves)
        yield CounterMetricFamily("gameserver_matches", "Matches ended", metrics.matches)
        yield CounterMetricFamily("gameserver_journal_rows", "Rows journaled", metrics.rows)
        yield _commits(metrics)


def _metrics_text(lobby_view: LobbyView, metrics: ServerMetrics) -> bytes:
    """The body of the answer: gauges of the lobby as it is now, and counters since the server's start.

    The library writes the format. Each answer has its own registry, filled from plain numbers at the request: nothing
    is counted twice, and no gauge is updated between requests.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(lobby_view, metrics))
    return generate_latest(registry)


async def _serve_metrics(request: Request) -> Response:
    read_model = read_model_of(request)
    text = _metrics_text(await read_model.latest(), read_model.metrics)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"})


def _by(name: str, words: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(f"gameserver_{name}", words, labels=[label])
    for key, count in sorted(counts.items()):
        family.add_metric([key], count)
    return family


def _commits(metrics: ServerMetrics) -> Metric:
    buckets, total = [], 0
    # A bucket of Prometheus counts all that took no longer, ours only what took longer than the one before.
    for bound, count in zip((*map(str, COMMIT_BOUNDS_S), "+Inf"), metrics.commits, strict=True):
        total += count
        buckets.append((bound, float(total)))
    words = "How long the journal took for a batch"
    return HistogramMetricFamily("gameserver_commit_seconds", words, buckets=buckets, sum_value=metrics.commit_s)
