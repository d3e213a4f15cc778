"""The Java clients of `examples/`, each compiled once in a run of the tests, however many processes the run has."""

import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

from tests.support.shared_directory import shared_directory

SOURCES = Path(__file__).parents[2] / "examples" / "java"
_STARTS_FASTER = ("-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")
"""Options of `javac`, which takes 0.9 s of CPU with them and 1.5 s without."""


def java_command(factory: pytest.TempPathFactory, name: str) -> list[str]:
    """Give the command of a client. Compiled, because to launch it from its source takes a second each time."""
    javac, java = shutil.which("javac"), shutil.which("java")
    if javac is None or java is None:
        pytest.skip("no JDK here: javac and java are needed, version 17 or later")
    classes = shared_directory(factory) / "java" / name
    classes.mkdir(parents=True, exist_ok=True)
    with FileLock(classes / "lock"):
        if not (classes / f"{name}.class").exists():
            options = [*_STARTS_FASTER, "-Xlint:all", "-Werror", "--release", "17", "-d", str(classes)]
            done = subprocess.run(
                [javac, *options, str(SOURCES / f"{name}.java")],
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            assert done.returncode == 0, done.stderr
    return [java, "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", str(classes), name]
