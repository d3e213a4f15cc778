"""Packages of Node for the tests: installed from a lock file where they are not yet."""

import shutil
import subprocess
from pathlib import Path

from filelock import FileLock

INSTALL_TIMEOUT_S = 240


class NpmMissing(Exception):
    """Node or npm is not on this machine."""


class NpmFailed(Exception):
    """npm could not install what the lock file names."""


def node_with_packages(directory: Path) -> str:
    """The program that runs scripts of this directory, once the packages of its lock file are in `node_modules`.

    Raises `NpmMissing` and `NpmFailed`.
    """
    program, npm = shutil.which("node"), shutil.which("npm")
    if program is None or npm is None:
        raise NpmMissing("node and npm are needed, version 18 or later")
    with FileLock(directory / ".install.lock"):
        if not _is_installed(directory):
            command = [npm, "ci", "--no-audit", "--no-fund", "--prefix", str(directory)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=INSTALL_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                raise NpmFailed(f"{' '.join(command)} took longer than {INSTALL_TIMEOUT_S} s") from None
            if done.returncode != 0:
                raise NpmFailed(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return program


def _is_installed(directory: Path) -> bool:
    """True if npm finished after the lock file was last changed: it writes its own copy of it at the end."""
    wanted, found = directory / "package-lock.json", directory / "node_modules" / ".package-lock.json"
    return found.exists() and found.stat().st_mtime >= wanted.stat().st_mtime
