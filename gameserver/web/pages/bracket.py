"""The drawing of a knockout's tree: where its boxes and lines lie, in the units of an SVG.

The winners' part is above the losers', and what decides the tournament is to the right of both. A tree with a long
first round is drawn from both sides with its final in the middle: that halves its height, so its names stay legible
on a projector. A very large one leaves out the first rounds once they are decided. Encounters that have no players
at all are never drawn.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from attrs import define, field

from gameserver.tournaments.formats.knockout import NOBODY, From, Part
from gameserver.tournaments.output.view import NodeView, SourceView
from gameserver.values import value

BOX_HEIGHT = 46
STEP = 58
"""From one box to the next below it."""
COLUMN_GAP = 30
BOX_WIDTH_MIN, BOX_WIDTH_MAX = 124, 300
ASPECT = 2.2
"""Width by height of the room that a projector's screen has for the drawing."""
WIDTH_MIN = 1000
"""A small drawing is no narrower than this, as long as its boxes are not wider than they may be."""
HEADING_HEIGHT = 30
LABEL_HEIGHT = 24
_HEADING_ROWS = HEADING_HEIGHT / STEP
_LABELLED_ROWS = 1.4
"""From one box to the next below it, which has a label."""
LABEL_MARGIN = 50
"""The room beside the drawing for the last column's labels, which are wider than a box."""
ONE_SIDED_MAX = 8
"""The most boxes in the first column of a tree that is drawn from one side."""
BOXES_MAX = 64
"""With more boxes, rounds that are decided are left out."""


@value
class Box:
    """An encounter and its place. `label` stands above it, where no column has its stage as a heading."""

    node: NodeView
    x: int
    y: int
    label: str = ""


@value
class Heading:
    """A stage, above the middle of its column."""

    text: str
    x: int
    y: int


@value
class Drawing:
    """A whole bracket. `lines` are paths of SVG."""

    width: int
    height: int
    margin: int
    """The room to the left and right that only labels reach into."""
    box_width: int
    first_round: int
    """The first round that is drawn."""
    boxes: tuple[Box, ...]
    lines: tuple[str, ...]
    headings: tuple[Heading, ...]


@define
class _Places:
    """Nodes by number, each with its column and its row; fractions of a row lie between two."""

    of: dict[int, tuple[int, float]] = field(factory=dict)
    labelled: set[int] = field(factory=set)

    def shifted(self, columns: int, rows: float) -> "_Places":
        moved = {number: (column + columns, row + rows) for number, (column, row) in self.of.items()}
        return _Places(moved, self.labelled)

    @property
    def columns(self) -> range:
        found = [column for column, _ in self.of.values()]
        return range(min(found, default=0), max(found, default=-1) + 1)

    @property
    def rows(self) -> tuple[float, float]:
        found = [row for _, row in self.of.values()]
        return min(found, default=0.0), max(found, default=-1.0)


def drawing_of(nodes: Sequence[NodeView]) -> Drawing | None:
    """The drawing; None without any encounter."""
    drawn = _shown(nodes)
    if not drawn:
        return None
    is_two_sided = any(len(_first_boxes(drawn, part)) > ONE_SIDED_MAX for part in Part)
    upper, lower = (_tree(drawn, part, is_two_sided=is_two_sided) for part in (Part.WINNERS, Part.LOSERS))
    if lower.of:
        columns = _root_column(upper) - _root_column(lower) if is_two_sided else 0
        top = upper.rows[1] + 1 + _HEADING_ROWS
        if is_two_sided:
            top = max(top, _root_row(upper) + _LABELLED_ROWS + 1 + _HEADING_ROWS)
        lower = lower.shifted(columns, top - lower.rows[0])
    places = _Places(upper.of | lower.of, upper.labelled | lower.labelled)
    _place_finals(places, drawn, is_two_sided=is_two_sided)
    return _drawn(places, drawn)


