"""Tournaments as tables for a terminal.

While the server is away, the words are those of the pages (`web/static/outage.js`).
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import click
from attrs import define
from rich.console import Console, Group
from rich.table import Table

from gameserver.cli.common import print_line
from gameserver.cli.fitted_table import Field, fits, fitted
from gameserver.tournaments.plan import Format
from gameserver.tournaments.view import format_words

View = Mapping[str, Any]
"""A tournament as the admin listener tells it: `gameserver.tournaments.view` in terms of JSON."""

AWAY = "The server is away. Nothing is lost; play goes on when it is back."
BACK = "The server is back."

_WIDE = 120
"""From how many columns on there is room for the tie-breaks."""

_BRIEF_MS = 5_000
"""Waits that are no longer are not told."""


def listing(tournaments: Sequence[View], width: int) -> Table:
    """The table of all tournaments for a terminal, a line for each."""
    left = ["" if one["left"] is None else str(one["left"] + one["playing"]) for one in tournaments]
    return fitted(
        (
            Field("no.", tuple(str(one["number"]) for one in tournaments)),
            _names("name", tournaments, "name"),
            _figures("game", tournaments, "game", drop=3),
            _figures("format", tournaments, "format", drop=1),
            _figures("state", tournaments, "phase"),
            _figures("players", tournaments, "players", drop=2),
            _figures("done", tournaments, "done"),
            Field("left", tuple(left)),
            Field("time left", tuple(duration(one["eta_ms"]) for one in tournaments), drop=4),
        ),
        width,
    )


def headline(view: View) -> str:
    """The state of a tournament in a line, for a terminal."""
    return f"{title(view)}: {progress(view)}"


def title(view: View) -> str:
    """A tournament for a terminal, with its game and format."""
    return f"{view['name']} ({view['game']}, {format_of(view)})"


def format_of(view: View) -> str:
    """The format of a tournament in words for a terminal: `knockout, best of 3`."""
    return view.get("stages_text") or format_words(view["format"], view["games"])


def progress(view: View) -> str:
    """Writes for a terminal how far a tournament is: its phase, round, and games that are done and left."""
    rounds = f" of {view['rounds']}" if view["rounds"] else ""
    where = f", round {view['round']}{rounds}" if view["has_rounds"] else ""
    left = "" if view["left"] is None else f", {view['left'] + view['playing']} games left"
    eta = f", about {duration(view['eta_ms'])}" if view["eta_ms"] is not None else ""
    announced = f", {view['announced']} announced" if view["announced"] else ""
    held = f", {view['held']} to be decided by you" if view["held"] else ""
    return f"{view['phase']}{where}, {view['done']} done{left}{announced}{held}{eta}"


def waiting_line(view: View) -> str:
    """Tells a terminal for whom a whole tournament waits, and since when; empty if for nobody, or only for a moment."""
    waiting = view.get("waiting")
    # Between two games everybody waits for a moment; a name then would accuse a player who is not late.
    if waiting is None or waiting["for_ms"] < _BRIEF_MS:
        return ""
    hold = waiting["hold"]
    if hold is not None and hold["for_ms"] >= _BRIEF_MS:
        waiting = {"players": [hold["player"]], "for_ms": hold["for_ms"], "why": hold["why"]}
    why = "" if waiting["why"] in {"", "to move"} else f" ({waiting['why']})"
    return f"waiting for {' and '.join(waiting['players'])}, {clock(waiting['for_ms'] / 1000)}{why}"


def numbers_rounds(view: View) -> bool:
    """True if a tournament's table at a terminal has rounds; in an arena everybody plays on once they are free."""
    return bool(view["format"] != Format.ARENA)


def turn_time(view: View) -> str:
    """The time for a turn of a new tournament, in words for a terminal."""
    return view["clock"] or "the server's clock"


def tell_to_decide(console: Console, view: View, told: set[str]) -> None:
    """Tells at a terminal what a tournament's teacher must decide, each game once; `told` keeps lines printed."""
    for line in to_decide(view):
        if line not in told:
            print_line(console, line)
            told.add(line)


