"""The best way to put players into pairs, by maximum-weight matching (Edmonds' blossoms, from networkx).

What makes a pairing bad is a row of whole numbers, the worst first; one of the first kind outweighs any
number of the second, and so on. A program for FIDE's own Dutch system was rejected: those that are kept
up pair chess only, through files, and know neither several games a round nor a house player.

The library is imported when it is first needed: that takes a fifth of a second, and happens in the thread
that pairs, not at the start of a server that holds no tournament.
"""

from collections.abc import Mapping, Sequence

Edge = tuple[int, int]
Badness = tuple[int, ...]
"""Reasons against a pair, the weightiest first; each at least 0."""

NEIGHBOURS_MAX = 40
"""In a big field each player is considered for so many of those ranked next; see `near`."""
BIG_FIELD = 100


def near(players: int) -> int:
    """The distance in the ranking within which so many players are paired: work grows with the pairs looked at."""
    return players if players <= BIG_FIELD else NEIGHBOURS_MAX


def best_matching(edges: Mapping[Edge, Badness]) -> list[Edge]:
    """As many pairs as possible, with the least badness; the smaller number first in each, sorted."""
    if not edges:
        return []
    import networkx as nx  # noqa: PLC0415 - see above

    nodes = dict.fromkeys(node for edge in edges for node in edge)
    weights = _flattened(list(edges.values()), len(nodes) // 2)
    graph: nx.Graph[int] = nx.Graph()
    top = max(weights) + 1
    graph.add_weighted_edges_from(
        (one, other, top - weight) for (one, other), weight in zip(edges, weights, strict=True)
    )
    pairs = nx.max_weight_matching(graph, maxcardinality=True)
    return sorted((min(pair), max(pair)) for pair in pairs)


def _flattened(rows: Sequence[Badness], pairs: int) -> list[int]:
    """Each row as one number, so that sums of up to `pairs` of them are ordered as the sums of the rows are."""
    factors = [1]
    for column in range(len(rows[0]) - 1, 0, -1):
        factors.append(factors[-1] * (pairs * max(row[column] for row in rows) + 1))
    factors.reverse()
    return [sum(factor * value for factor, value in zip(factors, row, strict=True)) for row in rows]