def reached(nodes: Sequence[NodeView]) -> Mapping[str, str]:
    """The stage of the last encounter that each player came to; `won it` for the winner of the whole."""
    found: dict[str, str] = {}
    deciding = [node for node in nodes if node.note != "not needed" and node.part != Part.THIRD_PLACE]
    for node in sorted(nodes, key=lambda node: node.round):
        for player in (node.first, node.second):
            if player and node.note != "not needed":
                found[player] = node.stage
    champion = deciding[-1].winner if deciding else None
    return found | ({champion: "won it"} if champion else {})


def by_stage(nodes: Sequence[NodeView]) -> list[tuple[str, list[NodeView]]]:
    """The encounters that have players, by stage, the final first."""
    shown = [node for node in nodes if node.note not in {"empty", "not needed"}]
    ordered = sorted(shown, key=lambda node: (-node.round, node.part == Part.THIRD_PLACE, node.part, node.number))
    return [(stage, list(many)) for stage, many in groupby(ordered, key=lambda node: node.stage)]


def place_words(player: str | None, source: SourceView, *, is_closed: bool) -> str:
    """The words for a place in which no player stands."""
    if player == NOBODY:
        return "bye"
    if is_closed:
        return "not played"
    return "to come" if source.kind == From.SEED else f"{source.kind} of {source.number}"


def _shown(nodes: Sequence[NodeView]) -> dict[int, NodeView]:
    """The encounters to be drawn, by number."""
    shown = [node for node in nodes if node.note != "empty"]
    while len(shown) > BOXES_MAX:
        first = min(node.round for node in shown)
        if any(node.winner is None for node in shown if node.round == first):
            break
        shown = [node for node in shown if node.round > first]
    return {node.number: node for node in shown}


def _first_boxes(drawn: Mapping[int, NodeView], part: Part) -> list[int]:
    """The nodes of a part into which no line leads."""
    return [number for number, node in drawn.items() if node.part == part and not _feeders(node, drawn)]


def _feeders(node: NodeView, drawn: Mapping[int, NodeView]) -> list[int]:
    """The nodes of the same part whose winners come here."""
    numbers = [source.number for source in node.sources if source.kind == From.WINNER]
    return [number for number in numbers if number in drawn and drawn[number].part == node.part]


def _tree(drawn: Mapping[int, NodeView], part: Part, *, is_two_sided: bool) -> _Places:
    """The places of one part, whose last node is its root."""
    numbers = [number for number, node in drawn.items() if node.part == part]
    if not numbers:
        return _Places()
    chain = [numbers[-1]]
    while len(below := _feeders(drawn[chain[-1]], drawn)) == 1:
        chain.append(below[0])
    if not is_two_sided or len(below) < 2:
        return _side(drawn, numbers[-1])
    left, right = (_side(drawn, number) for number in below)
    middle = max(left.columns.stop, right.columns.stop)
    left = left.shifted(middle - left.columns.stop, 0)
    mirrored = {number: (2 * middle - column, row) for number, (column, row) in right.of.items()}
    right = _Places(mirrored).shifted(right.columns.stop - middle, 0)
    centre = (left.of[below[0]][1] + right.of[below[1]][1]) / 2
    in_middle = {number: (middle, centre - _LABELLED_ROWS * above) for above, number in enumerate(reversed(chain))}
    return _Places(left.of | right.of | in_middle, set(chain))


def _side(drawn: Mapping[int, NodeView], root: int) -> _Places:
    """A tree that grows to the left: its root is in the last column."""
    rows: dict[int, float] = {}
    depths: dict[int, int] = {}
    leaves = 0

    def place(number: int, depth: int) -> float:
        nonlocal leaves
        depths[number] = depth
        below = [place(one, depth + 1) for one in _feeders(drawn[number], drawn)]
        if not below:
            leaves += 1
        rows[number] = sum(below) / len(below) if below else float(leaves - 1)
        return rows[number]

    place(root, 0)
    deepest = max(depths.values())
    return _Places({number: (deepest - depths[number], row) for number, row in rows.items()})


def _root_column(places: _Places) -> int:
    return places.of[max(places.of)][0]


def _root_row(places: _Places) -> float:
    return places.of[max(places.of)][1]


