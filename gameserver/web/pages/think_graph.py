"""A player's think times against the limit, as a drawing: how many moves took which part of it."""

from collections.abc import Iterable
from math import log10
from xml.sax.saxutils import quoteattr

from markupsafe import Markup

from gameserver.records.player_stats import OwnMove

SLOW_SHARE = 0.5
"""From this part of the limit on a move is slow: a busier machine, or the network of the event, may cost the match."""
BARS = 10
WIDTH, HEIGHT = 480, 180
_LEFT, _RIGHT, _TOP, _BOTTOM = 8, 472, 20, 146
_GAP = 4


def think_graph(moves: Iterable[OwnMove]) -> Markup:
    """The drawing as an `svg` element; nothing without a move that had a limit.

    Heights are logarithmic: one slow move among a thousand quick ones is the one that matters.
    """
    shares = [move.share for move in moves if move.limit_ms]
    if not shares:
        return Markup()
    counts = [0] * BARS
    for share in shares:
        counts[min(BARS - 1, int(share * BARS))] += 1
    scale = (_BOTTOM - _TOP) / log10(max(counts) + 1)
    bars = "".join(_bar(index, count, scale * log10(count + 1)) for index, count in enumerate(counts))
    slow = sum(share >= SLOW_SHARE for share in shares)
    label = quoteattr(
        f"{len(shares)} moves by the part of the limit that they took; {slow} took half of it or more, "
        f"the longest {max(shares):.0%}"
    )
    marks = (
        f'<text x="{_LEFT}" y="{HEIGHT - 8}">0 %</text>'
        f'<text class="middle" x="{(_LEFT + _RIGHT) / 2:g}" y="{HEIGHT - 8}">50 % of the limit</text>'
        f'<text class="end" x="{_RIGHT}" y="{HEIGHT - 8}">100 %</text>'
    )
    return Markup(  # noqa: S704 - nothing in it but numbers
        f'<svg class="think-graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label={label}>'
        f'<line class="level" x1="{_LEFT}" x2="{_RIGHT}" y1="{_BOTTOM}" y2="{_BOTTOM}"/>{bars}{marks}</svg>'
    )


def _bar(index: int, count: int, height: float) -> str:
    if not count:
        return ""
    width = (_RIGHT - _LEFT) / BARS
    x, y = _LEFT + index * width, _BOTTOM - height
    kind = "slow" if index >= BARS * SLOW_SHARE else "quick"
    middle = x + width / 2
    return (
        f'<rect class="{kind}" x="{x + _GAP / 2:.1f}" y="{y:.1f}" width="{width - _GAP:.1f}" height="{height:.1f}"/>'
        f'<text class="middle" x="{middle:.1f}" y="{y - 5:.1f}">{count}</text>'
    )
