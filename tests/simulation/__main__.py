"""`python -m tests.simulation --seeds N --from SEED`: run for as long as wanted, and report what is found.

Every run is repeatable: a failure names its seed, what led to it, and the command that shows it again. `--seeds 0` goes
on until it is stopped. All cores work at it; what they find is written to a file, made small.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import nullcontext
from itertools import count, islice
from pathlib import Path

import click
from attrs import fields

from tests.simulation.plan import HallsPlan, Interrupted, Plan, StandbyPlan, settings_of
from tests.simulation.planted import PLANTED
from tests.simulation.run import Failure, shrink, simulate
from tests.support.purity import watch_decisions

PROGRESS_S = 60.0


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--seeds", default=200, help="How many seeds to run; 0 for no end.")
@click.option("--from", "first", type=int, help="The first seed.  [default: 0]")
@click.option("--interrupted", is_flag=True, help="Tournaments with interruptions, against the same ones in peace.")
@click.option("--standby", is_flag=True, help="Two servers over one database, one of which takes over.")
@click.option("--halls", is_flag=True, help="Two halls over one database, side by side.")
@click.option("--planted", type=click.Choice(list(PLANTED)), help="Plant this bug, and tell how many seeds find it.")
@click.option("--keep-going", is_flag=True, help="Go on after a failure.")
@click.option("--no-shrink", is_flag=True, help="Report failures as they were found.")
@click.option("--workers", type=click.IntRange(min=1), default=os.cpu_count() or 1, help="Processes.")
@click.option("--finds", type=click.Path(path_type=Path), help="Write what is found to this file, too.")
@click.argument("settings", nargs=-1)
def main(
    seeds: int,
    first: int | None,
    *,
    interrupted: bool,
    standby: bool,
    halls: bool,
    planted: str | None,
    keep_going: bool,
    no_shrink: bool,
    workers: int,
    finds: Path | None,
    settings: tuple[str, ...],
) -> None:
    """Run the seeded simulator; SETTINGS such as `steps=400 protocols=text,web` stand in place of the seeds' own."""
    kind: type[Plan] = Interrupted if interrupted else HallsPlan if halls else StandbyPlan if standby else Plan
    try:
        given = settings_of(settings)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    known = {one.name: one.type for one in fields(kind) if one.name != "seed"}
    if unknown := given.keys() - known:
        raise click.UsageError(f"there is no setting {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    for name, value in given.items():
        if known[name] in {int, float, bool} and not isinstance(value, int | float):
            raise click.UsageError(f"{name} is a number, and {value!r} is none")
    bug = None if planted is None else PLANTED[planted]
    if bug is not None:
        kind, given = bug.kind, {**bug.wanted, **given}
        first = bug.first_seed if first is None else first
        keep_going = no_shrink = True
    first = first or 0
    numbers = iter(range(first, first + seeds)) if seeds else count(first)
    tally = _Tally(finds, is_quiet=bug is not None)
    with ProcessPoolExecutor(workers, initializer=watch_decisions) as pool:
        try:
            for outcome in _outcomes(pool, workers, (kind(seed, **given) for seed in numbers), planted, no_shrink):
                tally.add(outcome)
                if tally.failures and not keep_going:
                    break
        except KeyboardInterrupt:
            pass
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    if bug is not None:
        print(f"{tally.failures} of {tally.runs}")
        sys.exit(0 if 20 * tally.failures >= bug.least * tally.runs else 1)
    tally.show()
    sys.exit(1 if tally.failures else 0)


class _Tally:
    """Counts runs, collects what they covered, and reports failures."""

    def __init__(self, finds: Path | None, *, is_quiet: bool) -> None:
        self.runs = self.failures = 0
        self._marks: Counter[str] = Counter()
        self._finds = finds
        self._is_quiet = is_quiet
        self._began_s = self._shown_s = time.monotonic()

    def add(self, outcome: "Counter[str] | tuple[str, str]") -> None:
        self.runs += 1
        if isinstance(outcome, Counter):
            self._marks += outcome
        else:
            self.failures += 1
            self._report(*outcome)
        if time.monotonic() - self._shown_s > PROGRESS_S:
            self._shown_s = time.monotonic()
            print(self._line(), flush=True)

    def show(self) -> None:
        for mark, times in sorted(self._marks.items()):
            print(f"{times:9}  {mark}")
        print(self._line())

    def _line(self) -> str:
        passed_s = time.monotonic() - self._began_s
        return f"{self.runs} seeds, {self.failures} failures, {sum(self._marks.values())} marks in {passed_s:.0f} s"

    def _report(self, title: str, text: str) -> None:
        if self._is_quiet:
            print(title, flush=True)
            return
        print(f"\nFAILED: {title}\n{text}\n", flush=True)
        if self._finds is not None:
            with self._finds.open("a", encoding="utf-8") as file:
                file.write(f"{title}\n{text}\n\n")


def _outcomes(
    pool: ProcessPoolExecutor, workers: int, plans: Iterator[Plan], planted: str | None, no_shrink: bool
) -> Iterator["Counter[str] | tuple[str, str]"]:
    """Yields outcomes as they come. Keeps no more runs under way than the processes need, as seeds may have no end."""
    running: set[Future[Counter[str] | tuple[str, str]]] = set()
    while True:
        new = islice(plans, 2 * workers - len(running))
        running |= {pool.submit(_outcome, plan, planted, no_shrink) for plan in new}
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for one in done:
            yield one.result()


def _outcome(plan: Plan, planted: str | None, no_shrink: bool) -> "Counter[str] | tuple[str, str]":
    with nullcontext() if planted is None else PLANTED[planted].edit.applied():
        outcome = simulate(plan)
        if not isinstance(outcome, Failure):
            return outcome.marks
        smallest = outcome if no_shrink else shrink(outcome)
    text = smallest.report()
    if smallest is not outcome:
        text += f"\nfound by: {outcome.plan.command()}"
    return f"seed {plan.seed}: {outcome.rule}", text


if __name__ == "__main__":
    main()
