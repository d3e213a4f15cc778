"""Rows of figures, as a table for people and as JSON for programs."""

import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from attrs import asdict, evolve, field, frozen
from rich.console import Console
from rich.table import Column, Table

from gameserver.database.address import shown
from tests.benchmarks.plan import Plan
from tests.benchmarks.processes import RAISED

Figures = dict[str, float]
"""Figures by their names, which end with their units."""

TITLES: Mapping[str, str] = {
    "load": "Matches at full speed (a message of the echo counts as a move)",
    "paced": "Matches at a human pace",
    "memory": "Memory and admission of idle connections",
    "idle": "CPU with nothing to do",
    "transports": "A line of 64 bytes and back, or a request, by transport",
    "guesses": "Guesses of Mastermind codes (a message of the echo counts as a guess)",
    "hub": "Backgammon through the SignalR hub (a message of the echo counts as a call)",
    "browsers": "Players in a browser (text is: as many players of the text protocol, the same matches)",
    "states": "Bytes of a game's state as it is sent (the echo is: with all sequences of moves)",
    "abuse": "What players notice of a flood (the echo is: the same players alone)",
    "pages": "Matches with viewers of the lobby's page (the echo is: the same matches without them)",
    "fan-out": "The page of a running tournament (bare: 8 KB written to each viewer every second)",
    "restart": "From the start of the process to the first line on the port",
    "proxy": "HAProxy in front of the echo (a message of the echo counts as a move)",
    "databases": "Matches on PostgreSQL (the ratio is to the same server on SQLite)",
    "halls": "Matches in two halls over one database (the ratio is to one hall; all share the cores)",
    "commits": "The journal's commits alone, by database",
    "starts": "From the start of the process to the first line on the port, by database",
    "failover": "From the end of the leader, through HAProxy, to what players notice of the other server",
    "tournament": "A whole tournament (the echo is: the same bots, as many games, out of the queue)",
    "peers": "Matches on our server and on Colyseus (the ratio is to the durable one, which gives our guarantee)",
    "thinking": "What players notice of house players that think (quiet is: the same players alone)",
    "strengths": "Levels of the house against each other (95 % error bars)",
    "standings": "Looking at a tournament (the echo is: adding the points up in a dict, and sorting)",
}
_OF_THE_HARNESS = ("generator CPU %", "others CPU %")


@frozen
class Row:
    """The same thing done to the server and to the baseline, which is the echo if it has no other name.

    `beside` are further servers, and `rounds` holds what all of them are the medians of.
    """

    part: str
    what: str
    server: Figures
    echo: Figures
    rounds: Mapping[str, Sequence[Figures]] = field(factory=dict)
    baseline: str = "echo"
    beside: Mapping[str, Figures] = field(factory=dict)

    def ratio(self) -> Figures:
        """How many times the baseline's figure the server's is."""
        return {
            key: self.server[key] / value
            for key, value in self.echo.items()
            if value and key in self.server and key not in _OF_THE_HARNESS
        }


def show(rows: Sequence[Row], plan: Plan) -> None:
    """Print a table for each part."""
    console = Console(width=None if os.isatty(1) else 180, highlight=False)
    console.print(f"[bold]{machine()}[/bold]")
    console.print(cores(plan))
    console.print(f"Settings other than the default: {settings()}.")
    for part in dict.fromkeys(row.part for row in rows):
        console.print(_table(part, [row for row in rows if row.part == part]))


def save(rows: Sequence[Row], plan: Plan, path: Path) -> None:
    """Write everything to a file."""
    told = {
        "machine": machine(),
        "plan": asdict(
            evolve(plan, data=shown(plan.data)),
            value_serializer=lambda _, __, value: sorted(value) if isinstance(value, frozenset) else value,
        ),
        "settings": RAISED,
        "rows": [asdict(row) | {"ratio": row.ratio()} for row in rows],
    }
    path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def machine() -> str:
    """The machine and the versions."""
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"trio {version('trio')}, gameserver {version('gameserver')}"
    )


def cores(plan: Plan) -> str:
    """Who runs where."""
    if plan.cores.server == plan.cores.generator:
        return "Server and load generator share the cores as the system likes."
    return f"Server on core {min(plan.cores.server)}, load generator on core {min(plan.cores.generator)}."


def settings() -> str:
    """The settings that are not the default, in words."""
    return ", ".join(f"{table}.{key} = {value:g}" for table, keys in RAISED.items() for key, value in keys.items())


def _table(part: str, rows: Sequence[Row]) -> Table:
    keys = list(dict.fromkeys(key for row in rows for key in row.server))
    table = Table(Column(no_wrap=True), Column(no_wrap=True), title=TITLES[part], title_justify="left")
    for key in keys:
        table.add_column(key, justify="right")
    for row in rows:
        named = {"server": row.server, row.baseline: row.echo, **row.beside, "ratio": row.ratio()}
        for name, figures in named.items():
            cells = [_number(figures[key]) if key in figures else "" for key in keys]
            if figures:
                table.add_row(row.what if name == "server" else "", name, *cells, end_section=name == "ratio")
    return table


def _number(value: float) -> str:
    """Three digits that count, or all before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
