"""The official SignalR client, in Node."""

from pathlib import Path

import pytest

from tests.support.npm import NpmMissing, node_with_packages

DIRECTORY = Path(__file__).parents[1] / "end_to_end" / "signalr_client"


def node() -> str:
    """The program that runs the scripts of `DIRECTORY`. Without Node the test is skipped, and says so."""
    try:
        return node_with_packages(DIRECTORY)
    except NpmMissing as missing:
        pytest.skip(f"no Node here for the official SignalR client: {missing}")
