"""What the tests hold: bugs drawn at random, and which tests find each.

    python -m tests.mutation cover                # which test runs which lines: the whole suite once, under coverage
    python -m tests.mutation run --seed 1 --mutants 2000
    python -m tests.mutation report tests/core

A mutant is one small change in one function: a comparison turned, a constant changed, a call left out. All tests that
run its line are asked, not only the first that fails, so that the report tells which test finds what no other does, and
which finds nothing. mutmut and cosmic-ray were looked at: they stop at the first failure, and start pytest anew for
each mutant, which takes longer here (25 s of collection) than most tests together. Here the tests are collected once,
and each mutant is a fork in which the function has other code.

Not asked are tests that run the code in another process (`tests/end_to_end`), and mutants are in functions only.
"""
