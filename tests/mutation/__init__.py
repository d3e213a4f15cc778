"""Bugs drawn at random, and which tests find each: the measure of what the tests hold.

    python -m tests.mutation --seed 1 --mutants 200 gameserver/engine -- tests/engine

A mutant is one small change in one function below the given paths: a comparison turned, a constant changed, a call left
out. All the tests behind `--` are asked about each, not only the first that fails, so that the end of the report tells
which test finds what no other does, and which finds nothing. mutmut answers whether a mutant is found, and not by whom;
it also collects the tests anew for each mutant, which takes longer here (7 s) than most tests that are asked. Here they
are collected once, and each mutant is a fork of that process in which the function has other code.

Tests that run the code in another process (`tests/end_to_end`) find nothing, and mutants are in functions only.
It needs a system with `fork`.
"""
