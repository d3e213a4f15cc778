"""A pytest plugin: runs the tests of each mutant in a fork. `python -m tests.mutation` starts a pytest with it."""

import json
import os
import select
import signal
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from gc import freeze, get_objects, unfreeze
from types import FunctionType

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import Phase, settings

from tests.mutation.mutants import Mutant, drawn

SILENCE_S = 20.0
"""Seconds that a test of a mutant may take beyond five times its usual time: a mutant that hangs is found, too."""
HUNG_MAX = 2
"""After so many tests that do not end the rest is left out."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutants", help="a seed, how many, and the paths below which they are, as JSON")


def pytest_configure(config: pytest.Config) -> None:
    if given := config.getoption("mutants"):
        quick = settings.get_profile("quick")
        phases = [Phase.explicit, Phase.generate]
        settings.register_profile("mutation", quick, phases=phases, database=None, derandomize=True)
        settings.load_profile("mutation")
        config.pluginmanager.register(Mutations(drawn(*json.loads(given))))


class Mutations:
    """In place of the tests' own turn: all of them for each mutant."""

    def __init__(self, mutants: Sequence[Mutant]) -> None:
        self._mutants = mutants
        self._functions: Mapping[tuple[str, str], list[FunctionType]] = {}
        self._seconds: dict[str, float] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._functions = _functions()
        found = {mutant: self._failing_by_it(mutant, session.items) for mutant in self._mutants}
        alone: dict[str, list[str]] = defaultdict(list)
        for mutant, tests in found.items():
            if len(tests) < 2:
                alone["".join(tests)].append(str(mutant))
        print(f"{sum(map(bool, found.values()))} of {len(found)} found. Not found:", *alone.pop("", []), sep="\n  ")
        for item in session.items:
            print(item.nodeid, *alone.get(item.nodeid, ["finds nothing alone"]), sep="\n  ")
        return True

    def _failing_by_it(self, mutant: Mutant, items: Sequence[pytest.Item]) -> list[str]:
        """Return the tests that fail, without those that fail in a fork without any mutant, too."""
        failing = self._failing(mutant, items)
        unsound = self._failing(None, [item for item in items if item.nodeid in failing])
        return [test for test in failing if test not in unsound]

    def _failing(self, mutant: Mutant | None, items: Sequence[pytest.Item]) -> list[str]:
        """Return the tests that fail, or do not end."""
        failing, hung = list[str](), 0
        while items and hung < HUNG_MAX:
            told = list(self._forked(mutant, items))
            failing += [item.nodeid for item, failed in zip(items, told, strict=False) if failed]
            failing += [item.nodeid for item in items[len(told) : len(told) + 1]]
            items = items[len(told) + 1 :]
            hung += 1
        return failing

    def _forked(self, mutant: Mutant | None, items: Sequence[pytest.Item]) -> Iterator[bool]:
        """Yield of each test whether it failed, until one does not end."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setpgid(0, 0)
                _run_in_child(mutant, items, writing, self._functions)
            finally:
                os._exit(0)
        os.close(writing)
        try:
            for item in items:
                began_s = time.monotonic()
                if not select.select([reading], [], [], SILENCE_S + 5 * self._seconds.get(item.nodeid, SILENCE_S))[0]:
                    return
                if not (told := os.read(reading, 1)):
                    return
                self._seconds.setdefault(item.nodeid, time.monotonic() - began_s)
                yield told == b"F"
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
    items: Sequence[pytest.Item],
    writing: int,
    functions: Mapping[tuple[str, str], list[FunctionType]],
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
        os.write(writing, b"F" if failed else b".")
