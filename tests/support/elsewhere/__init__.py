"""Processes that find Python as it is on another system; `sitecustomize` here explains how far that goes.

sitecustomize        hides what the other system lacks from our packages
"""

import os
from pathlib import Path

import pytest

SYSTEM = os.environ.get("GAMESERVER_TESTS_SYSTEM", "")
"""The system, "windows" or "macos", that all tests of this run are about; by default the one that there is."""

needs_posix = pytest.mark.skipif(SYSTEM == "windows" or os.name != "posix", reason="Windows has no modes and no SIGHUP")


def elsewhere(system: str) -> dict[str, str]:
    """The environment of a process in which our packages see what `system` has."""
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    return {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "GAMESERVER_TESTS_SYSTEM": system}
