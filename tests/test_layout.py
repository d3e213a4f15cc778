"""The shape of the code, held by a test: who imports whom, what the pure parts touch, how long things get."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("gameserver", "games", "protocols", "terminals")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

VALUES = "gameserver.values"
CORE = {"gameserver.core", "gameserver.game", VALUES}
ALLOWED: dict[str, set[str]] = {
    VALUES: set(),
    "gameserver.drawing": set(),
    "gameserver.game": {"gameserver.drawing", VALUES},
    # A tournament is a row of the lobby, and an act upon it a command: core needs their rules, which are as pure as it.
    "gameserver.core": {*CORE, "gameserver.tournaments"},
    "gameserver.endpoints": {"gameserver.core"},
    "gameserver.interchange": {"gameserver.endpoints", "gameserver.public", VALUES},
    "gameserver.adapter": {"gameserver.endpoints", "gameserver.interchange", "gameserver.core"},
    "gameserver.http": {
        "gameserver.http",
        "gameserver.adapter",
        "gameserver.endpoints",
        "gameserver.public",
        "gameserver.core",
    },
    "gameserver.admin": {
        "gameserver.admin",
        "gameserver.public",
        "gameserver.records",
        "gameserver.reports",
        "gameserver.tournaments",
        "gameserver.http",
        "gameserver.adapter",
        "gameserver.endpoints",
        "gameserver.core",
    },
    # The teacher's pages: what the admin listener can do, shown as the web's pages are.
    "gameserver.teacher": {
        "gameserver.teacher",
        "gameserver.admin",
        "gameserver.public",
        "gameserver.records",
        "gameserver.web",
        "gameserver.reports",
        "gameserver.tournaments",
        "gameserver.endpoints",
        "gameserver.core",
    },
    "gameserver.public": {
        "gameserver.public",
        "gameserver.drawing",
        "gameserver.records",
        "gameserver.tournaments",
        *CORE,
    },
    "gameserver.web": {
        "gameserver.web",
        "gameserver.public",
        "gameserver.drawing",
        "gameserver.endpoints",
        "gameserver.http",
        "gameserver.records",
        "gameserver.tournaments",
    },
    "gameserver.tournaments": {"gameserver.tournaments", VALUES},
    "gameserver.ratings": {"gameserver.ratings"},
    "gameserver.exports": {"gameserver.exports", "gameserver.records", *CORE},
    "gameserver.rehearsal": {"gameserver.tournaments", "gameserver.core", "gameserver.journal", "gameserver.game"},
    "gameserver.reports": {"gameserver.tournaments", "gameserver.ratings", "gameserver.core"},
    "gameserver.records": {"gameserver.records", "gameserver.ratings", "gameserver.tournaments", *CORE},
    "gameserver.journal": {"gameserver.journal", "gameserver.records", "gameserver.tournaments", *CORE},
    "gameserver.runtime": {
        "gameserver.runtime",
        "gameserver.public",
        "gameserver.reports",
        "gameserver.journal",
        "gameserver.records",
        "gameserver.tournaments",
        "gameserver.adapter",
        *CORE,
    },
    "gameserver.testing": {"gameserver.testing", "gameserver.adapter", "gameserver.drawing", *CORE},
    "gameserver.plugins": {
        "gameserver.endpoints",
        "gameserver.adapter",
        "gameserver.admin",
        "gameserver.http",
        "gameserver.teacher",
        "gameserver.web",
        "gameserver.journal",
        *CORE,
    },
    "gameserver.config_file": set(),
    "gameserver.config": {"gameserver.config_file", "gameserver.adapter", "gameserver.core", "gameserver.runtime"},
    "gameserver.logs": set(),
    "gameserver.commands": {"gameserver"},
    "gameserver.cli": {"gameserver.commands"},
    "gameserver.__main__": {"gameserver.cli"},
    "gameserver": set(),
    "games": {"games", "gameserver.game", "gameserver.drawing"},
    "terminals": {"terminals", "games", "gameserver.game"},
    "protocols": {"protocols", "games", "gameserver.adapter", "gameserver.core", VALUES},
}
"""What each part may import of ours. The longest matching name counts."""

IMPURE = {
    "asyncio",
    "datetime",
    "os",
    "random",
    "secrets",
    "select",
    "selectors",
    "socket",
    "subprocess",
    "sys",
    "threading",
    "time",
    "trio",
    "uuid",
}
PURE_PARTS = (
    "games",
    "gameserver.core",
    "gameserver.game",
    VALUES,
    "gameserver.tournaments",
    "gameserver.ratings",
    "protocols",
    "gameserver.adapter",
    "gameserver.drawing",
    "gameserver.public",
    "gameserver.endpoints",
    "gameserver.interchange",
)

FUNCTION_LINES_MAX = 60
MODULE_LINES_MAX = 340


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path) for path in SOURCES}


def imports_of(tree: ast.AST) -> Iterator[str]:
    """Every imported module, those for type checkers included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, "relative imports hide the direction"
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield module if module in MODULES else node.module


def part_of(module: str) -> str:
    return max((part for part in ALLOWED if module == part or module.startswith(part + ".")), key=len)


def belongs(module: str, parts: set[str]) -> bool:
    return any(module == part or module.startswith(part + ".") for part in parts)


TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_imports_go_one_way(path: Path) -> None:
    module = module_name(path)
    allowed = ALLOWED[part_of(module)]
    ours = {name for name in imports_of(TREES[path]) if name.split(".")[0] in PACKAGES}
    wrong = {name for name in ours if not belongs(name, allowed)}
    assert not wrong, f"{module} must not import {sorted(wrong)}"


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if belongs(module_name(path), set(PURE_PARTS))], ids=module_name
)
def test_pure_parts_touch_nothing(path: Path) -> None:
    touched = {name.split(".")[0] for name in imports_of(TREES[path])} & IMPURE
    assert not touched, f"{module_name(path)} is pure and must not import {sorted(touched)}"


def test_no_import_cycles() -> None:
    graph = {
        module_name(path): {name for name in imports_of(tree) if name in MODULES and name != module_name(path)}
        for path, tree in TREES.items()
    }
    done: set[str] = set()

    def visit(module: str, above: tuple[str, ...]) -> None:
        assert module not in above, f"import cycle: {' -> '.join((*above, module))}"
        if module not in done:
            for imported in sorted(graph[module]):
                visit(imported, (*above, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_nothing_gets_long(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MODULE_LINES_MAX, f"{module_name(path)} has {lines} lines: split it"
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            assert length <= FUNCTION_LINES_MAX, f"{module_name(path)}.{node.name} has {length} lines: split it"


@pytest.mark.parametrize(
    "path", [path for path in SOURCES if belongs(module_name(path), {"gameserver.core"})], ids=module_name
)
def test_core_keeps_no_floats_and_iterates_no_sets(path: Path) -> None:
    for node in ast.walk(TREES[path]):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), f"float in line {node.lineno}"
        assert not isinstance(node, ast.SetComp), f"set in line {node.lineno}: its order differs between processes"
        if isinstance(node, ast.For | ast.comprehension):
            assert not isinstance(node.iter, ast.Set), "a set is iterated"


@pytest.mark.parametrize("path", SOURCES, ids=module_name)
def test_shields_have_deadlines(path: Path) -> None:
    """A shielded wait without a deadline cannot be ended by anything."""
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Call) and any(keyword.arg == "shield" for keyword in node.keywords):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            assert name in {"move_on_after", "fail_after"}, f"bare shield in line {node.lineno}"
