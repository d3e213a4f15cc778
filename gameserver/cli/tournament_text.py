"""Tournaments as tables for a terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
from rich.table import Column, Table

WIDE = 120
"""From how many columns on there is room for the tie-breaks."""

View = Mapping[str, Any]
"""A tournament as the admin listener tells it: `gameserver.tournaments.output.view` in terms of JSON."""


def duration(ms: int | None) -> str:
    """A time span for people; empty where nobody can tell."""
    if ms is None:
        return ""
    seconds = round(ms / 1000)
    if seconds < 60:
        return f"{seconds} s"
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02} h" if hours else f"{minutes}:{seconds:02} min"


def listing(tournaments: Sequence[View]) -> Table:
    """A line for each tournament."""
    texts = map(_text, ("name", "game", "format", "state"))
    table = Table(_figure("no."), *texts, *map(_figure, ("players", "done", "left", "time left")))
    for one in tournaments:
        left = "" if one["left"] is None else str(one["left"] + one["playing"])
        cells = (one["name"], one["game"], one["format"], one["phase"], str(one["players"]), str(one["done"]))
        table.add_row(str(one["number"]), *cells, left, duration(one["eta_ms"]))
    return table


def headline(view: View) -> str:
    """The state of a tournament, in a line."""
    where = f"round {view['round']}" + (f" of {view['rounds']}" if view["rounds"] else "")
    left = "" if view["left"] is None else f", {view['left'] + view['playing']} games left"
    eta = f", about {duration(view['eta_ms'])}" if view["eta_ms"] is not None else ""
    what = f"{view['name']} ({view['game']}, {view['format']})"
    held = f", {view['held']} to be decided by you" if view["held"] else ""
    return f"{what}: {view['phase']}, {where}, {view['done']} done{left}{held}{eta}"


def turn_time(view: View) -> str:
    """The time for a turn of a new tournament."""
    turn_time_ms = view["turn_time_ms"]
    return "the server's time for a turn" if turn_time_ms is None else f"{turn_time_ms / 1000:g} s for a turn"


def to_decide(view: View) -> Iterator[str]:
    """A line for each game that waits for the teacher, with what can be done."""
    for one in view["pairings"]:
        if one["status"] == "held":
            yield (
                f"pairing {one['number']}, {one['first']} - {one['second']}, waits for you: {one['reason']}. "
                f"`gameserver tournament void {one['number']} --why REASON` has it played again, "
                f"`gameserver tournament correct {one['number']} RESULT --why REASON` sets the result"
            )


def warn(view: View) -> None:
    """Say on standard error what to know before the results are believed."""
    for warning in view["warnings"]:
        click.echo(f"warning: {warning}", err=True)


def standings(view: View, width: int) -> Table:
    """The standings, with their tie-breaks where so many columns of text have room for them.

    A line is drawn where the results tell apart those above and below.
    """
    kinds = view["tie_breaks"] if width >= WIDE else ()
    rows = view["standings"]
    notes = [_text("")] if any(row["note"] for row in rows) else []
    counts = map(_figure, ("points", "played", "+", "=", "-"))
    table = Table(_figure("rank"), _figure("range"), _text("player"), *counts, *map(_text, kinds), *notes)
    for number, row in enumerate(rows):
        below = rows[number + 1] if number + 1 < len(rows) else None
        apart = below is not None and row["group"] != below["group"]
        interval = "" if row["best"] is None else _interval(row["best"], row["worst"])
        counted = (str(row[key]) for key in ("points", "played", "wins", "draws", "losses"))
        rank = "" if row["rank"] is None else str(row["rank"])
        note = [row["note"]] if notes else []
        table.add_row(rank, interval, row["name"], *counted, *row["tie_breaks"][: len(kinds)], *note, end_section=apart)
    return table


def crosstable(view: View) -> Table:
    """Everybody against everybody."""
    lines = range(1, len(view["standings"]) + 1)
    table = Table(_figure(""), _text("player"), *(_figure(str(line)) for line in lines), _figure("points"))
    for line, row, cells in zip(lines, view["standings"], view["crosstable"], strict=True):
        table.add_row(str(line), row["name"], *cells, row["points"])
    return table


def matches(view: View, *, only_open: bool = True) -> Table:
    """The pairings: those that are open, or all."""
    players = map(_text, ("first", "second"))
    table = Table(
        _figure("pairing"), _text("round"), *players, *map(_figure, ("state", "match", "result")), _text("reason")
    )
    for one in view["pairings"]:
        if not only_open or one["status"] in {"playing", "announced", "held"}:
            stage = one["stage"] or str(one["round"])
            match = "" if one["match"] is None else str(one["match"])
            cells = (one["first"], one["second"], one["status"], match, one["result"], one["reason"])
            table.add_row(str(one["number"]), stage, *cells)
    return table


def _figure(heading: str) -> Column:
    """A column that is never cut: a grade hangs on it."""
    return Column(heading, no_wrap=True)


def _text(heading: str) -> Column:
    """A column that goes over several lines where there is no room."""
    return Column(heading, overflow="fold")


def _interval(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}-{worst}"
