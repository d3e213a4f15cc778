"""The drawing of a knockout's tree: where its boxes and lines lie, in the units of an SVG.

The winners' part is above the losers'. A large tree is drawn from both sides with its last encounter in the middle:
that halves its height. What decides the tournament stands to the right of both parts, or in the middle between them.

Names must be read from the last row of a class. Where the whole tree leaves them too small, as much of it as must be
is folded: first the columns in which no player is known yet get narrow, then the losers' part begins where players are,
then rounds that are decided are left out, those farthest from the final first. The final is always there. Encounters
that have no players at all are never drawn.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, product

from gameserver.tournaments.knockout import NOBODY, From, Part, Source
from gameserver.tournaments.view import NodeView
from gameserver.values import value

# The most encounters in the first column of a tree that is drawn from one side.
_ONE_SIDED_MAX = 8
_HEADING_ROWS = 0.5
# From one box to the next below it, which has a label.
_LABELLED_ROWS = 1.45

_Nodes = Mapping[int, NodeView]

# The size of names in units of the SVG (`bracket.css`).
_LETTER = 20
# The least size of names on a projector of 1920 by 1080, for which the tree is folded. Whole, a double elimination of
# 60 players has names of 8.6 pixels; folded they have 17 or more at every stage.
_LETTER_WANTED_PX = 19
_ALONE, _ABOVE_BOARDS, _BESIDE_BOARDS = "alone", "above", "beside"
# The width and the height that such a projector has for the drawing, with the boards or without (`projector.css`).
_ROOMS_PX = {_ALONE: (1860, 905), _ABOVE_BOARDS: (1860, 545), _BESIDE_BOARDS: (1130, 905)}
_SCALE_MAX = 1.35
# Beyond this scale, room makes boxes wider for long names before it makes letters larger.
_WIDE_SCALE_MAX = 1.1
BOX_HEIGHT = 48
# From one box to the next below it.
_STEP = 52
_COLUMN_GAP = 26
_BOX_WIDTH_MAX, _FOLDED_WIDTH = 330, 34
# The second, with room for 10 letters beside a number and a score, is for players who are spread over many columns.
_BOX_WIDTHS_MIN = (190, 165)
_HEADING_HEIGHT = 26
LABEL_HEIGHT = 24
# The room beside the drawing for the last column's labels, which are wider than a box.
_LABEL_MARGIN = 30
# The notes of encounters that no list has.
_UNSEEN = frozenset({"empty", "not needed"})


@value
class _Place:
    """The column and row of an encounter in the drawing of a bracket, before they have a size.

    The last column of a part is 0. Columns to its left are negative; fractions of a row lie between two.
    """

    part: Part
    column: int
    row: float
    is_labelled: bool = False
    """True if the name of the round stands above the box, and not above its column."""


_Places = dict[int, _Place]


@value
class _Box:
    """An encounter and its place. `label` stands above it, where no column has the name of its round as a heading."""

    node: NodeView
    x: int
    y: int
    width: int
    label: str = ""
    is_folded: bool = False
    """True for a box without names."""


@value
class _Heading:
    """The name of a round, above the middle of its column."""

    text: str
    x: int
    y: int


@value
class Drawing:
    """The drawing of a whole bracket. `lines` are paths of SVG."""

    room: str
    """One of `_ROOMS_PX`."""
    width: int
    height: int
    margin: int
    """The room to the left and right that only labels reach into."""
    left_out: int
    """The number of decided encounters that are not drawn."""
    boxes: tuple[_Box, ...]
    lines: tuple[str, ...]
    headings: tuple[_Heading, ...]

    @property
    def letter_px(self) -> float:
        """The size of the names in a bracket on a projector."""
        room_width, room_height = _ROOMS_PX[self.room]
        width = self.width + 2 * self.margin
        return _LETTER * min(_SCALE_MAX, room_width / width, room_height / self.height)

    @property
    def numbers(self) -> frozenset[int]:
        """The encounters of a bracket that are drawn with their names."""
        return frozenset(box.node.number for box in self.boxes if not box.is_folded)


@lru_cache(maxsize=8)
def drawing_of(nodes: tuple[NodeView, ...], *, has_boards: bool) -> Drawing | None:
    """Draws the bracket of a knockout; None without any encounter.

    Cached, as every viewer of a page needs the same one.
    """
    there = {node.number: node for node in nodes if node.note != "empty"}
    if not there:
        return None
    best: Drawing | None = None
    rooms = (_ABOVE_BOARDS, _BESIDE_BOARDS) if has_boards else (_ALONE,)
    placed: dict[frozenset[int], _Places] = {}
    for room, narrowest, (drawn, is_folded) in product(rooms, _BOX_WIDTHS_MIN, tuple(_folds(there))):
        if drawn not in placed:
            placed[drawn] = _places_of(there, drawn, is_two_sided=_is_large(there))
        drawing = _drawn(there, placed[drawn], narrowest, room, is_folded=is_folded)
        if best is None or drawing.letter_px > best.letter_px:
            best = drawing
        if best.letter_px >= _LETTER_WANTED_PX:
            break
    return best


def reached(nodes: Sequence[NodeView]) -> Mapping[str, str]:
    """The round that a drawn bracket names for each player's last encounter; `won it` for the winner of the whole."""
    found: dict[str, str] = {}
    deciding = [node for node in nodes if node.note != "not needed" and node.part != Part.THIRD_PLACE]
    for node in sorted(nodes, key=lambda node: node.round):
        for player in (node.first, node.second):
            if player and node.note != "not needed":
                found[player] = node.round_name
    champion = deciding[-1].winner if deciding else None
    return found | ({champion: "won it"} if champion else {})


