from tests.mutation.mutants import ROOT, codes_in, drawn


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
    first = drawn(1, 50, ["gameserver/ratings"])
    assert drawn(1, 40, ["gameserver/ratings"]) == first[:40]
    assert set(drawn(2, 50, ["gameserver/ratings"])) != set(first)
