"""`python -m tests.mutation`: measures what the tests hold; the package's docstring explains how."""

import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import click

from tests.mutation.mutants import PACKAGES, ROOT
from tests.mutation.plugin import read_results, seconds_in

LEFT_OUT = ("tests/end_to_end", "tests/benchmarks", "tests/examples")
"""They run the code in other processes."""


@click.group(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--folder", type=click.Path(path_type=Path), default=Path(gettempdir()) / "gameserver-mutation")
@click.pass_context
def main(context: click.Context, folder: Path) -> None:
    """Measure what the tests hold, with bugs drawn at random."""
    folder.mkdir(parents=True, exist_ok=True)
    context.obj = folder


def _pytest(folder: Path, *arguments: str) -> "subprocess.Popen[bytes]":
    left_out = [f"--ignore={ROOT / path}" for path in LEFT_OUT]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.mutation.plugin", "-p", "no:cacheprovider", *left_out]
    return subprocess.Popen([*command, f"--mutation-folder={folder}", *arguments], cwd=ROOT)


@main.command()
@click.option("--workers", default=os.cpu_count() or 1)
@click.pass_obj
def cover(folder: Path, workers: int) -> None:
    """Note which test runs which lines."""
    for path in (*folder.glob("coverage.*"), *folder.glob("seconds.*.json")):
        path.unlink()
    sys.exit(_pytest(folder, "-n", str(workers)).wait())


@main.command()
@click.option("--seed", default=0)
@click.option("--mutants", default=500)
@click.option("--seconds", "cap_s", default=6.0, help="Of tests for each mutant, drawn where there are more.")
@click.option("--first", is_flag=True, help="Stop at the first test that finds the mutant: for a count of the found.")
@click.option("--workers", default=os.cpu_count() or 1)
@click.argument("below", nargs=-1)
@click.pass_obj
def run(folder: Path, seed: int, mutants: int, cap_s: float, first: bool, workers: int, below: Sequence[str]) -> None:
    """Run mutants of the modules BELOW these paths, or of all, against the tests that run their lines.

    What is known already is not run again.
    """
    runs = [
        _pytest(
            folder, f"--mutation-run={json.dumps([seed, mutants, below or PACKAGES, worker, workers, cap_s, first])}"
        )
        for worker in range(workers)
    ]
    code = max(one.wait() for one in runs)
    results = read_results(folder, seed, stops_early=first)
    print(f"{sum(bool(entry['killed']) for entry in results)} of {len(results)} found")
    sys.exit(code)


@main.command()
@click.argument("areas", nargs=-1)
@click.option("--seed", default=0)
@click.pass_obj
def report(folder: Path, areas: Sequence[str], seed: int) -> None:
    """Show which tests are needed, which find nothing alone, and what nothing finds."""
    results, seconds = read_results(folder, seed), seconds_in(folder)
    needed = _needed(results, seconds)
    ran = Counter(test for entry in results for test in entry["ran"])
    kills = Counter(test for entry in results for test in entry["killed"])
    by_file: dict[str, list[str]] = defaultdict(list)
    for test in seconds:
        if not areas or test.startswith(tuple(areas)):
            by_file[test.partition("::")[0]].append(test)
    for file, tests in sorted(by_file.items()):
        of_file = [test for test in tests if test in needed]
        print(f"{file}: {len(of_file)} of {len(tests)} needed, {sum(seconds[test] for test in tests):.1f} s of CPU")
        for test in sorted(tests, key=lambda test: (test not in needed, -kills[test])):
            names = f"; alone: {'; '.join(needed[test])}" if needed.get(test) else ""
            mark = "needed" if test in needed else "spare "
            print(f"  {mark} {kills[test]:3} of {ran[test]:3} found  {test.partition('::')[2]}{names}")
    print(f"\n{sum(not entry['killed'] for entry in results)} of {len(results)} mutants that nothing finds:")
    wanted = {area.removeprefix("tests/") for area in areas}
    for entry in results:
        if not entry["killed"] and (not wanted or any(f"{area}/" in f"{entry['path']}/" for area in wanted)):
            print(f"  {entry['mutant']} ({len(entry['ran'])} of {entry['covering']} tests asked)")


def _needed(results: Iterable[Mapping[str, Any]], seconds: Mapping[str, float]) -> dict[str, list[str]]:
    """Tests that find every mutant that any test finds, as few as a greedy choice leaves, and what each finds alone."""
    unfound = {entry["mutant"]: set(entry["killed"]) for entry in results if entry["killed"]}
    alone: dict[str, list[str]] = defaultdict(list)
    for mutant, tests in unfound.items():
        if len(tests) == 1:
            alone[next(iter(tests))].append(mutant)
    needed: dict[str, list[str]] = {}
    gains = Counter(test for tests in unfound.values() for test in tests)
    while unfound:
        best = max(gains, key=lambda test: (test in alone, gains[test], -seconds.get(test, 0.0), test))
        needed[best] = alone.pop(best, [])
        for mutant in [mutant for mutant, tests in unfound.items() if best in tests]:
            gains.subtract(unfound.pop(mutant))
        gains = +gains
    return needed


if __name__ == "__main__":
    main()
