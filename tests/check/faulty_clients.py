"""Clients with a single fault each: `python faulty_clients.py FAULT OPTIONS...`, or `correct_client` for none.

A fault is an edit of a client that passes every scenario; `faulty_clients.txt` has them.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
FOLDERS = (HERE, HERE.parents[1] / "examples" / "python")
ENTRY = re.compile(r"(\w+) of (\w+): (\w+)(?:, (\d+) others, (\S+))?\n((?:[^-\n].*\n)*)((?:[-+].*\n?)+)")
HUNK = re.compile(r"((?:-.*\n)+)((?:\+.*\n?)+)")

FAULTS = {found[1]: found for found in ENTRY.finditer((HERE / "faulty_clients.txt").read_text("utf-8"))}


def edited(fault: str) -> tuple[Path, str]:
    """The program of a client, and its source with the fault in it."""
    client, hunks = (FAULTS[fault][2], FAULTS[fault][7]) if fault in FAULTS else (fault, "")
    path = next(path for folder in FOLDERS if (path := folder / f"{client}.py").exists())
    source = path.read_text("utf-8")
    for sides in HUNK.findall(hunks):
        old, new = ("\n".join(line[1:] for line in side.splitlines()) for side in sides)
        assert source.count(old) == 1, f"{fault}: {path.name} has {source.count(old)} times {old!r}: move the edit"
        source = source.replace(old, new)
    return path, source


if __name__ == "__main__":
    path, source = edited(sys.argv.pop(1))
    sys.argv[0], sys.path[:1] = str(path), map(str, FOLDERS)
    exec(compile(source, path, "exec"))
