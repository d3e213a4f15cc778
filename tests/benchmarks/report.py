"""A run of the benchmarks: its sizes, which are its options, and the figures, as tables for people and as JSON."""

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from attrs import asdict, evolve, field, fields, frozen
from rich.console import Console
from rich.table import Column, Table

from tests.benchmarks.processes import FIXED, RAISED, Cores, note

Figures = dict[str, float]
"""Figures by their names, which end with their units."""

TITLES: Mapping[str, str] = {
    "load": "Matches at full speed (a message of the echo counts as a move)",
    "paced": "Matches at a human pace",
    "memory": "Memory and admission of idle connections",
    "idle": "CPU with nothing to do",
    "pages": "Matches with viewers of the lobby's page",
    "restart": "From the start of the process to the first line on the port",
    "peers": "Matches on our server and on Colyseus, whose durable one gives our guarantee",
    "strengths": "Levels of the house against each other (95 % error bars)",
}
_OF_THE_HARNESS = ("generator CPU %", "others CPU %")


def _size(default: Any, told: str, quick: Any = None) -> Any:
    """A size that an option sets; `quick` is what a run of seconds has."""
    return field(default=default, metadata={"help": told, "quick": quick})


@frozen
class Plan:
    """The size of a run. The default takes minutes."""

    cores: Cores = field(factory=lambda: Cores.chosen(pin=True))
    pairs: Sequence[int] = _size((1, 50, 100, 500, 1000), "How many matches at once, such as 50,500.", (2,))
    room_pairs: Sequence[int] = _size((1, 50, 500), "How many matches at once in the protocol with rooms.", (2,))
    rounds: int = _size(3, "How often each row is measured.", 1)
    seconds: float = _size(3.0, "How long each round of matches is measured.", 0.5)
    warmup_s: float = _size(1.0, "How long it runs before that.", 0.1)
    paced_pairs: int = _size(1000, "Matches at a human pace.", 5)
    pause_s: float = _size(1.0, "The mean pause before each of their moves.", 0.1)
    connections: int = _size(5000, "Connections for the memory.", 100)
    idle_connections: int = _size(1000, "Connections for the idle CPU.", 20)
    idle_s: float = _size(10.0, "How long the idle CPU is measured.", 0.5)
    settle_s: float = _size(1.0, "How long a server is left alone before its memory or idleness is looked at.", 0.1)
    watched_pairs: int = _size(100, "Matches that are played while viewers look at the lobby.", 2)
    watched_pause_s: float = _size(0.2, "The mean pause before each of their moves.", 0.05)
    viewers: Sequence[int] = _size((500,), "How many look at the lobby's page, such as 100,500.", (5,))
    finished: int = _size(100_000, "Finished matches in the journal that a start reads.", 40)
    unfinished: int = _size(1_000, "Unfinished matches in it.", 4)
    peer_pairs: Sequence[int] = _size((1, 50), "How many matches at once beside the peers, such as 1,50.", (2,))
    peer_room_pairs: Sequence[int] = _size((50,), "The same in the protocol with rooms.", (2,))
    # Node compiles hot code, which takes one match some seconds.
    peer_warmup_s: float = _size(5.0, "How long each server runs before it is measured beside the peers.", 0.1)
    game: Sequence[str] = _size((), "Games whose levels play each other; all by default.", ("Tic-tac-toe",))
    levels: Sequence[str] = _size((), "Those levels, weakest first, such as random,club,master; all by default.")
    games: int = _size(200, "Games, or matches, of each two levels.", 4)
    workers: int = _size(0, "The processes that play them; one for each core less one by default.")
    neighbours: bool = _size(False, "Have each level play only the next one.")
    save: bool = _size(False, "Put results of levels into the table of the pages.")

    def quick(self) -> "Plan":
        """A run of seconds, which shows that everything works. Its figures mean little."""
        sizes = {each.name: each.metadata.get("quick") for each in fields(Plan)}
        return evolve(self, **{name: size for name, size in sizes.items() if size is not None})


@frozen
class Row:
    """The same thing done to several servers, one of which is the baseline of the others."""

    part: str
    what: str
    figures: Mapping[str, Figures]
    baseline: str
    rounds: Mapping[str, Sequence[Figures]] = field(factory=dict)
    """The figures of each round, of which `figures` are the medians."""

    def ratios(self) -> Mapping[str, Figures]:
        """The figures of all others, divided by the baseline's."""
        beside = self.figures.get(self.baseline, {})
        return {
            name: {key: figures[key] / value for key, value in beside.items() if _may_be_compared(key, value, figures)}
            for name, figures in self.figures.items()
            if name != self.baseline
        }


def _may_be_compared(key: str, value: float, figures: Figures) -> bool:
    return bool(value) and key in figures and key not in _OF_THE_HARNESS


def compared(
    plan: Plan, part: str, what: str, measures: Mapping[str, Callable[[], Figures]], baseline: str = "echo"
) -> Row:
    """Measure all in turns, each round beginning with another, so that a noisy moment hits all; the medians."""
    rounds: dict[str, list[Figures]] = {name: [] for name in measures}
    names = list(measures)
    for number in range(plan.rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            note(f"{part}: {what}, round {number + 1}: {name}")
            rounds[name].append(measures[name]())
    medians = {
        name: {key: median(figures[key] for figures in found) for key in found[0]} for name, found in rounds.items()
    }
    return Row(part, what, medians, baseline, rounds)


def show(rows: Sequence[Row], plan: Plan) -> None:
    """Print a table for each part."""
    console = Console(width=None if os.isatty(1) else 180, highlight=False)
    console.print(f"[bold]{_machine()}[/bold]")
    if plan.cores.server == plan.cores.generator:
        console.print("Server and load generator share the cores as the system likes.")
    else:
        console.print(f"Server on core {min(plan.cores.server)}, load generator on core {min(plan.cores.generator)}.")
    tables = [*RAISED.items(), *FIXED.items()]
    raised = (f"{table}.{key} = {value:g}" for table, keys in tables for key, value in keys.items())
    console.print(f"Settings other than the default: {', '.join(raised)}.")
    for part in dict.fromkeys(row.part for row in rows):
        console.print(_table(part, [row for row in rows if row.part == part]))


def save(rows: Sequence[Row], plan: Plan, path: Path) -> None:
    """Write everything to a file."""
    told = {
        "machine": _machine(),
        "plan": asdict(
            plan, value_serializer=lambda _, __, value: sorted(value) if isinstance(value, frozenset) else value
        ),
        "settings": {"raised": RAISED, "fixed": FIXED},
        "rows": [asdict(row) | {"ratios": row.ratios()} for row in rows],
    }
    path.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")


def _machine() -> str:
    """The machine and the versions."""
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"trio {version('trio')}, gameserver {version('gameserver')}"
    )


def _table(part: str, rows: Sequence[Row]) -> Table:
    keys = list(dict.fromkeys(key for row in rows for figures in row.figures.values() for key in figures))
    table = Table(Column(no_wrap=True), Column(no_wrap=True), title=TITLES[part], title_justify="left")
    for key in keys:
        table.add_column(key, justify="right")
    for row in rows:
        ratios = {f"{name} / {row.baseline}": ratio for name, ratio in row.ratios().items() if ratio}
        what = row.what
        for name, figures in {**row.figures, **ratios}.items():
            table.add_row(what, name, *(_number(figures[key]) if key in figures else "" for key in keys))
            what = ""
        table.add_section()
    return table


def _number(value: float) -> str:
    """Three digits that count, or all before the point."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
