"""`python -m tests.fuzz.guided --protocol NAME`: fuzz an adapter with inputs that evolve by what code they reach.

It needs atheris (`pip install atheris`; Linux and macOS), which is no dependency: the tests do without it.
libFuzzer bends and mixes inputs and keeps those that reach something new; here an input is a conversation,

    what one connection does, separated by FF FE FF, each with a first byte that says which it is and who does it

in the world of `tests.fuzz.world`, which holds after each step what must hold. The first inputs are
conversations as the seeded fuzzer has them. What is kept is in a folder, so that the next run goes on from there.
"""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import click

SEPARATOR = b"\xff\xfe\xff"
STEPS_MAX = 40
"""More of one conversation are not looked at: a short one that finds something is worth more."""
BYTES_MAX = 20_000
SEEDS = 60
CONNECTIONS = 3
KINDS = {80: "end", 81: "lose", 82: "dismiss", 83: "wait"}


def operations_of(data: bytes) -> Iterator[Any]:
    """Read an input as a conversation, whatever it is."""
    run = importlib.import_module("tests.fuzz.run")
    yield from (run.Operation("open") for _ in range(CONNECTIONS))
    for step in data.split(SEPARATOR)[:STEPS_MAX]:
        first, rest = step[:1] or b"\x00", step[1:]
        what, who = divmod(first[0], CONNECTIONS)
        kind, middle = KINDS.get(what, "feed"), len(rest) // 2 if what % 8 == 7 else 0
        pieces = tuple(piece for piece in (rest[:middle], rest[middle:]) if piece)
        details = {"feed": pieces, "dismiss": run.REFUSALS[len(rest) % 5], "wait": run.WAITS_MS[len(rest) % 4]}
        yield run.Operation(kind, who, details.get(kind))


def first_inputs(protocol: str) -> Iterator[bytes]:
    """Conversations in which clients say what is right, given what they heard."""
    run = importlib.import_module("tests.fuzz.run")
    for seed in range(SEEDS):
        chance, steps = Random(f"{protocol} {seed}"), []

        def operations(world: Any, chance: Random = chance, steps: list[bytes] = steps) -> Iterator[Any]:
            yield from operations_of(b"")
            for _ in range(STEPS_MAX // 2):
                who = chance.randrange(CONNECTIONS)
                data = world.dialect.right(chance, who, world.connections[who].heard)
                steps.append(bytes([who]) + data)
                yield run.Operation("feed", who, (data,))

        run.carry_out(protocol, 0, operations)
        yield SEPARATOR.join(steps)


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option("--protocol", required=True, help="Which: strategic, connect-four, mastermind, gammonx, web, http.")
@click.option("--runs", default=10_000, help="How many conversations.")
@click.option("--seconds", default=0, help="How long at the most; 0 for no limit.")
@click.option("--seed", default=1, help="libFuzzer's.")
@click.option("--corpus", default="build/fuzz", type=click.Path(path_type=Path), help="Where what is kept is kept.")
def main(protocol: str, runs: int, seconds: int, seed: int, corpus: Path) -> None:
    """Fuzz an adapter, guided by coverage."""
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        message = "atheris is not installed: pip install atheris"
        raise click.ClickException(message) from None
    with atheris.instrument_imports(include=["gameserver", "protocols", "games"]):
        run = importlib.import_module("tests.fuzz.run")
    report = importlib.import_module("tests.fuzz.__main__").report

    def one(data: bytes) -> None:
        failure = run.repeat(protocol, 0, tuple(operations_of(data)))
        if failure is not None:
            report(run.shrink(failure), is_seeded=False)
            raise failure.error

    corpus = corpus / protocol
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(first_inputs(protocol)):
        (corpus / f"seed-{number:03}").write_bytes(data)
    limits = [f"-runs={runs}", f"-max_len={BYTES_MAX}", f"-seed={seed}", f"-artifact_prefix={corpus}-", "-timeout=60"]
    limits += [f"-max_total_time={seconds}", "-rss_limit_mb=0"]
    atheris.Setup([sys.argv[0], str(corpus), *limits], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
