"""The shape of the code: who imports whom, what a start loads, what the pure parts touch, how long things get."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("gameserver", "games", "protocols")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))

LAYERS = {
    "tournaments": "plan presets model stages history round_robin knockout standings swiss teams planner transitions"
    " act_table progress forecast view podium losses csv_text files season",
    "core": "identity events commands clocks match lobby draft referee broadcast late_answers match_course seats"
    " playing places ticket_search matchmaker challenges newcomers rooms organizer ladders tickets sessions decide",
    "check": "steps report scenario wire foresight server_under_check opponent verdict scene director match_acts acts"
    " duration advice checker replaying reports",
    "testing": "contract game_positions game_coding game_kit speaker kit_lobby kit_connection kit_matches"
    " conversations protocol_kit",
    "web": "responses templating made_once live_pages errors bracket season tournament_list lobby match records ladder"
    " own join certificates tournament halls application"
    " teacher_forms teacher_pages teacher_confirmation teacher_application",
}
"""Packages whose modules stand in an order: each may import those before it, and none after it."""

BASE = "values drawing policies time_control chance"
# A tournament is a row of the lobby, and an act upon it a command: the core needs their rules, as pure as itself.
TOURNAMENT = "tournaments.plan tournaments.model"
PROTOCOL = f"protocol endpoints core.commands core.events core.identity {BASE}"
FLOW_CONTROL = f"flow_control settings {PROTOCOL}"
STATE = f"core.events core.identity core.commands core.match core.lobby game {TOURNAMENT} {BASE}"
ALLOWED = {
    "values": "",
    "chance": "",
    "drawing": "values",
    "time_control": "",
    "policies": "values time_control",
    "logs": "",
    "config_file": "",
    "settings": "values",
    "halls": "values",
    "system": "",
    "game": "drawing values",
    "tournaments": f"tournaments {BASE}",
    "core": f"core game {TOURNAMENT} {BASE}",
    "core.organizer": f"core game tournaments {BASE}",
    "core.sessions": f"core game tournaments {BASE}",
    "ratings": "ratings",
    "ladder": "core.identity values",
    "database": "database",  # it knows SQL, and nothing of what is kept by it
    "records": f"records database ratings ladder tournaments {STATE}",
    "journal": f"journal database records ratings core tournaments game {BASE}",
    "exports": f"exports records ratings tournaments {STATE}",
    # Handlers of endpoints are given it.
    "read_model": f"read_model halls records tournaments ladder endpoints {STATE}",
    "endpoints": "core.commands core.events",
    "protocol": PROTOCOL,
    "flow_control": FLOW_CONTROL,
    "authentication": f"authentication database core.lobby tournaments.season read_model.views {FLOW_CONTROL}",
    "wire_log": f"wire_log authentication read_model.views {FLOW_CONTROL}",
    "transport": f"transport {FLOW_CONTROL}",
    "proxy": "proxy wire_log.redaction",  # it knows no protocol, and works in front of any server
    "engine": f"engine core journal records flow_control read_model.metrics {STATE}",
    "http": f"http settings read_model.read_model read_model.views tournaments.plan {PROTOCOL}",  # only to hand them on
    "admin": f"admin database.address database.connection system exports tournaments http read_model {PROTOCOL}",
    # A page that is made for all takes its share of the event loop from the one table of shares.
    "web": "web core.identity database.connection halls ladder flow_control.fair_scheduler check.scenario wire_log"
    " records ratings.rating tournaments read_model endpoints drawing time_control",
    "web.teacher_forms": f"web admin database.connection exports records tournaments read_model endpoints {PROTOCOL}",
    "web.teacher_pages": f"web admin database.connection exports records tournaments read_model endpoints {PROTOCOL}",
    "web.teacher_confirmation": f"web admin tournaments read_model endpoints {PROTOCOL}",
    "web.teacher_application": f"web admin database.connection tournaments read_model endpoints {PROTOCOL}",
    "server": f"server ladder ratings.rating halls http.host_context http.own_names transport engine authentication"
    f" wire_log exports journal records core database.connection tournaments read_model {FLOW_CONTROL} {STATE}",
    "plugins": "protocol endpoints http game probe journal.codec core.identity",
    "probe": "game",
    "config": "game config_file halls tournaments.season settings protocol policies time_control flow_control"
    " transport.listener wire_log",
    # The kit for protocols plays whole matches in a lobby, asks their routes, and journals what is asked there.
    # For training, which knows no server: only games, those that a config asks for, and how pages draw a board.
    "environment": "game plugins game_environment cli.common cli.effective_config",
    "game_environment": "game drawing web.templating",
    # An agent is a client: it knows the rules, and nothing of the server.
    "agent": "environment game_environment followed_match",
    "followed_match": "game",
    "testing": f"testing protocol endpoints core journal.codec {STATE}",
    "testing.game_kit": "testing game drawing values core.identity",
    "testing.game_coding": "testing game drawing values",
    "testing.game_positions": "testing game drawing values core.identity",
    "testing.contract": "values",
    "check.report": "values",
    # A check of a client runs a whole server of its own, in the same process.
    "check": f"check proxy system logs config config_file server transport engine journal http wire_log records core"
    f" tournaments read_model plugins {FLOW_CONTROL} {STATE}",
    "cli": "gameserver games",
    "__main__": "cli.main",
    "gameserver": "",
    "games": "games game drawing time_control",  # a match that is exported tells its clock
    "games.mastermind.terminal": "games game",
    "protocols": "protocols games protocol endpoints game drawing values",  # a board's picture is told, too
}
"""The parts of ours that each part may import; all but the last three are parts of `gameserver`."""

PURE = (
    "games values drawing policies time_control chance game ladder tournaments core ratings read_model endpoints"
    " protocol protocols"
)
"""Parts that reach for nothing outside: no clock, no chance, no socket, no file."""
NAMED_TWICE = {"Code", "Player", "Turn"}
"""Mastermind's design document names a code, a player and a turn; and a picture's `Code` is what game authors write."""
TERMINAL = "games.mastermind.terminal"
"""A game's face at a terminal lies beside its rules, and no rule imports it."""

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
COMMAND = """
from gameserver.cli.main import main
try:
    main({words!r})
except SystemExit:
    pass
"""
SERVER = "trio structlog gameserver.core gameserver.server gameserver.plugins gameserver.http"
PAGES = "anyio h11 jinja2 networkx prometheus_client psycopg starlette websockets"
LOADED = (
    ("gameserver --help", COMMAND.format(words=["--help"]), 1_300, f"{SERVER} {PAGES}"),
    ("gameserver status", COMMAND.format(words=["status", "--data", "is-not-there"]), 1_900, f"{SERVER} {PAGES}"),
    ("gameserver kick", COMMAND.format(words=["kick", "--help"]), 1_900, f"{SERVER} {PAGES}"),
    ("gameserver plugins", COMMAND.format(words=["plugins"]), 38_000, PAGES),
    # What only browsers, teachers and tracebacks need is not imported before the server listens.
    (
        "a start of the server",
        "from gameserver.cli import serve; serve.effective(None, None, ())",
        53_500,
        f"rich pyspiel {PAGES}",
    ),
    ("a process that thinks", "import gameserver.server.thinker_process", 130, f"rich trio structlog {PAGES}"),
    ("a protocol's author", "import gameserver.protocol", 4_200, f"rich trio structlog {PAGES}"),
    ("a game's author", "import gameserver.game", 900, f"rich trio structlog {PAGES}"),
)
"""A program, the most lines of ours that it may load, some 10 % above what it was, and modules that it must not."""
TELL_LOADED = f"""
import pathlib, sys
ours = [module.__file__ for name, module in sys.modules.items() if name.partition(".")[0] in {PACKAGES!r}]
print(sum(pathlib.Path(file).read_text("utf-8").count("\\n") for file in ours if file), *sys.modules)
"""

