"""Pages about the code name what is really there: the maps of packages, links, modules and functions."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MAPPED = [
    path
    for place in ("gameserver", "games", "protocols", "tests/support", "tests/simulation")
    for path in sorted((ROOT / place).rglob("__init__.py"))
    if path.parent != ROOT / "tests/support/transcripts"  # it explains a format instead
]
ROW = re.compile(r" *([a-z_][a-z_0-9]*(?:, [a-z_][a-z_0-9]*)*)(?: {2,}\S.*)?")
"""A line of a map: names, then two blanks or more and what they are; or names alone, and the rest a line below."""


def names_in_map(package: Path) -> list[str]:
    text = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
    rows = filter(None, map(ROW.fullmatch, text.splitlines()))
    return [name for row in rows for name in row[1].split(", ")]


def modules_of(package: Path) -> set[str]:
    inside = package.parent.iterdir()
    return {
        path.stem
        for path in inside
        if (path.suffix == ".py" and path != package and not path.name.startswith("test_"))
        or (path / "__init__.py").exists()
    }


@pytest.mark.parametrize("package", MAPPED, ids=lambda path: str(path.parent.relative_to(ROOT)))
def test_package_names_its_modules(package: Path) -> None:
    named, there = names_in_map(package), modules_of(package)
    assert there - set(named) - {"__main__"} == set(), f"name them in the docstring of {package.relative_to(ROOT)}"
    assert set(named) - there == set(), f"not there any more: see the docstring of {package.relative_to(ROOT)}"
    assert len(named) == len(set(named))
