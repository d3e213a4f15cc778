"""The official SignalR client, in Node: installed from its lock file where it is not yet."""

import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

DIRECTORY = Path(__file__).parents[1] / "end_to_end" / "signalr_client"
INSTALL_S = 240


def node() -> str:
    """The program that runs the scripts of `DIRECTORY`. Without Node the test is skipped, and says so."""
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        pytest.skip("no Node here: node and npm are needed for the official SignalR client, version 18 or later")
    with FileLock(DIRECTORY / ".install.lock"):
        if not (DIRECTORY / "node_modules" / "@microsoft" / "signalr").exists():
            command = [npm, "ci", "--no-audit", "--no-fund", "--prefix", str(DIRECTORY)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALL_S)
            assert done.returncode == 0, f"npm could not install the SignalR client:\n{done.stdout}{done.stderr}"
    return program
