"""Changes a data file from outside, beside the journal that has it open."""

import shutil
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path


def beside(file: Path, suffix: str) -> Path:
    return file.with_name(file.name + suffix)


def copy_of(file: Path, name: str) -> Path:
    """A copy of a data file and its log, as a kill leaves them."""
    copy = file.with_name(name)
    for suffix in ("", "-wal"):
        shutil.copy(beside(file, suffix), beside(copy, suffix))
    return copy


def stranger(file: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute(statement, values)


def in_another_process(program: str, *arguments: object) -> str:
    """The output of a program that has imported the journal, in a process of its own."""
    head = "import os, resource, signal, sys, time\nfrom pathlib import Path\n"
    head += "from gameserver.journal.sqlite import SqliteJournal\nfrom gameserver.journal.journal import *\n"
    head += "from tests.journal.test_contract import rows, record\n"
    command = [sys.executable, "-c", head + textwrap.dedent(program), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=540)
    assert done.returncode == 0, done.stderr
    return done.stdout
