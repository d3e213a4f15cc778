"""`python -m tests.fuzz --protocol NAME --inputs N`: send an adapter what no client should, and report what it does.

Every run is repeatable: a failure names its seed, and what was sent to which connection.
"""

import sys
import time
import traceback

import click

from tests.fuzz.dialects import DIALECTS
from tests.fuzz.run import Failure, run, shrink
from tests.support.transcripts.text import to_text

INPUTS_A_RUN = 250
SHOWN_MAX = 400


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--protocol", "protocols", multiple=True, type=click.Choice([*DIALECTS]), help="Which; all by default.")
@click.option("--inputs", default=10_000, help="How much is sent to each of them.")
@click.option("--seed", default=0, help="The first run's seed.")
def main(protocols: tuple[str, ...], inputs: int, seed: int) -> None:
    """Fuzz the adapters."""
    for protocol in protocols or DIALECTS:
        began_s = time.monotonic()
        runs = -(-inputs // INPUTS_A_RUN)
        for number in range(seed, seed + runs):
            failure = run(protocol, number, INPUTS_A_RUN)
            if failure is not None:
                report(shrink(failure))
                sys.exit(1)
        took_s = time.monotonic() - began_s
        click.echo(f"{protocol}: {runs * INPUTS_A_RUN:,} inputs, seeds {seed} to {seed + runs - 1}, {took_s:.0f} s")


def report(failure: Failure, *, is_seeded: bool = True) -> None:
    """Print what was found, and how to see it again."""
    click.echo("".join(traceback.format_exception(failure.error)))
    whose = f"{failure.protocol}, seed {failure.seed}" if is_seeded else failure.protocol
    click.echo(f"{whose}; this is enough for it:")
    for operation in failure.operations:
        what = operation.what
        shown = " ".join(to_text(piece[:SHOWN_MAX]) for piece in what) if operation.kind == "feed" else what or ""
        click.echo(f"  {operation.kind} {operation.connection}: {shown}"[:SHOWN_MAX])
    if is_seeded:
        click.echo(f"again: python -m tests.fuzz --protocol {failure.protocol} --seed {failure.seed} --inputs 1")


if __name__ == "__main__":
    main()