def _place_finals(places: _Places, drawn: Mapping[int, NodeView], *, is_two_sided: bool) -> None:
    """Put in what decides the first places, beside the trees or in the middle between them."""
    last = {part: max((n for n, node in drawn.items() if node.part == part), default=0) for part in Part}
    column, row = places.of[last[Part.WINNERS]]
    if last[Part.THIRD_PLACE]:
        places.of[last[Part.THIRD_PLACE]] = (column, row + (2.2 if is_two_sided else 1.6))
        places.labelled.add(last[Part.THIRD_PLACE])
    finals = [number for number, node in drawn.items() if node.part == Part.FINAL]
    if not finals:
        return
    between = (row + places.of[last[Part.LOSERS]][1]) / 2 if last[Part.LOSERS] else row
    if is_two_sided:  # no lower than the losers' headings, which the decider stands among
        top = min(places.of[number][1] for number, node in drawn.items() if node.part == Part.LOSERS)
        between = min(between, top - 1 - _HEADING_ROWS)
    beside = column if is_two_sided else places.columns.stop
    for offset, number in enumerate(finals):
        places.of[number] = (beside + offset, between)
        places.labelled.add(number)


def _drawn(places: _Places, drawn: Mapping[int, NodeView]) -> Drawing:
    first, last = places.rows
    labelled_above = any(places.of[number][1] == first for number in places.labelled)
    top = HEADING_HEIGHT + (LABEL_HEIGHT if labelled_above else 0)
    columns = places.columns
    height = round((last - first) * STEP) + BOX_HEIGHT + top
    wanted = max(int(ASPECT * height), WIDTH_MIN) // len(columns) - COLUMN_GAP
    width = max(BOX_WIDTH_MIN, min(BOX_WIDTH_MAX, wanted))
    boxes = [
        Box(
            drawn[number],
            (column - columns.start) * (width + COLUMN_GAP),
            top + round((row - first) * STEP),
            drawn[number].stage if number in places.labelled else "",
        )
        for number, (column, row) in places.of.items()
    ]
    return Drawing(
        width=len(columns) * (width + COLUMN_GAP) - COLUMN_GAP,
        height=height,
        margin=LABEL_MARGIN if any(box.label for box in boxes) else 2,
        first_round=min(node.round for node in drawn.values()),
        box_width=width,
        boxes=tuple(sorted(boxes, key=lambda box: box.node.number)),
        lines=tuple(_lines(boxes, width)),
        headings=tuple(_headings(boxes, width)),
    )


def _headings(boxes: Iterable[Box], width: int) -> Iterable[Heading]:
    """The stage of each column of each part, above the highest box of the part."""
    plain = [box for box in boxes if not box.label]
    for part in (Part.WINNERS, Part.LOSERS):
        many = [box for box in plain if box.node.part == part]
        top = min((box.y for box in many), default=0)
        for x in sorted({box.x for box in many}):
            stages = dict.fromkeys(box.node.stage for box in many if box.x == x)
            yield Heading(" · ".join(stages), x + width // 2, top - 10)


def _lines(boxes: Sequence[Box], width: int) -> Iterable[str]:
    """A line from each box to the one that its winner goes to."""
    by_number = {box.node.number: box for box in boxes}
    for box in boxes:
        for number in dict.fromkeys(one.number for one in box.node.sources if one.kind == From.WINNER):
            if number in by_number:
                yield _line(by_number[number], box, width)


def _line(start: Box, end: Box, width: int) -> str:
    half = BOX_HEIGHT // 2
    if start.x == end.x:
        above, below = sorted((start, end), key=lambda box: box.y)
        room = LABEL_HEIGHT if below.label else 0
        return f"M{start.x + width // 2} {above.y + BOX_HEIGHT}V{below.y - room}"
    turn, x_from, x_to = COLUMN_GAP // 2, start.x + width, end.x
    if start.x > end.x:
        turn, x_from, x_to = -turn, start.x, end.x + width
    return f"M{x_from} {start.y + half}H{x_to - turn}V{end.y + half}H{x_to}"
