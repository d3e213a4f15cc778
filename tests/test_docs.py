"""Pages about the code name what is really there: the maps of packages, links, files and functions."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES += [ROOT / "examples/README.md", ROOT / "tests/benchmarks/README.md"]
PAGES += [ROOT / f"examples/{kit}/README.md" for kit in ("csharp", "java", "javascript", "python", "train_and_connect")]
ABOUT_CODE = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]
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


@cache
def rendered(page: Path) -> str:
    return str(MarkdownIt("gfm-like", {"linkify": False}).render(page.read_text(encoding="utf-8")))


def anchors_of(page: Path) -> set[str]:
    """The anchors that GitHub makes of headings."""
    headings = re.findall(r"<h[1-6]>(.*?)</h[1-6]>", rendered(page))
    texts = (re.sub(r"<[^>]+>", "", heading).lower() for heading in headings)
    return {re.sub(r"[^\w\- ]", "", text).replace(" ", "-") for text in texts}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for link in re.findall(r'href="([^"]+)"', rendered(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors_of(target), link


@cache
def names_of(module: Path) -> frozenset[str]:
    return frozenset(names_in(ast.parse(module.read_text(encoding="utf-8")).body))


def names_in(body: list[ast.stmt], within: str = "") -> Iterator[str]:
    """Classes, functions and constants of a module, and what is in its classes, as `Class.name`."""
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield within + node.name
            if isinstance(node, ast.ClassDef):
                yield from names_in(node.body, f"{within}{node.name}.")
            elif within:  # what a method sets: `self.name = ...`
                targets = (one.targets[0] for one in ast.walk(node) if isinstance(one, ast.Assign))
                yield from (within + target.attr for target in targets if isinstance(target, ast.Attribute))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (within + target.id for target in targets if isinstance(target, ast.Name))


def located(path: str) -> Path | None:
    """The file or directory of that name, in the repository or in `gameserver/`."""
    return next((place / path for place in (ROOT, ROOT / "gameserver") if (place / path).exists()), None)


def named_by(page: Path) -> list[tuple[str, str]]:
    """The files that a page names, each with what it names in them: `file.py: name`, or a line of a walk."""
    text = page.read_text(encoding="utf-8")
    quoted = re.findall(r"`([\w./-]+/|[\w./-]+\.(?:py|md|txt)|[\w.-]+/[\w./-]+)(?:: ([\w.]+))?`", text)
    stations = re.findall(r"^([a-z_0-9/]+\.py) +([\w.]+)(?: |$)", text, re.MULTILINE)
    return quoted + stations


@pytest.mark.parametrize("page", ABOUT_CODE, ids=lambda path: path.name)
def test_page_names_what_is_there(page: Path) -> None:
    named = named_by(page)
    assert len(named) > 20
    for path, name in named:
        place = located(path)
        assert place is not None, f"{page.name} names {path}, which is not there"
        if name:
            assert name in names_of(place), f"{page.name} names {name} of {path}, which is not there"


@pytest.mark.parametrize("page", [*ABOUT_CODE, ROOT / "tests/benchmarks/README.md"], ids=lambda path: path.parent.name)
def test_page_names_no_unknown_class_or_constant(page: Path) -> None:
    """Names in backticks without a file: `Adapter`, `HANDLERS`, `Game.exports`."""
    known: set[str] = set()
    for place in ("gameserver", "games", "protocols", "tests", "scripts"):
        for path in (ROOT / place).rglob("*.py"):
            known |= names_of(path) | {name.rpartition(".")[2] for name in names_of(path)}
    quoted = re.findall(r"`([A-Z]\w+(?:\.\w+)*|[A-Z_]+)`", page.read_text(encoding="utf-8"))
    for name in quoted:
        assert name in known, f"{page.name} names {name}, which is nowhere"
