"""Examples that are packages of their own, installed as their READMEs say, though in a directory apart."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.end_to_end.support import EXAMPLES


def found_in(directory: Path) -> dict[str, str]:
    """An environment in which Python finds modules in this directory."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(directory), os.environ.get("PYTHONPATH", "")]))}


def installed(examples: Sequence[str], directory: Path) -> dict[str, str]:
    """An environment in which examples are installed."""
    target, sources = directory / "target", [directory / example for example in examples]
    for source in sources:
        made = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
        shutil.copytree(EXAMPLES / source.name, source, ignore=made)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    where = ["--no-deps", "--target", str(target), *map(str, sources)]
    attempts = [
        # Without a network where setuptools is new enough to build a wheel, with one otherwise.
        [*pip, "--no-build-isolation", *where],
        [*pip, *where],
        ["uv", "pip", "install", "--quiet", *where],
    ]
    complaints = []
    for attempt in attempts:
        if shutil.which(attempt[0]) is None:
            continue
        done = subprocess.run(attempt, capture_output=True, text=True, check=False, timeout=120)
        if done.returncode == 0:
            return found_in(target)
        complaints.append(f"{' '.join(attempt)}\n{done.stderr}")
    return pytest.fail(f"{', '.join(examples)} cannot be installed:\n" + "\n".join(complaints))
