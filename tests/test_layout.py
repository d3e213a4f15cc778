"""The shape of the code, held by a test: who imports whom, what the pure parts touch, how long things get."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("gameserver", "games", "protocols", "terminals")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

VALUES = "gameserver.values"
CORE = {"gameserver.core", "gameserver.policies", "gameserver.game", VALUES}
MESSAGES = {"gameserver.core.messages", "gameserver.policies", "gameserver.tournaments", VALUES}
STATE = {"gameserver.core.state", "gameserver.game", *MESSAGES}
MATCHES = {"gameserver.core.matches", *STATE}
MATCHMAKING = {"gameserver.core.matchmaking", *MATCHES}
ORGANIZER = {"gameserver.core.organizer", *MATCHMAKING}
ALLOWED: dict[str, set[str]] = {
    VALUES: set(),
    "gameserver.policies": {VALUES},
    "gameserver.drawing": set(),
    "gameserver.game": {"gameserver.drawing", VALUES},
    # A tournament is a row of the lobby, and an act upon it a command: the core needs their rules, as pure as itself.
    "gameserver.core.messages": MESSAGES,
    "gameserver.core.messages.tournament_events": STATE,  # goes with its query
    "gameserver.core.state": STATE,
    "gameserver.core.matches": MATCHES,
    "gameserver.core.matchmaking": MATCHMAKING,
    "gameserver.core.organizer": ORGANIZER,
    "gameserver.core.sessions": {*ORGANIZER, "gameserver.core.sessions"},
    "gameserver.core": {"gameserver.core", *ORGANIZER},
    "gameserver.endpoints": {"gameserver.core"},
    "gameserver.protocol": {"gameserver.endpoints", "gameserver.public", "gameserver.core", VALUES},
    "gameserver.http": {
        "gameserver.http",
        "gameserver.protocol",
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
        "gameserver.protocol",
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
        "gameserver.protocol",
        *CORE,
    },
    "gameserver.testing": {"gameserver.testing", "gameserver.protocol", "gameserver.drawing", *CORE},
    "gameserver.plugins": {
        "gameserver.endpoints",
        "gameserver.protocol",
        "gameserver.admin",
        "gameserver.http",
        "gameserver.teacher",
        "gameserver.web",
        "gameserver.journal",
        *CORE,
    },
    "gameserver.config_file": set(),
    "gameserver.config": {
        "gameserver.config_file",
        "gameserver.policies",
        "gameserver.protocol",
        "gameserver.core",
        "gameserver.runtime",
    },
    "gameserver.logs": set(),
    "gameserver.commands": {"gameserver"},
    "gameserver.cli": {"gameserver.commands"},
    "gameserver.__main__": {"gameserver.cli"},
    "gameserver": set(),
    "games": {"games", "gameserver.game", "gameserver.drawing"},
    "terminals": {"terminals", "games", "gameserver.game"},
    "protocols": {"protocols", "games", "gameserver.protocol", "gameserver.core", VALUES},
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
PURE_PARTS = {
    "games",
    "gameserver.core",
    "gameserver.game",
    VALUES,
    "gameserver.tournaments",
    "gameserver.ratings",
    "protocols",
    "gameserver.protocol",
    "gameserver.drawing",
    "gameserver.public",
    "gameserver.endpoints",
}

FUNCTION_LINES_MAX = 60
MODULE_LINES_MAX = 400
LONGER = {"gameserver.protocol": 560}
"""Modules that may be longer, each with its reason: a protocol author reads and imports from one file."""


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {module_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
PATHS = {module_name(path): path for path in SOURCES}


def imports_of(tree: ast.AST) -> Iterator[str]:
    """Every imported module, those for type checkers included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, "relative imports hide the direction"
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield module if module in TREES else node.module


IMPORTS = {module: set(imports_of(tree)) for module, tree in TREES.items()}
"""Each module's imports, ours and others'."""


def part_of(module: str) -> str:
    return max((part for part in ALLOWED if module == part or module.startswith(part + ".")), key=len)


def belongs(module: str, parts: set[str]) -> bool:
    return any(module == part or module.startswith(part + ".") for part in parts)


def test_imports_go_one_way() -> None:
    offenders = [
        f"{module} imports {name}"
        for module, imports in IMPORTS.items()
        for name in sorted(imports)
        if name.split(".")[0] in PACKAGES and not belongs(name, ALLOWED[part_of(module)])
    ]
    assert not offenders, "\n".join(["not in the table of imports:", *offenders])


def test_pure_parts_touch_nothing() -> None:
    offenders = [
        f"{module} imports {name}"
        for module, imports in IMPORTS.items()
        if belongs(module, PURE_PARTS)
        for name in sorted(imports)
        if name.split(".")[0] in IMPURE
    ]
    assert not offenders, "\n".join(["pure parts reach for the outside:", *offenders])


def test_no_import_cycles() -> None:
    graph = {module: (imports & TREES.keys()) - {module} for module, imports in IMPORTS.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


def test_nothing_gets_long() -> None:
    offenders = [
        f"{module} has {lines} lines"
        for module, path in PATHS.items()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGER.get(module, MODULE_LINES_MAX)
    ]
    offenders += [
        f"{module}.{node.name} has {lines} lines"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES_MAX
    ]
    assert not offenders, "\n".join(["split:", *offenders])


def test_core_keeps_no_floats_and_iterates_no_sets() -> None:
    """Journals replay alike on every machine and in every process."""
    offenders = []
    for module, tree in TREES.items():
        if not belongs(module, {"gameserver.core"}):
            continue
        for node in ast.walk(tree):
            iterated = node.iter if isinstance(node, ast.For | ast.comprehension) else None
            if isinstance(node, ast.Constant) and isinstance(node.value, float):
                offenders.append(f"{module}:{node.lineno} holds a float")
            if isinstance(node, ast.SetComp) or isinstance(iterated, ast.Set):
                offenders.append(f"{module}:{getattr(iterated or node, 'lineno', 0)} iterates a set")
    assert not offenders, "\n".join(offenders)


def test_shields_have_deadlines() -> None:
    """A shielded wait without a deadline cannot be ended by anything."""
    offenders = [
        f"{module}:{node.lineno}"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and any(keyword.arg == "shield" for keyword in node.keywords)
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in {"move_on_after", "fail_after"}
    ]
    assert not offenders, "\n".join(["bare shields:", *offenders])