FUNCTION_LINES_MAX = 60
MODULE_LINES_MAX = 700


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PATHS = {module_name(path): path for path in SOURCES}


@cache
def trees() -> dict[str, ast.Module]:
    """Each module's syntax tree. Parsed by the first test that asks, not by every process that collects the tests."""
    return {module: ast.parse(path.read_text(encoding="utf-8")) for module, path in PATHS.items()}


def imports_of(tree: ast.AST) -> Iterator[str]:
    """Every imported module, those for type checkers included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            assert node.level == 0, "relative imports hide the direction"
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                yield module if module in PATHS else node.module


@cache
def imports() -> dict[str, set[str]]:
    """Each module's imports, ours and others'."""
    return {module: set(imports_of(tree)) for module, tree in trees().items()}


def full(part: str) -> str:
    return part if part.partition(".")[0] in PACKAGES else f"gameserver.{part}"


def belongs(module: str, parts: str) -> bool:
    return any(module == part or module.startswith(part + ".") for part in map(full, parts.split()))


def allowed(module: str) -> str:
    """The row of the longest part that has this module, and the values, which every part may have."""
    part = max((part for part in ALLOWED if belongs(module, part)), key=lambda part: len(full(part)))
    return f"{ALLOWED[part]} values"


def test_every_row_of_the_table_is_of_something() -> None:
    """One for a module that has another name now would hold nothing to its word."""
    assert [part for part in ALLOWED if full(part) not in PATHS] == []


def test_imports_go_one_way() -> None:
    offenders = [
        f"{module} imports {name}"
        for module, imported in imports().items()
        for name in sorted(imported)
        if (name.split(".")[0] in PACKAGES and not belongs(name, allowed(module)))
        or (belongs(name, TERMINAL) and not belongs(module, TERMINAL))
    ]
    assert not offenders, "\n".join(["not in the table of imports:", *offenders])


def test_modules_of_a_package_stand_in_an_order() -> None:
    offenders = []
    for package, order in LAYERS.items():
        names = [f"gameserver.{package}.{name}" for name in order.split()]
        assert set(names) == {module for module in PATHS if module.startswith(f"gameserver.{package}.")}
        for number, module in enumerate(names):
            offenders += [f"{module} imports {name}" for name in sorted(imports()[module] & set(names[number + 1 :]))]
    assert not offenders, "\n".join(["not in the order of LAYERS:", *offenders])


def test_packages_of_others_need_no_more_than_authors_are_promised() -> None:
    """The packages in `examples`, apart from their tests."""
    paths = [path for path in (ROOT / "examples").glob("*/*.py") if (path.parent / "pyproject.toml").exists()]
    imports = {
        path.name: {name for name in imports_of(ast.parse(path.read_text("utf-8"))) if name.split(".")[0] in PACKAGES}
        for path in paths
        if not path.name.startswith("test_")
    }
    assert {"pig.py", "simple_json.py"} <= imports.keys()
    offenders = [
        f"{module} imports {name}"
        for module, names in imports.items()
        for name in sorted(names)
        if not belongs(name, "protocol endpoints game drawing values protocols.lines")
    ]
    assert not offenders, "\n".join(["authors are promised that they need no more:", *offenders])


def test_pure_parts_touch_nothing() -> None:
    offenders = [
        f"{module} imports {name}"
        for module, imported in imports().items()
        if belongs(module, PURE) and not belongs(module, TERMINAL)
        for name in sorted(imported)
        if name.split(".")[0] in IMPURE
    ]
    assert not offenders, "\n".join(["pure parts reach for the outside:", *offenders])


def test_no_import_cycles() -> None:
    graph = {module: (imported & PATHS.keys()) - {module} for module, imported in imports().items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {' -> '.join(error.args[1])}")


@pytest.mark.parametrize(("program", "lines_max", "never"), [row[1:] for row in LOADED], ids=[row[0] for row in LOADED])
def test_starts_load_little(program: str, lines_max: int, never: str) -> None:
    """Import weight is an interface: a merge must not make a command wait for what it does not need."""
    told = subprocess.run([sys.executable, "-c", program + TELL_LOADED], capture_output=True, text=True, check=True)
    lines, *modules = told.stdout.splitlines()[-1].split()
    assert int(lines) <= lines_max
    assert not set(modules).intersection(never.split())


def test_nothing_gets_long() -> None:
    offenders = [
        f"{module} has {lines} lines"
        for module, path in PATHS.items()
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > MODULE_LINES_MAX
    ]
    offenders += [
        f"{module}.{node.name} has {lines} lines"
        for module, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_LINES_MAX
    ]
    assert not offenders, "\n".join(["split:", *offenders])


def test_no_public_class_has_the_name_of_another() -> None:
    """Messages aside: each protocol's `schema` names them as its document does."""
    named: dict[str, list[str]] = {}
    for module, tree in trees().items():
        if not module.endswith(".schema"):
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    named.setdefault(node.name, []).append(module)
    assert {name: modules for name, modules in named.items() if len(modules) > 1}.keys() == NAMED_TWICE


def test_core_keeps_no_floats_and_iterates_no_sets() -> None:
    """Journals replay alike on every machine and in every process."""
    offenders = []
    for module, tree in trees().items():
        if not belongs(module, "core"):
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
        for module, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and any(keyword.arg == "shield" for keyword in node.keywords)
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in {"move_on_after", "fail_after"}
    ]
    assert not offenders, "\n".join(["bare shields:", *offenders])