def by_round(nodes: Sequence[NodeView]) -> list[tuple[str, list[NodeView]]]:
    """Arranges a bracket for its page: encounters that have players, by the names of rounds, the final first."""
    shown = [node for node in nodes if node.note not in _UNSEEN]
    ordered = sorted(shown, key=lambda node: (-node.round, node.part == Part.THIRD_PLACE, node.part, node.number))
    return [(name, list(many)) for name, many in groupby(ordered, key=lambda node: node.round_name)]


def rounds_now(nodes: Sequence[NodeView]) -> frozenset[str]:
    """The rounds of a bracket in question: those in which games are played, else the next ones, else the last ones."""
    shown = [node for node in nodes if node.note not in _UNSEEN]
    playing = frozenset(node.round_name for node in shown if node.is_playing)
    if playing:
        return playing
    ready = [node.round for node in shown if node.winner is None and node.first and node.second]
    wanted = min(ready, default=max((node.round for node in shown), default=0))
    return frozenset(node.round_name for node in shown if node.round == wanted)


def place_words(player: str | None, source: Source, *, is_closed: bool, drawn: Collection[int] | None = None) -> str:
    """Words in a drawn bracket for a place without a player. An encounter that is not `drawn` is not referred to."""
    if player == NOBODY:
        return "bye"
    if is_closed:
        return "not played"
    is_shown = drawn is None or source.number in drawn
    return f"{source.kind} of {source.number}" if source.kind != From.SEED and is_shown else "to come"


def _folds(nodes: _Nodes) -> Iterator[tuple[frozenset[int], bool]]:
    """The encounters to be drawn and whether columns are folded, from the whole tree to the least of it."""
    drawn = frozenset(nodes)
    yield drawn, False
    yield drawn, True
    roots = {node.part: number for number, node in nodes.items()}
    kept = {number for number, node in nodes.items() if node.part in {Part.FINAL, Part.THIRD_PLACE}} | {*roots.values()}
    drawn = drawn - _unknown_beginnings(nodes, kept)
    yield drawn, True
    decided = {number: _distance(nodes[number], nodes[roots[nodes[number].part]]) for number in drawn - kept}
    decided = {number: distance for number, distance in decided.items() if nodes[number].winner is not None}
    for farthest in sorted({*decided.values()}, reverse=True):
        drawn -= {number for number, distance in decided.items() if distance == farthest}
        yield drawn, True


def _distance(node: NodeView, root: NodeView) -> int:
    """The rounds that are left to the root of a part. For each round of the winners' the losers' part has two."""
    return (root.round - node.round) * (2 if node.part == Part.WINNERS else 1)


def _unknown_beginnings(nodes: _Nodes, kept: set[int]) -> set[int]:
    """The first encounters of the losers' part, as far as none of their players is known."""
    found: set[int] = set()
    for number, node in nodes.items():  # each after those that lead to it
        is_unknown = node.part == Part.LOSERS and not (node.first or node.second)
        if is_unknown and number not in kept and found.issuperset(_feeders(node, nodes)):
            found.add(number)
    return found


