"""Tracebacks of handlers that fail on purpose are logged in plain text: the pretty ones take a second each."""

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def plain_logs() -> Iterator[None]:
    plain = structlog.dev.plain_traceback
    structlog.configure(processors=[structlog.dev.ConsoleRenderer(colors=False, exception_formatter=plain)])
    yield
    structlog.reset_defaults()
