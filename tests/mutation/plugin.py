"""A pytest plugin: notes which test runs which lines, or runs the tests of each mutant in a fork.

It is loaded by `python -m tests.mutation`, in a pytest of its own.
"""

import json
import os
import random
import select
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from gc import freeze, get_objects, unfreeze
from pathlib import Path
from types import FunctionType
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

from tests.mutation.mutants import PACKAGES, ROOT, Mutant, drawn

SILENCE_S = 20.0
"""Seconds that a test of a mutant may take beyond five times its usual time: a mutant that hangs is found, too."""
HUNG_MAX = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mutation")
    group.addoption("--mutation-folder", help="where lines, times and results are kept")
    group.addoption("--mutation-run", help="what `Mutations` needs, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption("mutation_folder") or config.getoption("numprocesses", None):
        return  # processes of xdist run the tests
    folder = Path(config.getoption("mutation_folder"))
    if run := config.getoption("mutation_run"):
        seed, count, below, worker, workers, cap_s, first = json.loads(run)
        quick = settings.get_profile("quick")
        settings.register_profile(
            "mutation", quick, phases=[Phase.explicit, Phase.generate], database=None, derandomize=True
        )
        settings.load_profile("mutation")
        plugin: object = Mutations(folder, drawn(seed, count, below)[worker::workers], seed, worker, cap_s, bool(first))
    else:
        plugin = Lines(folder, os.environ.get("PYTEST_XDIST_WORKER", "main"))
    config.pluginmanager.register(plugin)


def results_of(folder: Path, seed: int, worker: int | str, *, stops_early: bool) -> Path:
    """The file of a worker's results. Runs that stop at the first test that fails have files of their own."""
    return folder / f"{'first' if stops_early else 'all'}.{seed}.{worker}.jsonl"


def read_results(folder: Path, seed: int, *, stops_early: bool = False) -> list[dict[str, Any]]:
    """The results of all workers so far: for each mutant the tests that ran, and those that failed."""
    paths = folder.glob(results_of(folder, seed, "*", stops_early=stops_early).name)
    return [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def seconds_in(folder: Path) -> dict[str, float]:
    """The CPU time of each test, as it was when its lines were noted."""
    found: dict[str, float] = {}
    for path in folder.glob("seconds.*.json"):
        found.update(json.loads(path.read_text(encoding="utf-8")))
    return found


class Lines:
    """Coverage with the test as the context, and each test's seconds of CPU."""

    def __init__(self, folder: Path, worker: str) -> None:
        self._times = folder / f"seconds.{worker}.json"
        self._seconds: dict[str, float] = {}
        self._coverage = coverage.Coverage(
            data_file=str(folder / f"coverage.{worker}"),
            source=list(PACKAGES),
            concurrency=["thread", "greenlet"],
            config_file=False,
        )
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self._coverage.switch_context(item.nodeid)
        began_s = time.process_time()
        try:
            return (yield)
        finally:
            self._seconds[item.nodeid] = time.process_time() - began_s
            self._coverage.switch_context("")

    def pytest_sessionfinish(self) -> None:
        self._coverage.stop()
        self._coverage.save()
        self._times.write_text(json.dumps(self._seconds), encoding="utf-8")


class Mutations:
    """In place of the tests' own turn: those that run a mutant's lines, in a fork for each mutant."""

    def __init__(
        self, folder: Path, mutants: Sequence[Mutant], seed: int, worker: int, cap_s: float, stops_early: bool
    ) -> None:
        self._folder, self._mutants, self._seed, self._cap_s = folder, mutants, seed, cap_s
        self._order: dict[str, int] = {}
        self._functions: Mapping[tuple[str, str], list[FunctionType]] = {}
        self._sound: dict[str, bool] = {}
        """Tests that have failed once, and whether they pass without any mutant."""
        self._results = results_of(folder, seed, worker, stops_early=stops_early)
        self._stops_early = stops_early
        self._seconds = seconds_in(folder)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._order = {item.nodeid: number for number, item in enumerate(session.items)}
        self._functions = _functions()
        covering = self._covering()
        # Of all workers: there may have been another number of them before.
        done = {entry["mutant"] for entry in read_results(self._folder, self._seed, stops_early=self._stops_early)}
        for mutant in self._mutants:
            if str(mutant) not in done:
                chosen = [test for test in self._chosen(mutant, covering[mutant]) if test in self._order]
                chosen.sort(key=self._order.__getitem__)
                entry = self._judged(mutant, [session.items[self._order[test]] for test in chosen])
                entry |= {"mutant": str(mutant), "path": mutant.path, "covering": len(covering[mutant])}
                with self._results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(entry) + "\n")
        return True

    def _judged(self, mutant: Mutant, items: list[pytest.Item]) -> dict[str, object]:
        items = [item for item in items if self._sound.get(item.nodeid, True)]
        ran, killed = self._tried(mutant, items, self._stops_early)
        suspects = [item for item in items if item.nodeid in killed and item.nodeid not in self._sound]
        _, unsound = self._tried(None, suspects, stops_early=False)
        self._sound |= {item.nodeid: item.nodeid not in unsound for item in suspects}
        if unsound and self._stops_early:
            return self._judged(mutant, items)
        return {"ran": ran, "killed": [test for test in killed if self._sound[test]]}

    def _covering(self) -> Mapping[Mutant, set[str]]:
        by_path: dict[str, list[Mutant]] = {}
        for mutant in self._mutants:
            by_path.setdefault(mutant.path, []).append(mutant)
        found: dict[Mutant, set[str]] = {mutant: set() for mutant in self._mutants}
        for path in self._folder.glob("coverage.*"):
            data = coverage.CoverageData(str(path))
            data.read()
            measured = {Path(file).relative_to(ROOT).as_posix(): file for file in data.measured_files()}
            for name, mutants in by_path.items():
                if name in measured:
                    tests = data.contexts_by_lineno(measured[name])
                    for mutant in mutants:
                        found[mutant].update(test for line in mutant.lines for test in tests.get(line, ()) if test)
        return found

    def _chosen(self, mutant: Mutant, covering: set[str]) -> list[str]:
        """Half of the time for tests of the mutant's own area, the rest for all others."""
        area = _area(mutant.path)
        quick = {test for test in covering if self._seconds.get(test, 0.0) < self._cap_s / 2}
        order = sorted(quick or covering)  # one slow test would take the place of many
        random.Random(f"{self._seed} {mutant}").shuffle(order)
        near = [test for test in order if test.startswith(area)]
        far = [test for test in order if not test.startswith(area)]
        chosen, left_s = [], self._cap_s
        for tests, until_s in ((near, self._cap_s / 2), (far, 0.0), (near, 0.0)):
            for test in tests:
                if left_s <= until_s:
                    break
                if test not in chosen:
                    chosen.append(test)
                    left_s -= self._seconds.get(test, 0.1)
        return chosen

    def _tried(self, mutant: Mutant | None, items: list[pytest.Item], stops_early: bool) -> tuple[list[str], list[str]]:
        """Return the tests that ran and those that failed.

        A test that does not end has failed; after the second one the rest is left out.
        """
        ran: list[str] = []
        killed: list[str] = []
        hung = 0
        while items and hung < HUNG_MAX and not (stops_early and killed):
            before = len(ran)
            for test, failed in self._forked(mutant, items, stops_early):
                ran.append(test)
                if failed:
                    killed.append(test)
            items = items[len(ran) - before :]
            if items and not (stops_early and killed):
                ran.append(items[0].nodeid)
                killed.append(items[0].nodeid)
                items = items[1:]
                hung += 1
        return ran, killed

    def _forked(self, mutant: Mutant | None, items: list[pytest.Item], stops_early: bool) -> Iterator[tuple[str, bool]]:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            try:
                os.setpgid(0, 0)
                _run_in_child(mutant, items, writing, self._functions, stops_early)
            finally:
                os._exit(0)
        os.close(writing)
        try:
            buffered = b""
            told = 0
            while told < len(items):
                usual_s = self._seconds.get(items[told].nodeid, 1.0)
                if not select.select([reading], [], [], SILENCE_S + 5 * usual_s)[0]:
                    return
                if not (chunk := os.read(reading, 65536)):
                    return
                *lines, buffered = (buffered + chunk).split(b"\n")
                for line in lines:
                    yield items[told].nodeid, line == b"failed"
                    told += 1
        finally:
            os.close(reading)
            for process in (-child, child):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            os.waitpid(child, 0)


def _functions() -> Mapping[tuple[str, str], list[FunctionType]]:
    """All functions by file and name; a class with slots has copies of some."""
    found: dict[tuple[str, str], list[FunctionType]] = defaultdict(list)
    unfreeze()
    for one in get_objects():
        if type(one) is FunctionType:
            found[one.__code__.co_filename, one.__code__.co_qualname].append(one)
    freeze()
    return found


def _run_in_child(
    mutant: Mutant | None,
    items: list[pytest.Item],
    writing: int,
    functions: Mapping[tuple[str, str], list[FunctionType]],
    stops_early: bool,
) -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    if mutant is not None:
        code = mutant.code()
        for function in functions[code.co_filename, code.co_qualname]:
            function.__code__ = code
    # The last one is followed by itself: what a session has set up belongs to the parent.
    for item, following in zip(items, [*items[1:], items[-1]], strict=True):
        failed = any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))
        os.write(writing, b"failed\n" if failed else b"passed\n")
        if failed and stops_early:
            return


def _area(path: str) -> str:
    parts = path.removeprefix("gameserver/").split("/")
    return "tests/" + "/".join(parts[:2] if parts[0] == "protocols" else parts[:1]).removesuffix(".py")
