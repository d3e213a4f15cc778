"""`python -m tests.simulation --seeds N --from SEED`: run for as long as wanted, and report what is found.

Every run is repeatable: a failure names its seed, what led to it, and the command that shows it
again. `--seeds 0` goes on until it is stopped.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import Any

import click

from tests.simulation.elsewhere import diverging
from tests.simulation.interrupted_plan import Interrupted
from tests.simulation.plan import BOTS_MAX, BOTS_MIN, FAULTS, PROTOCOLS, STEPS, Plan
from tests.simulation.run import Failure, Finished, simulate
from tests.simulation.shared_database import REPLICAS
from tests.simulation.shrink import shrink
from tests.simulation.standby_plan import FAULTS as STANDBY_FAULTS
from tests.simulation.standby_plan import StandbyPlan
from tests.support.purity import watch_decisions

PROGRESS_SEEDS = 100


def _listed(known: tuple[str, ...]) -> Callable[[click.Context, click.Parameter, str | None], tuple[str, ...] | None]:
    """Reads names with commas between them; none of these names is none."""

    def read(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...] | None:
        if text is None:
            return None
        names = tuple(name for name in text.split(",") if name not in ("", "none"))
        unknown = [name for name in names if name not in known]
        if unknown:
            raise click.BadParameter(f"{', '.join(unknown)}: there are {', '.join(known)}")
        return names

    return read


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--seeds", default=200, help="How many seeds to run; 0 for no end.")
@click.option("--from", "first", default=0, help="The first seed.")
@click.option("--steps", type=int, help=f"Steps of each run.  [default: {STEPS}]")
@click.option("--bots", type=click.IntRange(BOTS_MIN, BOTS_MAX), help="Clients of each run, instead of the seed's own.")
@click.option(
    "--faults",
    callback=_listed(tuple(dict.fromkeys((*FAULTS, *STANDBY_FAULTS)))),
    help="Kinds of faults, with commas between them, or none.",
)
@click.option("--protocols", callback=_listed(PROTOCOLS), help="Whose clients may be there, instead of the seed's own.")
@click.option("--interrupted", is_flag=True, help="Tournaments with interruptions, against the same ones in peace.")
@click.option("--standby", is_flag=True, help="Two servers over one database, one of which takes over.")
@click.option("--replica", type=click.Choice(REPLICAS), help="With --standby: what the database has.")
@click.option("--kill-after", type=int, help="With --interrupted: only kill the server, after this row.")
@click.option("--doom", help="With --kill-after: how far that row comes.")
@click.option("--keep-going", is_flag=True, help="Go on after a failure.")
@click.option("--no-shrink", is_flag=True, help="Report failures as they were found.")
def main(
    seeds: int, first: int, *, interrupted: bool, standby: bool, keep_going: bool, no_shrink: bool, **wanted: Any
) -> None:
    """Run the seeded simulator."""
    kind = Interrupted if interrupted else StandbyPlan if standby else Plan
    given = {name: value for name, value in wanted.items() if value is not None}
    watch_decisions()
    began_s, failures, marks = time.monotonic(), 0, Counter[str]()
    finished: list[Finished] = []
    for seed in range(first, first + seeds) if seeds else count(first):
        outcome = simulate(kind(seed, **given))
        if isinstance(outcome, Failure):
            failures += 1
            _report(outcome, is_final=no_shrink)
            if not keep_going:
                sys.exit(1)
            continue
        marks += outcome.marks
        finished.append(outcome)
        if len(finished) == PROGRESS_SEEDS:
            failures += _compare_elsewhere(finished)
            passed_s = time.monotonic() - began_s
            print(f"seed {seed}: {failures} failures, {sum(marks.values())} marks, {passed_s:.0f} s", flush=True)
    failures += _compare_elsewhere(finished)
    for mark, times in sorted(marks.items()):
        print(f"{times:9}  {mark}")
    print(f"{failures} failures in {time.monotonic() - began_s:.0f} s")
    sys.exit(1 if failures else 0)


def _report(failure: Failure, *, is_final: bool) -> None:
    """Tell a failure, made small."""
    print(f"\nFAILED: seed {failure.plan.seed}: {failure.text}", flush=True)
    smallest = failure if is_final else shrink(failure)
    print(smallest.report(), flush=True)
    if smallest is not failure:
        print(f"found by: {failure.plan.command()}", flush=True)


def _compare_elsewhere(finished: list[Finished]) -> int:
    """Have another process replay these runs, and forget them."""
    seeds = diverging(finished) if finished else []
    finished.clear()
    for seed in seeds:
        print(f"\nFAILED: seed {seed}: another process comes to another lobby", flush=True)
    return len(seeds)


if __name__ == "__main__":
    main()
