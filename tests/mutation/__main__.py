"""`python -m tests.mutation`: measures what the tests hold; the package's docstring explains how."""

import json
import sys

import click
import pytest


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--seed", default=0)
@click.option("--mutants", default=100)
@click.argument("below", nargs=-1, required=True)
def main(seed: int, mutants: int, below: tuple[str, ...]) -> None:
    """Ask tests about mutants of the modules BELOW these paths; behind `--` stand the tests, as for pytest."""
    options = ["-q", "-s", "-p", "tests.mutation.plugin", "-p", "no:cacheprovider"]
    sys.exit(pytest.main([*options, f"--mutants={json.dumps([seed, mutants, below])}", *TESTS]))


if __name__ == "__main__":
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    TESTS = sys.argv[at + 1 :]
    main(sys.argv[1:at])
