"""`python -m tests.fuzz.guided --protocol NAME`: fuzz an adapter with inputs that evolve by what code they reach.

It needs atheris (`pip install atheris`; Linux and macOS), which is no dependency: the tests do without it.
libFuzzer bends and mixes inputs and keeps those that reach something new; here an input is a conversation,

    what one connection does, separated by FF FE FF, each with a first byte that says which it is and who does it

on the harness of `tests.fuzz.server`, which holds after each step what must hold. The first inputs are
conversations as the seeded fuzzer has them. What is kept is in a folder, so that the next run goes on from there.
"""

import importlib
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import click
import structlog

SEPARATOR = b"\xff\xfe\xff"
STEPS_MAX = 40
"""More of one conversation are not looked at: a short one that finds something is worth more."""
BYTES_MAX = 20_000
SEEDS = 60
REPORT_EVERY = 500
CONNECTIONS = 3


def operations_of(data: bytes) -> Iterator[Any]:
    """What an input stands for: whatever it is, it is a conversation."""
    server = importlib.import_module("tests.fuzz.server")
    kinds = tuple(importlib.import_module("gameserver.protocol").RefusalKind)
    yield from (server.Open() for _ in range(CONNECTIONS))
    for step in data.split(SEPARATOR)[:STEPS_MAX]:
        first, rest = step[:1] or b"\x00", step[1:]
        what, who = divmod(first[0], CONNECTIONS)
        match what:
            case 80:
                yield server.End(who)
            case 81:
                yield server.Lose(who)
            case 82:
                yield server.Dismiss(who, kinds[len(rest) % len(kinds)])
            case 83:
                yield server.Pass((1, 1_000, 16_000, 61_000)[len(rest) % 4])
            case _ if what % 8 == 7:
                yield server.Feed(who, (rest[: len(rest) // 2], rest[len(rest) // 2 :]))
            case _:
                yield server.Feed(who, (rest,))


def first_inputs(protocol: str) -> Iterator[bytes]:
    """Conversations in which clients say what is right, given what they heard."""
    dialects, server = (importlib.import_module(f"tests.fuzz.{name}") for name in ("dialects", "server"))
    for seed in range(SEEDS):
        chance = Random(f"{protocol} {seed}")
        fuzzed = server.FuzzedServer(dialects.DIALECTS[protocol]())
        for _ in range(CONNECTIONS):
            fuzzed.do(server.Open())
        steps = []
        for _ in range(STEPS_MAX // 2):
            who = chance.randrange(CONNECTIONS)
            connection = fuzzed.connections[who]
            data = fuzzed.dialect.right(chance, connection.session, connection.last_said)
            steps.append(bytes([who]) + data)
            fuzzed.do(server.Feed(who, (data,)))
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
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with atheris.instrument_imports(include=["gameserver", "protocols", "games"]):
        run = importlib.import_module("tests.fuzz.run")
    tasks = importlib.import_module("tests.fuzz.tasks")
    report = importlib.import_module("tests.fuzz.__main__").report
    conversations, inputs = count(1), 0

    def one(data: bytes) -> None:
        nonlocal inputs
        operations = list(operations_of(data))
        inputs += sum(hasattr(operation, "pieces") for operation in operations)
        error = run.error_of(protocol, operations)
        if error is not None:
            report(run.shrink(run.Failure(protocol, 0, tuple(operations), error)), is_seeded=False)
            raise error
        if next(conversations) % REPORT_EVERY == 0:
            click.echo(f"{protocol}: {inputs:,} inputs", err=True)

    corpus = corpus / protocol
    corpus.mkdir(parents=True, exist_ok=True)
    with tasks.without_trio():
        for number, data in enumerate(first_inputs(protocol)):
            (corpus / f"seed-{number:03}").write_bytes(data)
    limits = [f"-runs={runs}", f"-max_len={BYTES_MAX}", f"-seed={seed}", f"-artifact_prefix={corpus}-", "-timeout=60"]
    if seconds:
        limits.append(f"-max_total_time={seconds}")
    atheris.Setup([sys.argv[0], str(corpus), *limits, "-rss_limit_mb=0"], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