def to_decide(view: View) -> Iterator[str]:
    """A line for a terminal for each game that waits for the tournament's teacher, with what can be done."""
    for one in view["pairings"]:
        if one["status"] == "held":
            yield (
                f"pairing {one['number']}, {one['first']} - {one['second']}, waits for you: {one['reason']}. "
                f"`gameserver tournament void {one['number']} --why REASON` has it played again, "
                f"`gameserver tournament correct {one['number']} RESULT --why REASON` sets the result"
            )


def warn(view: View) -> None:
    """Says at a terminal, on standard error, what to know before a tournament's results are believed."""
    for warning in view["warnings"]:
        click.echo(f"warning: {warning}", err=True)


def standings(view: View, width: int) -> Table:
    """The standings of a tournament as a table for a terminal, with the tie-breaks that it has room for.

    A line is drawn where the results tell apart those above and below.
    """
    rows = view["standings"]
    kinds = view["tie_breaks"] if width >= _WIDE else ()
    # The last tie-breaks decide least often, so they are left out first.
    values = [
        Field(kind, tuple(row["tie_breaks"][at] for row in rows), is_text=True, drop=len(kinds) - at)
        for at, kind in enumerate(kinds)
    ]
    ends = [at for at, (row, below) in enumerate(pairwise(rows)) if row["group"] != below["group"]]
    columns = standings_fields(rows, len(kinds))
    return fitted((*columns[:-1], *values, columns[-1]), width, ends=ends)


def teams(view: View, width: int) -> Table:
    """The team standings of a tournament as a table for a terminal."""
    rows = view["teams"]
    has_matches = rows[0]["match_points"] is not None
    by = tuple(", ".join(row["matches" if has_matches else "players"]) for row in rows)
    columns = (
        _figures("rank", rows, "rank"),
        _names("team", rows, "team"),
        *((_figures("match points", rows, "match_points"),) if has_matches else ()),
        _figures("points", rows, "points"),
        Field("matches" if has_matches else "by", by, is_text=True, drop=1),
    )
    return fitted(columns, width, title="Teams")


def standings_fields(rows: Sequence[View], before: int = 0) -> tuple[Field, ...]:
    """Lays out a tournament's standings for a terminal, in columns without tie-breaks.

    `before` others are to be left out before one of these is.
    """
    counts = (("+", "wins"), ("=", "draws"), ("-", "losses"))
    ranks = ("" if row["rank"] is None else str(row["rank"]) for row in rows)
    intervals = tuple("" if row["best"] is None else _interval(row["best"], row["worst"]) for row in rows)
    return (
        Field("rank", tuple(ranks)),
        *((Field("strength(95%)", intervals, drop=before + 3),) if any(intervals) else ()),
        _names("player", rows, "name"),
        _figures("points", rows, "points"),
        _figures("played", rows, "played", drop=before + 2),
        *(_figures(heading, rows, key) for heading, key in counts),
        _figures("note", rows, "note", drop=before + 1),
    )


