"""Columns and rows of a knockout's encounters, before they have a size.

The winners' part is above the losers'. A large tree is drawn from both sides with its last encounter in the middle:
that halves its height. What decides the tournament stands to the right of both parts, or in the middle between them.
"""

from collections.abc import Collection, Mapping

from gameserver.tournaments.knockout import From, Part
from gameserver.tournaments.view import NodeView
from gameserver.values import value

ONE_SIDED_MAX = 8
"""The most encounters in the first column of a tree that is drawn from one side."""
HEADING_ROWS = 0.5
LABELLED_ROWS = 1.45
"""From one box to the next below it, which has a label."""

Nodes = Mapping[int, NodeView]


@value
class Place:
    """The last column of a part is 0. Columns to its left are negative; fractions of a row lie between two."""

    part: Part
    column: int
    row: float
    is_labelled: bool = False
    """True if the stage stands above the box, and not above its column."""


Places = dict[int, Place]


def feeders(node: NodeView, nodes: Nodes) -> list[int]:
    """The nodes of the same part whose winners come here."""
    numbers = [source.number for source in node.sources if source.kind == From.WINNER]
    return [number for number in numbers if number in nodes and nodes[number].part == node.part]


def is_large(nodes: Nodes) -> bool:
    """True for a tree that is drawn from both sides."""
    firsts = [node.part for node in nodes.values() if not feeders(node, nodes)]
    return any(firsts.count(part.value) > ONE_SIDED_MAX for part in Part)


def places_of(nodes: Nodes, drawn: Collection[int], *, is_two_sided: bool) -> Places:
    """The places of the nodes that are drawn. Whatever leads to one that is not drawn is not drawn either."""
    upper = _part(nodes, drawn, Part.WINNERS, is_two_sided=is_two_sided)
    lower = _part(nodes, drawn, Part.LOSERS, is_two_sided=is_two_sided)
    finals = [number for number in drawn if nodes[number].part == Part.FINAL]
    bottom = max(place.row for place in upper.values())
    places = dict(upper)
    if lower:
        top = bottom + 1 + HEADING_ROWS
        middle = min((place.row for place in lower.values() if place.is_labelled), default=0.0)
        if is_two_sided:  # the finals have a row of their own
            top = max(bottom + LABELLED_ROWS + 1 + HEADING_ROWS, bottom + 2 * LABELLED_ROWS - middle)
        lower = _shifted(lower, top)
        places |= lower
    row = upper[_last(nodes, Part.WINNERS)].row
    if is_two_sided:
        row = bottom + LABELLED_ROWS
    elif lower:
        row = (row + lower[_last(nodes, Part.LOSERS)].row) / 2
    for offset, number in enumerate(sorted(finals)):
        places[number] = Place(Part.FINAL, offset, row, is_labelled=True)
    for number in (number for number in drawn if nodes[number].part == Part.THIRD_PLACE):
        below = upper[_last(nodes, Part.WINNERS)].row + (2.2 if is_two_sided else 1.6)
        places[number] = Place(Part.WINNERS, 0, below, is_labelled=True)
    return places


def _last(nodes: Nodes, part: Part) -> int:
    return max(number for number, node in nodes.items() if node.part == part)


def _part(nodes: Nodes, drawn: Collection[int], part: Part, *, is_two_sided: bool) -> Places:
    """The places of one part, whose last node is its root."""
    if not any(node.part == part for node in nodes.values()):
        return {}
    chain = [_last(nodes, part)]
    while len(below := feeders(nodes[chain[-1]], nodes)) == 1:
        chain.append(below[0])
    if not is_two_sided or len(below) != 2:
        return _side(nodes, drawn, chain[0], 0, -1)
    left, right = _side(nodes, drawn, below[0], -1, -1), _side(nodes, drawn, below[1], 1, 1)
    heights = [max((place.row for place in side.values()), default=0.0) for side in (left, right)]
    left, right = (_shifted(side, (max(heights) - own) / 2) for side, own in zip((left, right), heights, strict=True))
    rows = [side[number].row for side, number in zip((left, right), below, strict=True) if number in side]
    centre = sum(rows) / len(rows) if rows else 0.0
    in_middle = [number for number in reversed(chain) if number in drawn]
    middle = {
        number: Place(part, 0, centre - LABELLED_ROWS * above, is_labelled=True)
        for above, number in enumerate(in_middle)
    }
    return left | right | middle


def _side(nodes: Nodes, drawn: Collection[int], root: int, column: int, step: int) -> Places:
    """A tree whose root is in a column, and which grows from there by steps of one column."""
    found: Places = {}
    leaves = 0

    def place(number: int, column: int) -> float:
        nonlocal leaves
        rows = [place(one, column + step) for one in feeders(nodes[number], nodes) if one in drawn]
        if not rows:
            leaves += 1
        row = sum(rows) / len(rows) if rows else float(leaves - 1)
        found[number] = Place(Part(nodes[number].part), column, row)
        return row

    if root in drawn:
        place(root, column)
    return found


def _shifted(places: Places, rows: float) -> Places:
    return {
        number: Place(place.part, place.column, place.row + rows, place.is_labelled) for number, place in places.items()
    }
