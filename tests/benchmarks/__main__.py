"""`python -m tests.benchmarks [PART ...]`: measure, print, and save if asked. README.md explains every row."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from attrs import evolve, fields

from tests.benchmarks.processes import BenchmarkError, Cores
from tests.benchmarks.report import Plan, Row, save, show

PARTS: Mapping[str, str] = {
    "load": "load.measure",
    "paced": "load.measure_paced",
    "memory": "idle.measure_memory",
    "idle": "idle.measure_cpu",
    "pages": "load.measure_pages",
    "restart": "restart.measure",
    "peers": "peers.measure.measure",
    "strengths": "strengths.measure",
}
"""The functions that measure, by part. A module is imported where it is asked for: some need more than Python."""

BY_NAME_ONLY = ("peers", "strengths")
"""Parts that need Node, or take hours: they are measured only where they are asked for."""


def _measured(part: str, plan: Plan) -> list[Row]:
    module, _, function = PARTS[part].rpartition(".")
    rows: list[Row] = getattr(import_module(f"tests.benchmarks.{module}"), function)(plan)
    return rows


class _Several(click.ParamType):
    """Numbers or words with commas between them."""

    name = "list"

    def __init__(self, of: type) -> None:
        self._of = of

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        try:
            return tuple(self._of(each) for each in value.split(","))
        except ValueError:
            self.fail("numbers with commas between them, such as 50,500", parameter, context)


def _options() -> list[click.Parameter]:
    """An option for each size of the plan."""
    found: list[click.Parameter] = []
    for each in fields(Plan):
        if "help" in each.metadata:
            option = f"--{each.name.replace('_', '-')}"
            of: type | click.ParamType = type(each.default)
            if isinstance(each.default, Sequence) and not isinstance(each.default, str):
                of = _Several(int if each.default else str)
            told = each.metadata["help"] + (f"  [{each.default}]" if each.default else "")
            found.append(click.Option([option], type=of, is_flag=of is bool, default=None, help=told))
    return found


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
@click.option("--quick", is_flag=True, help="A run of seconds that only shows that everything works.")
@click.option("--no-pin", is_flag=True, help="Leave it to the system which core does what.")
@click.option("--json", "json_file", type=click.Path(path_type=Path), help="Save all figures to this file.")
def main(parts: tuple[str, ...], *, quick: bool, no_pin: bool, json_file: Path | None, **sizes: Any) -> None:
    """Measure the server, and a bare echo beside it. Without PARTS everything but peers and strengths is measured."""
    plan = Plan(cores=Cores.chosen(pin=not no_pin))
    plan = evolve(plan.quick() if quick else plan, **{name: size for name, size in sizes.items() if size is not None})
    try:
        chosen = parts or [part for part in PARTS if part not in BY_NAME_ONLY]
        rows = [row for part in chosen for row in _measured(part, plan)]
    except (BenchmarkError, OSError) as error:
        raise click.ClickException("\n".join([str(error), *getattr(error, "__notes__", ())])) from error
    show(rows, plan)
    if json_file is not None:
        save(rows, plan, json_file)


main.params += _options()
main(prog_name="python -m tests.benchmarks")
