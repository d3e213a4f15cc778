"""Scenarios as text files: each stands below a line `## What it shows`.

A scenario begins with settings, in lines with `@`. Then come steps, and below each, indented, what has to be seen:
`some text`, `- text that is not there`, `2x text that is there so often`, `~ a pattern`. Lines with `# ` are remarks.
"""

import re
from pathlib import Path

from attrs import Factory, frozen


@frozen
class Line:
    """A line of a file, and where it stands."""

    text: str
    place: str


@frozen
class Scenario:
    """The settings by their words, and what happens, each with what has to be seen then."""

    settings: dict[str, str] = Factory(dict)
    steps: list[tuple[Line, list[Line]]] = Factory(list)


def scenarios_in(directory: Path) -> dict[str, Scenario]:
    """The scenarios of all files in it by the file and their titles."""
    found: dict[str, Scenario] = {}
    scenario = Scenario()
    for file in sorted(directory.glob("*.txt")):
        for number, text in enumerate(file.read_text("utf-8").splitlines(), start=1):
            line = Line(text.strip(), f"{file.name}:{number}")
            if text.startswith("## "):
                found[f"{file.stem}: {text.removeprefix('## ')}"] = scenario = Scenario()
            elif text.startswith("@"):
                word, _, value = text[1:].partition(" ")
                scenario.settings[word] = value
            elif text.startswith("  "):
                scenario.steps[-1][1].append(line)
            elif text and not text.startswith("# "):
                scenario.steps.append((line, []))
    return found


def fault_in_text(expected: str, text: str) -> str:
    """A sentence on what is missing or too much; empty if nothing is."""
    if found := re.fullmatch(r"(\d+)x (.*)", expected):
        count = text.count(found[2])
        return "" if count == int(found[1]) else f"it stands there {count} times"
    if expected.startswith("- "):
        return "it stands there" if expected[2:] in text else ""
    if expected.startswith("~ "):
        return "" if re.search(expected[2:], text, re.DOTALL) else "it is not there"
    return "" if expected in text else "it is not there"
