import subprocess
import sys

import pytest

from tests.mutation.mutants import ROOT, codes_in, drawn
from tests.mutation.plugin import read_results

MEASURED = (
    "-p",
    "tests.mutation.plugin",
    "-p",
    "no:cacheprovider",
    "tests/ratings/test_rating.py",
)


def test_each_mutant_is_another_code_for_the_function_as_it_is():
    mutants = drawn(1, 150)
    assert len({(mutant.path, mutant.function) for mutant in mutants}) == 150
    for mutant in mutants:
        module = compile((ROOT / mutant.path).read_text(encoding="utf-8"), str(ROOT / mutant.path), "exec")
        before = next(code for code in codes_in(module) if code.co_qualname == mutant.function)
        after = mutant.code()
        assert after != before, mutant
        assert after.co_freevars == before.co_freevars, mutant


def test_a_sample_depends_on_its_seed_alone():
    first = drawn(1, 200, ["gameserver/ratings"])
    assert len(set(map(str, first))) == 200, "results are kept by these names"
    assert drawn(1, 40, ["gameserver/ratings"]) == first[:40]
    assert set(drawn(2, 50, ["gameserver/ratings"])) != set(first)


@pytest.mark.slow  # it starts pytest of its own, twice
def test_tests_that_find_a_mutant_are_told_and_no_others(tmp_path):
    def pytest_with(*options: str) -> None:
        command = [sys.executable, "-m", "pytest", "-q", f"--mutation-folder={tmp_path}", *MEASURED, *options]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=200)

    pytest_with()
    pytest_with('--mutation-run=[1, 30, ["gameserver/ratings"], 0, 1, 2.0, false]')
    results = read_results(tmp_path, 1)
    assert len(results) == 30
    assert all(set(entry["killed"]) <= set(entry["ran"]) for entry in results)
    found = [entry for entry in results if entry["killed"]]
    assert 10 < len(found) < 30, "most are found, and some change nothing that these tests see"
    assert any(set(entry["killed"]) < set(entry["ran"]) for entry in found), "a mutant is not found by every test"
