"""Bugs drawn at random, and which tests find each: the measure of what the tests hold.

    python -m tests.mutation cover                # which test runs which lines: the whole suite once, under coverage
    python -m tests.mutation run --seed 1 --mutants 2000
    python -m tests.mutation report --seed 1 tests/core

A mutant is one small change in one function: a comparison turned, a constant changed, a call left out. All tests that
run its line are asked, not only the first that fails, so that the report tells which test finds what no other does, and
which finds nothing. mutmut answers whether a mutant is found, and not by whom; it also collects the tests anew for each
mutant, which takes longer here (7 s) than most tests that are asked. Here they are collected once, and each mutant is a
fork of that process in which the function has other code.

Not asked are tests that run the code in another process (`tests/end_to_end`), and mutants are in functions only.
It needs a system with `fork`.
"""
