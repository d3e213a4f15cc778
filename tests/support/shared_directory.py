"""A directory that all processes of one run of the tests share, for what is made once."""

import os
from pathlib import Path

import pytest


def shared_directory(factory: pytest.TempPathFactory) -> Path:
    """Give that directory. pytest-xdist gives each of its processes a directory of its own, side by side."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
