"""Tournaments as tables for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Column, Table

WIDE = 120
"""From how many columns on there is room for the tie-breaks."""

View = Mapping[str, Any]
"""A tournament as the admin listener tells it: `gameserver.tournaments.view` in terms of JSON."""


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
    table = Table("no.", "name", "game", "format", "state", "players", "done", "left", "time left")
    for one in tournaments:
        left = "" if one["left"] is None else str(one["left"] + one["playing"])
        cells = (one["name"], one["game"], one["format"], one["phase"], str(one["players"]), str(one["done"]))
        table.add_row(str(one["number"]), *cells, left, duration(one["eta_ms"]))
    return table


def headline(view: View) -> str:
    """Where a tournament stands, in a line."""
    where = f"round {view['round']}" + (f" of {view['rounds']}" if view["rounds"] else "")
    left = "" if view["left"] is None else f", {view['left'] + view['playing']} games left"
    eta = f", about {duration(view['eta_ms'])}" if view["eta_ms"] is not None else ""
    what = f"{view['name']} ({view['game']}, {view['format']})"
    return f"{what}: {view['phase']}, {where}, {view['done']} done{left}{eta}"


def standings(view: View, width: int) -> Table:
    """The standings, with their tie-breaks where so many columns of text have room for them.

    A line is drawn where the results tell apart those above and below.
    """
    kinds = view["tie_breaks"] if width >= WIDE else ()
    player = Column("player", no_wrap=True)
    table = Table("rank", "may be", player, "points", "played", "+", "=", "-", *kinds, "")
    rows = view["standings"]
    for number, row in enumerate(rows):
        below = rows[number + 1] if number + 1 < len(rows) else None
        apart = below is not None and row["group"] != below["group"]
        interval = "" if row["best"] is None else _interval(row["best"], row["worst"])
        counts = (str(row[key]) for key in ("points", "played", "wins", "draws", "losses"))
        rank = "" if row["rank"] is None else str(row["rank"])
        figures = (*counts, *row["tie_breaks"][: len(kinds)])
        table.add_row(rank, interval, row["name"], *figures, row["note"], end_section=apart)
    return table


def crosstable(view: View) -> Table:
    """Everybody against everybody."""
    lines = range(1, len(view["standings"]) + 1)
    table = Table("", "player", *map(str, lines), "points")
    for line, row, cells in zip(lines, view["standings"], view["crosstable"], strict=True):
        table.add_row(str(line), row["name"], *cells, row["points"])
    return table


def matches(view: View, *, only_open: bool = True) -> Table:
    """The pairings: those that are open, or all."""
    table = Table("pairing", "round", "first", "second", "state", "match", "result", "reason")
    for one in view["pairings"]:
        if not only_open or one["status"] in {"playing", "announced"}:
            stage = one["stage"] or str(one["round"])
            match = "" if one["match"] is None else str(one["match"])
            cells = (one["first"], one["second"], one["status"], match, one["result"], one["reason"])
            table.add_row(str(one["number"]), stage, *cells)
    return table


def _interval(best: int, worst: int) -> str:
    return str(best) if best == worst else f"{best}-{worst}"
