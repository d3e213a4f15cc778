"""Rules for every test: decisions that are watched, plain tracebacks, thorough examples; PostgreSQL and Chromium."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from tests.support.examples import THOROUGH
from tests.support.purity import watch_decisions
from tests.support.shared_directory import shared_directory

if TYPE_CHECKING:
    from gameserver.journal.journal import Journal
    from tests.support.postgresql import Cluster, Clusters

watch_decisions()

# A hundred processes are started, most of them servers. Where they may not keep what they compile, each compiles all of
# it again, which takes half as long as the rest of a start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Nor may pytest forget its rewritten assertions: to make all of them anew takes 4 s of CPU.
sys.dont_write_bytecode = False

# The time of an example depends on the machine's load more than on the code.
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


@pytest.fixture(autouse=True)
def _log_as_before() -> Iterator[None]:
    """Commands set the log up as they need it, and some tests run them in this process."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, started once in each process of the run: a start takes 0.8 s of CPU. Contexts keep tests apart."""
    from tests.support.browser import chromium  # noqa: PLC0415 - few tests need it

    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def clusters(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Clusters"]:
    """Makes PostgreSQL clusters, for tests that need one of their own. Skips where PostgreSQL is not installed."""
    from tests.support.postgresql import Clusters  # noqa: PLC0415 - few tests need it, and it takes 0.1 s

    with Clusters(shared_directory(tmp_path_factory)) as made:
        yield made


@pytest.fixture(scope="session")
def _shared_cluster(clusters: "Clusters") -> "Cluster":
    return clusters.make().start()


@pytest.fixture
def cluster(_shared_cluster: "Cluster") -> "Cluster":
    """A cluster that runs. The tests of one process share it, one after the other; they may kill it."""
    return _shared_cluster.ensure()


@pytest.fixture
def database(cluster: "Cluster") -> Iterator[str]:
    """The URL of an empty database in `cluster`."""
    name = cluster.new_database()
    yield cluster.address(name)
    cluster.ensure().drop(name)


@pytest.fixture
def tables(cluster: "Cluster", _template: str) -> Iterator[str]:
    """The URL of a database in `cluster` with empty tables. To make them for each takes three times as long."""
    name = cluster.new_database(_template)
    yield cluster.address(name)
    cluster.ensure().drop(name)


@pytest.fixture(scope="session")
def _template(_shared_cluster: "Cluster") -> str:
    from gameserver.database import postgresql, postgresql_schema  # noqa: PLC0415 - few tests need it

    name = _shared_cluster.ensure().new_database()
    with closing(postgresql.connect(_shared_cluster.address(name))) as connection:
        postgresql_schema.prepare(connection, "the template")
    return name


@pytest.fixture(params=["sqlite", "postgresql"])
def kept_in(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new database of each kind, as the setting `data` names it."""
    if request.param == "sqlite":
        return str(tmp_path / "data.sqlite3")
    return str(request.getfixturevalue("database"))


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator["Journal"]:
    """A new journal of each kind, of a server that leads."""
    from tests.support.journals import open_journal  # noqa: PLC0415 - not every test needs it

    if request.param == "postgresql":
        opened = open_journal(*request.getfixturevalue("new_hall"))
    else:
        opened = open_journal(":memory:" if request.param == "memory" else str(tmp_path / "data.sqlite3"))
    yield opened
    opened.close()


@pytest.fixture
def new_hall(cluster: "Cluster", _shared_database: str) -> Iterator[tuple[str, str]]:
    """A database, and a hall of it in which nothing is. To make a database for each takes ten times as long."""
    yield cluster.address(_shared_database), f"hall-{next(_HALLS)}"
    cluster.ensure().execute("DELETE FROM gameserver.rating", database=_shared_database)


@pytest.fixture(scope="session")
def _shared_database(_shared_cluster: "Cluster", _template: str) -> str:
    return _shared_cluster.ensure().new_database(_template)


_HALLS = count()
