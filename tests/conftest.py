"""What every test runs under: decisions that are watched, plain tracebacks, thorough examples."""

import gc
import os
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.support.examples import THOROUGH
from tests.support.purity import watch_decisions

watch_decisions()

# A hundred processes are started, most of them servers. Where they may not keep what they compile, each compiles all of
# it again, which takes half as long as the rest of a start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# How long an example takes says more about what else the machine has to do than about the code.
settings.register_profile(
    "thorough", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=THOROUGH
)
settings.register_profile("quick", settings.get_profile("thorough"), max_examples=THOROUGH // 2)
settings.load_profile("quick")

# Plain tracebacks, as the server writes them: with every variable in a frame of its own each takes a second to draw.
structlog.configure(
    [
        structlog.processors.add_log_level,
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback),
    ]
)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Leave what collection makes out of garbage collections.

    All of it stays to the end. To go through it again and again took a quarter of the collection's time, and later
    some of the tests'.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
