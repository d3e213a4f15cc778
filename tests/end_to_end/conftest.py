"""What the end-to-end tests share: servers that are gone when the test is over."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.support import Server


@pytest.fixture
def new_server(tmp_path: Path):
    """Makes servers that are not started yet; keywords that are no options of `Server` are tables of the config.

    A turn takes a minute unless the test says otherwise, so that a slow machine loses nobody's match.
    """
    made = 0
    with ExitStack() as to_close:

        def make(*arguments: str, **given: Any) -> Server:
            nonlocal made
            made += 1
            options = {key: given.pop(key) for key in ("listen", "env", "open_files_max") if key in given}
            given["match"] = {"turn_time_s": 60} | given.get("match", {})
            directory = tmp_path / f"server-{made}"
            directory.mkdir()
            server = Server(directory, given, arguments, **options)
            to_close.callback(server.close)
            return server

        yield make


@pytest.fixture
def serve(new_server):
    """Starts servers, and waits until they listen."""

    def start(*arguments: str, **given: Any) -> Server:
        return new_server(*arguments, **given).start()

    return start
