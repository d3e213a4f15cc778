"""Fixtures of the end-to-end tests: servers that are gone when the test is over, and pages in a browser."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.failover import Hall, Member
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import LOCAL
from tests.support.browser import PATIENCE_MS


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
            options = {key: given.pop(key) for key in ("listen", "env", "open_files_max", "fixed") if key in given}
            given["match"] = {"clock": "turn 60s"} | given.get("match", {})
            directory = tmp_path / f"server-{made}"
            directory.mkdir()
            server = Server(directory, given, arguments, **options)
            to_close.callback(server.close)
            return server

        yield make


@pytest.fixture
def to_end() -> Iterator[ExitStack]:
    """What is pushed here, such as a client, ends with the test."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def new_hall(tmp_path: Path):
    """Makes servers over one database, one for each address at which they are to find it. None of them is started."""
    with ExitStack() as to_close:

        def make(*addresses: str, **config: Any) -> Hall:
            config["match"] = {"clock": "turn 60s"} | config.get("match", {})
            members = [Member(tmp_path / f"member-{number}", each, config) for number, each in enumerate(addresses)]
            for member in members:
                to_close.callback(member.close)
            return Hall(members[0], members=members)

        yield make


@pytest.fixture
def serve(new_server):
    """Starts servers, and waits until they listen."""

    def start(*arguments: str, **given: Any) -> Server:
        return new_server(*arguments, **given).start()

    return start


@pytest.fixture(scope="session")
def _shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a listener of every kind, and the settings of `new_server`."""
    listen = [f"{name}={LOCAL}:0" for name in ("strategic", "connect-four", "mastermind", "http", "admin")]
    server = Server(tmp_path_factory.mktemp("shared"), {"match": {"clock": "turn 60s"}}, listen=listen)
    with closing(server):
        yield server.start()
        assert server.stop() == 0


@pytest.fixture
def server(_shared_server: Server) -> Iterator[Server]:
    """A server in which nobody is, for tests that neither set, stop nor break anything: they share it.

    Its `matches` are those of the test, and what it logs meanwhile must not tell of an exception.
    """
    logged = len(_shared_server.log.lines)
    yield _shared_server
    _shared_server.empty()
    log = "\n".join(_shared_server.log.lines[logged:])
    print(log)
    assert "Traceback" not in log


@pytest.fixture
def new_page(browser: Any) -> Iterator[Any]:
    """Makes pages, on which no script may have failed when the test is over. What is `expected` is no fault."""
    contexts, faults = [], []

    def make(address: str, *, expected: tuple[str, ...] = (), **options: Any) -> Any:
        def note(said: Any) -> None:
            if said.type == "error" and not any(part in said.text for part in expected):
                faults.append(said.text)

        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: faults.append(f"a dialog: {dialog.message}"))
        page.on("console", note)
        page.goto(address)
        return page

    yield make
    for context in contexts:
        context.close()
    assert faults == []
