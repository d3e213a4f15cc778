"""The peer's installation, and its two servers as subjects of a measurement."""

from pathlib import Path

from tests.benchmarks.processes import BenchmarkError, Subject
from tests.support.npm import NpmFailed, NpmMissing, node_with_packages

HERE = Path(__file__).parent
HELLO = b"GET /matchmake/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
DURABLE, IN_MEMORY = "colyseus durable", "colyseus in memory"


def installed_node() -> str:
    """The program that runs the peers, which are installed if they are not yet. Raises `BenchmarkError`."""
    try:
        return node_with_packages(HERE)
    except NpmMissing as missing:
        raise BenchmarkError(f"the peers cannot be measured here: {missing}") from missing
    except NpmFailed as failed:
        raise BenchmarkError(f"the peers could not be installed: {failed}") from failed


def durable(node: str, directory: Path) -> Subject:
    """The peer that gives our guarantee."""
    return _subject(DURABLE, node, str(directory / "journal.log"))


def in_memory(node: str) -> Subject:
    """The peer that promises nothing."""
    return _subject(IN_MEMORY, node)


def _subject(name: str, node: str, *journal: str) -> Subject:
    # Colyseus does some more work for each message where this variable does not say that it serves users.
    program = ("env", "NODE_ENV=production", node, str(HERE / "server.mjs"))
    return Subject(name, (*program, "{port}", *journal), HELLO)
