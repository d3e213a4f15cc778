"""`/metrics`, for Prometheus: what the lobby holds now, and what the server has done since its start.

The library writes the format. It has a registry of its own for each answer, filled from plain numbers
when somebody asks, so that nothing is counted twice and nothing is kept up to date for nobody.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry
from starlette.requests import Request
from starlette.responses import Response

from gameserver.read_model.lobby_view import Showing, gallery_of
from gameserver.read_model.metrics import COMMIT_BOUNDS_S, Figures


class _Collected(Collector):
    def __init__(self, showing: Showing, figures: Figures) -> None:
        self._showing = showing
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        """Everything there is."""
        showing, figures = self._showing, self._figures
        yield _by("players", "Who is in the lobby", "protocol", Counter(one.protocol for one in showing.players))
        yield _by("connections", "Connections to the listeners of each protocol", "protocol", figures.connections())
        yield GaugeMetricFamily("gameserver_queue_depth", "Commands and queries that wait", figures.queue_depth())
        yield _by("live_matches", "Matches being played", "game", Counter(one.game for one in showing.matches))
        yield _by("open_offers", "What waits for somebody", "kind", Counter(one.kind for one in showing.offers))
        yield _by("tournaments", "Tournaments", "phase", Counter(one.phase for one in showing.tournaments))
        yield CounterMetricFamily("gameserver_commands", "Commands and queries answered", figures.commands)
        yield CounterMetricFamily("gameserver_refusals", "Those of them that were refused", figures.refusals)
        yield CounterMetricFamily("gameserver_moves", "Moves accepted", figures.moves)
        yield CounterMetricFamily("gameserver_matches", "Matches ended", figures.matches)
        yield CounterMetricFamily("gameserver_journal_rows", "Rows journaled", figures.rows)
        yield _commits(figures)


def metrics_text(showing: Showing, figures: Figures) -> bytes:
    """The answer."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected(showing, figures))
    return generate_latest(registry)


async def serve_metrics(request: Request) -> Response:
    """For Prometheus."""
    gallery = gallery_of(request)
    text = metrics_text(await gallery.look(), gallery.figures)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"})


def _by(name: str, words: str, label: str, counts: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(f"gameserver_{name}", words, labels=[label])
    for key, count in sorted(counts.items()):
        family.add_metric([key], count)
    return family


def _commits(figures: Figures) -> Metric:
    buckets, total = [], 0
    for bound, count in zip((*map(str, COMMIT_BOUNDS_S), "+Inf"), figures.commits, strict=True):
        total += count
        buckets.append((bound, float(total)))
    words = "How long the journal took for a batch"
    return HistogramMetricFamily("gameserver_commit_seconds", words, buckets=buckets, sum_value=figures.commit_s)
