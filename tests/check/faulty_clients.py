"""Clients with a single fault each: `python faulty_clients.py FAULT OPTIONS...`, or `random_bot` for none.

A fault is an edit of a client of `examples/`, all of which pass every scenario; `faulty_clients.txt` has them.
"""

import re
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
ENTRY = re.compile(r"(\w+) of (\w+): (\w+)(?:, (\d+) others, (\S+))?\n((?:[^-\n].*\n)*)((?:[-+].*\n?)+)")
HUNK = re.compile(r"((?:-.*\n)+)((?:\+.*\n?)+)")

FAULTS = {found[1]: found for found in ENTRY.finditer(Path(__file__).with_suffix(".txt").read_text("utf-8"))}


def edited(fault: str) -> tuple[Path, str]:
    """The program of a client, and its source with the fault in it."""
    client, hunks = (FAULTS[fault][2], FAULTS[fault][7]) if fault in FAULTS else (fault, "")
    path = EXAMPLES / f"{client}.py"
    source = path.read_text("utf-8")
    for sides in HUNK.findall(hunks):
        old, new = ("\n".join(line[1:] for line in side.splitlines()) for side in sides)
        assert source.count(old) == 1, f"{fault}: {path.name} has {source.count(old)} times {old!r}: move the edit"
        source = source.replace(old, new)
    return path, source


if __name__ == "__main__":
    path, source = edited(sys.argv.pop(1))
    sys.argv[0], sys.path[0] = str(path), str(EXAMPLES)
    exec(compile(source, path, "exec"))
