import re
import subprocess
import sys

import pytest

from tests.mutation.mutants import ROOT, codes_in, drawn


def test_each_mutant_is_another_code_for_the_function_as_it_is():
    mutants = drawn(1, 80, ["gameserver/core", "gameserver/web"])
    assert len({(mutant.path, mutant.function) for mutant in mutants}) == 80
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


@pytest.mark.slow  # it starts pytest of its own
def test_tests_that_find_a_mutant_are_told_and_no_others():
    command = [sys.executable, "-m", "tests.mutation", "--seed", "1", "--mutants", "12", "gameserver/ratings"]
    asked = [*command, "--", "tests/ratings/test_rating.py"]
    done = subprocess.run(asked, cwd=ROOT, check=True, capture_output=True, text=True, timeout=280)
    found = re.search(r"(\d+) of 12 found", done.stdout)
    assert found is not None, done.stdout
    assert 6 < int(found[1]) < 12, "most are found, and some change nothing that these tests see"
    assert "\n  finds nothing alone\n" in done.stdout
    assert re.search(r"^tests/ratings/\S+\n  gameserver/ratings/", done.stdout, re.MULTILINE), (
        "one finds what none does"
    )