def _drawn(nodes: _Nodes, places: _Places, narrowest: int, room: str, *, is_folded: bool) -> Drawing:
    is_two_sided = _is_large(nodes)
    rows = [place.row for place in places.values()]
    first, last = min(rows), max(rows)
    labelled_above = any(place.row == first and place.is_labelled for place in places.values())
    top = _HEADING_HEIGHT + (LABEL_HEIGHT if labelled_above else 0)
    height = round((last - first) * _STEP) + BOX_HEIGHT + top
    folded = _folded_columns(nodes, places) if is_folded else frozenset()
    room_width, room_height = _ROOMS_PX[room]
    width_max = room_width / min(_WIDE_SCALE_MAX, room_height / height) - 2 * _LABEL_MARGIN
    sizes = (
        _columns(places, folded, width, is_two_sided=is_two_sided) for width in range(_BOX_WIDTH_MAX, narrowest, -10)
    )
    least = _columns(places, folded, narrowest, is_two_sided=is_two_sided)
    columns, whole = next((one for one in sizes if one[1] <= width_max), least)
    boxes = [
        _Box(
            nodes[number],
            columns[place.part, place.column][0],
            top + round((place.row - first) * _STEP),
            columns[place.part, place.column][1],
            nodes[number].round_name if place.is_labelled else "",
            (place.part, place.column) in folded,
        )
        for number, place in places.items()
    ]
    return Drawing(
        room=room,
        width=whole,
        height=height,
        margin=_LABEL_MARGIN,
        left_out=sum(nodes[number].winner is not None for number in nodes.keys() - places.keys()),
        boxes=tuple(sorted(boxes, key=lambda box: box.node.number)),
        lines=tuple(_lines(boxes)),
        headings=tuple(_headings(boxes)),
    )


_Column = tuple[Part, int]


def _folded_columns(nodes: _Nodes, places: _Places) -> frozenset[_Column]:
    """The columns in which no player is known."""
    known = {
        (place.part, place.column) for number, place in places.items() if nodes[number].first or nodes[number].second
    }
    every = {(place.part, place.column) for place in places.values() if place.part != Part.FINAL and place.column}
    return frozenset(every - known)


def _columns(
    places: _Places, folded: frozenset[_Column], width: int, *, is_two_sided: bool
) -> tuple[dict[_Column, tuple[int, int]], int]:
    """The beginning and the width of each column; and the width of all."""
    every = {(place.part, place.column) for place in places.values()}
    found: dict[_Column, tuple[int, int]] = {}
    for part in (Part.WINNERS, Part.LOSERS):
        numbers = sorted(column for of, column in every if of is part)
        x = 0
        for column in numbers if not is_two_sided else [one for one in numbers if one >= 0]:
            own = _FOLDED_WIDTH if (part, column) in folded else width
            found[part, column] = (x, own)
            x += own + _COLUMN_GAP
        x = 0
        for column in [one for one in reversed(numbers) if one < 0] if is_two_sided else []:
            own = _FOLDED_WIDTH if (part, column) in folded else width
            x -= own + _COLUMN_GAP
            found[part, column] = (x, own)
    x = 0 if is_two_sided else max(start + own + _COLUMN_GAP for start, own in found.values())
    for column in sorted(column for part, column in every if part is Part.FINAL):
        found[Part.FINAL, column] = (x, width)
        x += width + _COLUMN_GAP
    left = min(start for start, _ in found.values())
    right = max(start + own for start, own in found.values())
    if is_two_sided:  # with the final in the middle of the screen
        half = max(-left, right - width)  # the narrower side gets an empty margin
        left, right = -half, half + width
    return {column: (start - left, own) for column, (start, own) in found.items()}, right - left


