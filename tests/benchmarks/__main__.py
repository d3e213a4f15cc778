"""`python -m tests.benchmarks [PART ...]`: measure, print, and save if asked. README.md explains every row."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from tests.benchmarks.plan import Plan
from tests.benchmarks.processes import BenchmarkError, Cores
from tests.benchmarks.report import Row, save, show

PARTS: Mapping[str, str] = {
    "load": "load.measure",
    "paced": "load.measure_paced",
    "memory": "idle.measure_memory",
    "idle": "idle.measure_cpu",
    "pages": "pages.measure",
    "fan-out": "fan_out.measure",
    "restart": "restart.measure",
    "proxy": "proxy.measure",
    "databases": "databases.measure",
    "halls": "halls.measure",
    "commits": "databases.measure_commits",
    "starts": "restart.measure_databases",
    "failover": "failover.measure",
    "tournament": "tournament.measure",
    "peers": "peers.measure",
    "strengths": "strengths.measure",
}
"""The functions that measure, by part. A module is imported where it is asked for: some need more than Python."""

BY_NAME_ONLY = ("failover", "peers", "strengths")
"""Parts that need more than Python, or take hours: they are measured only where they are asked for."""


def _numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...] | None:
    try:
        return None if text is None else tuple(int(number) for number in text.split(","))
    except ValueError:
        raise click.BadParameter("numbers with commas between them, such as 50,500") from None


def _levels(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(text.split(","))


def _measured(part: str, plan: Plan) -> list[Row]:
    module, _, function = PARTS[part].partition(".")
    rows: list[Row] = getattr(import_module(f"tests.benchmarks.{module}"), function)(plan)
    return rows


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--quick", is_flag=True, help="A run of seconds that only shows that everything works.")
@click.option("--no-pin", is_flag=True, help="Leave it to the system which core does what.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Save all figures to this file.")
@click.option("--pairs", callback=_numbers, help="How many matches at once, such as 50,500.")
@click.option("--room-pairs", callback=_numbers, help="How many matches at once in the protocol with rooms.")
@click.option("--peer-pairs", callback=_numbers, help="How many matches at once beside the peers, such as 1,50.")
@click.option("--peer-room-pairs", callback=_numbers, help="The same in the protocol with rooms.")
@click.option("--peer-warmup-s", type=click.FloatRange(min=0), help="How long they run before they are measured.")
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    help="How often each row of load, paced, restart, failover and peers is measured.",
)
@click.option(
    "--seconds", type=click.FloatRange(min=0.1), help="How long each round of load, paced and peers is measured."
)
@click.option("--warmup-s", type=click.FloatRange(min=0), help="How long it runs before that.")
@click.option("--paced-pairs", type=click.IntRange(min=1), help="Matches at a human pace.")
@click.option("--pause-s", type=click.FloatRange(min=0.01), help="The mean pause before each of their moves.")
@click.option("--connections", type=click.IntRange(min=1), help="Connections for the memory.")
@click.option("--idle-connections", type=click.IntRange(min=2), help="Connections for the idle CPU.")
@click.option("--viewers", callback=_numbers, help="How many look at a page, such as 100,500.")
@click.option("--idle-s", type=click.FloatRange(min=0.1), help="How long the idle CPU is measured.")
@click.option("--failover-pairs", type=click.IntRange(min=1), help="Matches that lose their server.")
@click.option("--finished", type=click.IntRange(min=0), help="Finished matches in the journal.")
@click.option("--database-pairs", callback=_numbers, help="How many matches at once on each database, such as 1,50.")
@click.option("--hall-pairs", callback=_numbers, help="How many matches at once in halls, such as 50,500.")
@click.option("--commit-rows", callback=_numbers, help="Rows of a commit on each database, such as 1,15,100.")
@click.option("--data", help="A PostgreSQL database whose user may create others, instead of clusters of its own.")
@click.option("--league-bots", type=click.IntRange(min=2), help="Bots that play a double round robin.")
@click.option("--swiss-bots", type=click.IntRange(min=4), help="Bots that play a Swiss, an even number.")
@click.option("--swiss-rounds", type=click.IntRange(min=2), help="Its rounds.")
@click.option("--shown-bots", type=click.IntRange(min=2), help="Bots whose tournament's page is looked at.")
@click.option("--shown-s", type=click.FloatRange(min=1), help="How long it is looked at.")
@click.option("--game", multiple=True, help="A game whose levels play each other. May be repeated.")
@click.option("--levels", callback=_levels, help="Those levels, weakest first, such as random,greedy,master.")
@click.option("--games", type=click.IntRange(min=2), help="Games, or matches, of each two levels.")
@click.option("--workers", type=click.IntRange(min=1), help="The processes that play them.")
@click.option("--neighbours", is_flag=True, default=None, help="Have each level play only the next one.")
@click.option("--save", "save_strengths", is_flag=True, default=None, help="Put results into the table of the pages.")
@click.option("--unfinished", type=click.IntRange(min=0), help="Unfinished matches in the journal.")
def main(parts: tuple[str, ...], *, quick: bool, no_pin: bool, json_file: Path | None, **sizes: Any) -> None:
    """Measure the server, and a bare echo beside it. Without PARTS everything is measured but the peers."""
    plan = Plan(cores=Cores.chosen(pin=not no_pin))
    plan = evolve(
        plan.quick() if quick else plan, **{name: size for name, size in sizes.items() if size not in (None, ())}
    )
    try:
        chosen = parts or [part for part in PARTS if part not in BY_NAME_ONLY]
        rows = [row for part in chosen for row in _measured(part, plan)]
    except (BenchmarkError, OSError) as error:
        raise click.ClickException("\n".join([str(error), *getattr(error, "__notes__", ())])) from error
    show(rows, plan)
    if json_file is not None:
        save(rows, plan, json_file)


main(prog_name="python -m tests.benchmarks")