def crosstable(view: View, width: int) -> Group:
    """The crosstable of a tournament for a terminal.

    It is everybody against everybody; in a Swiss by rounds, as `5w1`; in an arena the opponents of each player.

    Columns for which a line has no room follow in tables of their own. Several stages have a table for each group.
    """
    if view["stages"]:
        return Group(*(block for stage in view["stages"] for block in _of_groups(stage, width)))
    rows = view["standings"]
    lines = tuple(map(str, range(1, len(rows) + 1)))
    before, after = (Field("", lines), _names("player", rows, "name")), (_figures("points", rows, "points"),)
    if view["format"] == Format.ARENA:
        met = tuple(", ".join(map(_score_against, own)) for own in view["opponents"])
        return Group(fitted((*before, Field("opponents", met, is_text=True), *after), width))
    is_swiss = view["format"] == Format.SWISS or bool(view["round_table"])
    cells = [["" if one is None else one["text"] for one in row] for row in view["round_table"]]
    cells = cells if is_swiss else view["crosstable"]
    count = len(cells[0]) if cells else 0
    columns = [Field(str(at + 1), tuple(row[at] for row in cells)) for at in range(count)]
    # The last columns have the widest headings.
    most = next((count for count in range(len(columns), 1, -1) if fits((*before, *columns[-count:], *after), width)), 1)
    # Split evenly, so that the last table is no rest of one or two columns.
    blocks = max(1, -(-len(columns) // most))
    size = max(1, -(-len(columns) // blocks))
    found = []
    for start in range(0, max(1, len(columns)), size):
        block = columns[start : start + size]
        what = "rounds" if is_swiss else "against"
        title = f"{what} {block[0].heading} to {block[-1].heading}" if blocks > 1 else ""
        found.append(fitted((*before, *block, *after), width, title=title))
    return Group(*found)


def _of_groups(stage: View, width: int) -> Iterator[str | Group]:
    """The tables of a stage, each under its name."""
    for group in stage["groups"]:
        yield f"{stage['name']}, group {group['number']}" if group["number"] else stage["name"]
        yield crosstable(group, width)


def _score_against(one: View) -> str:
    return f"{one['opponent']} {one['score'][0]}-{one['score'][1]}"


def matches(view: View, width: int, *, only_open: bool = True) -> Table:
    """The pairings of a tournament as a table for a terminal: those that are open, or all."""
    pairings = open_pairings(view) if only_open else [*view["pairings"], *map(_idle_line, view["idle"])]
    pairings.sort(key=lambda one: one["round"])
    return fitted(matches_fields(pairings, in_rounds=numbers_rounds(view)), width)


def _idle_line(one: View) -> View:
    """A bye, or a round before a late entry, as a line of pairings."""
    counted = f"{one['points']} to {one['player']}"
    virtual = f"; in Buchholz a virtual opponent with {one['virtual_points']}" if one["virtual_points"] else ""
    blank = dict.fromkeys(("number", "round_name", "second", "result"), "")
    line = {"round": one["round"], "first": one["player"], "status": one["kind"], "match": None}
    return blank | line | {"reason": f"{counted}{virtual}"}


def open_pairings(view: View) -> list[View]:
    """The pairings to show at a terminal: those being played, or to be played now, or waiting for a decision."""
    return [one for one in view["pairings"] if one["status"] in {"playing", "announced", "held"}]


def matches_fields(pairings: Sequence[View], *, in_rounds: bool = True) -> tuple[Field, ...]:
    """The columns of a tournament's pairings for a terminal."""
    rounds = tuple((one["round_name"] or str(one["round"])) if in_rounds else "" for one in pairings)
    return (
        _figures("no.", pairings, "number"),
        Field("round", rounds, drop=1),
        _names("first", pairings, "first"),
        _names("second", pairings, "second"),
        _figures("state", pairings, "status", drop=3),
        Field("match", tuple("" if one["match"] is None else str(one["match"]) for one in pairings), drop=2),
        _figures("result", pairings, "result", drop=5),
        Field("reason", tuple(one["reason"] for one in pairings), is_text=True, drop=4),
    )


def _names(heading: str, rows: Iterable[View], key: str) -> Field:
    return Field(heading, tuple(row[key] for row in rows), is_name=True)


def _figures(heading: str, rows: Iterable[View], key: str, drop: int = 0) -> Field:
    """Values that are never cut: a grade hangs on them."""
    return Field(heading, tuple(str(row[key]) for row in rows), drop=drop)


def _interval(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}-{worst}"


@define
class Outage:
    """Tells a teacher who watches a tournament that the server is away, and since when.

    `say` prints a line where no screen is updated.
    """

    say: Callable[[str], None]
    now_s: Callable[[], float] = time.monotonic
    _since_s: float | None = None

    def begin(self) -> None:
        """Note that the server of a watched tournament did not answer."""
        if self._since_s is None:
            self._since_s = self.now_s()
            self.say(AWAY)

    def end(self) -> None:
        """Note that the server of a watched tournament has answered."""
        if self._since_s is not None:
            self._since_s = None
            self.say(BACK)

    @property
    def note(self) -> str:
        """The words for a tournament's screen while its server is away, with the time since; empty if it is not."""
        if self._since_s is None:
            return ""
        return f"{AWAY} {clock(self.now_s() - self._since_s)}"


def clock(seconds: float) -> str:
    """Writes for a terminal a time that is being counted in a tournament: `0:42`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def duration(ms: int | None) -> str:
    """Writes a time span of a tournament for a terminal; empty where nobody can tell."""
    if ms is None:
        return ""
    seconds = round(ms / 1000)
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02} h" if hours else f"{minutes}:{seconds:02} min"