def _headings(boxes: Iterable[_Box]) -> Iterator[_Heading]:
    """The name of the round of each column of each part, above the highest box of the part."""
    plain = [box for box in boxes if not box.label]
    for part in (Part.WINNERS, Part.LOSERS):
        many = [box for box in plain if box.node.part == part]
        top = min((box.y for box in many), default=0)
        columns = {box.x: box for box in many}
        for x, box in sorted(columns.items()):
            name = box.node.round_name
            yield _Heading(_short_round_name(name) if box.is_folded else name, x + box.width // 2, top - 9)


def _short_round_name(round_name: str) -> str:
    """The name of a round in two or three letters: `R16`, `QF`, `SF`, `L3`."""
    words = round_name.replace("Losers' round", "L").replace("Round of", "R").replace("-final", " F").split()
    return "".join(word if word.isdigit() else word[0].upper() for word in words)


def _lines(boxes: Sequence[_Box]) -> Iterator[str]:
    """A line from each box to the one that its winner goes to."""
    by_number = {box.node.number: box for box in boxes}
    for box in boxes:
        for number in dict.fromkeys(one.number for one in box.node.sources if one.kind == From.WINNER):
            if number in by_number:
                yield _line(by_number[number], box)


def _line(start: _Box, end: _Box) -> str:
    half = BOX_HEIGHT // 2
    if start.x == end.x:
        above, below = sorted((start, end), key=lambda box: box.y)
        room = LABEL_HEIGHT if below.label else 0
        return f"M{start.x + start.width // 2} {above.y + BOX_HEIGHT}V{below.y - room}"
    turn, x_from, x_to = _COLUMN_GAP // 2, start.x + start.width, end.x
    if start.x > end.x:
        turn, x_from, x_to = -turn, start.x, end.x + end.width
    return f"M{x_from} {start.y + half}H{x_to - turn}V{end.y + half}H{x_to}"


def _feeders(node: NodeView, nodes: _Nodes) -> list[int]:
    """The nodes of the same part whose winners come here."""
    numbers = [source.number for source in node.sources if source.kind == From.WINNER]
    return [number for number in numbers if number in nodes and nodes[number].part == node.part]


def _is_large(nodes: _Nodes) -> bool:
    """True for a tree that is drawn from both sides."""
    firsts = [node.part for node in nodes.values() if not _feeders(node, nodes)]
    return any(firsts.count(part.value) > _ONE_SIDED_MAX for part in Part)


def _places_of(nodes: _Nodes, drawn: Collection[int], *, is_two_sided: bool) -> _Places:
    """The places of the nodes that are drawn. Whatever leads to one that is not drawn is not drawn either."""
    upper = _part(nodes, drawn, Part.WINNERS, is_two_sided=is_two_sided)
    lower = _part(nodes, drawn, Part.LOSERS, is_two_sided=is_two_sided)
    finals = [number for number in drawn if nodes[number].part == Part.FINAL]
    bottom = max(place.row for place in upper.values())
    places = dict(upper)
    if lower:
        top = bottom + 1 + _HEADING_ROWS
        middle = min((place.row for place in lower.values() if place.is_labelled), default=0.0)
        if is_two_sided:  # the finals have a row of their own
            top = max(bottom + _LABELLED_ROWS + 1 + _HEADING_ROWS, bottom + 2 * _LABELLED_ROWS - middle)
        lower = _shifted(lower, top)
        places |= lower
    row = upper[_last(nodes, Part.WINNERS)].row
    if is_two_sided:
        row = bottom + _LABELLED_ROWS
    elif lower:
        row = (row + lower[_last(nodes, Part.LOSERS)].row) / 2
    for offset, number in enumerate(sorted(finals)):
        places[number] = _Place(Part.FINAL, offset, row, is_labelled=True)
    for number in (number for number in drawn if nodes[number].part == Part.THIRD_PLACE):
        below = upper[_last(nodes, Part.WINNERS)].row + (2.2 if is_two_sided else 1.6)
        places[number] = _Place(Part.WINNERS, 0, below, is_labelled=True)
    return places


def _last(nodes: _Nodes, part: Part) -> int:
    return max(number for number, node in nodes.items() if node.part == part)


def _part(nodes: _Nodes, drawn: Collection[int], part: Part, *, is_two_sided: bool) -> _Places:
    """The places of one part, whose last node is its root."""
    if not any(node.part == part for node in nodes.values()):
        return {}
    chain = [_last(nodes, part)]
    while len(below := _feeders(nodes[chain[-1]], nodes)) == 1:
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
        number: _Place(part, 0, centre - _LABELLED_ROWS * above, is_labelled=True)
        for above, number in enumerate(in_middle)
    }
    return left | right | middle


def _side(nodes: _Nodes, drawn: Collection[int], root: int, column: int, step: int) -> _Places:
    """A tree whose root is in a column, and which grows from there by steps of one column."""
    found: _Places = {}
    leaves = 0

    def place(number: int, column: int) -> float:
        nonlocal leaves
        rows = [place(one, column + step) for one in _feeders(nodes[number], nodes) if one in drawn]
        if not rows:
            leaves += 1
        row = sum(rows) / len(rows) if rows else float(leaves - 1)
        found[number] = _Place(Part(nodes[number].part), column, row)
        return row

    if root in drawn:
        place(root, column)
    return found


def _shifted(places: _Places, rows: float) -> _Places:
    return {
        number: _Place(place.part, place.column, place.row + rows, place.is_labelled)
        for number, place in places.items()
    }
