"""Bugs planted on purpose: what the simulator is for. Each is an edit of the production code, by function and line.

They are the mistakes that a change of the server could make without any other test's notice, as small as they come. An
edit that no longer applies fails its test: the code has moved, and the edit has to move with it.

    python -m tests.simulation --planted release-before-commit --seeds 20
"""

import inspect
import re
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from attrs import frozen

from tests.simulation.plan import HallsPlan, Interrupted, Plan, StandbyPlan

KINDS = {kind.__name__: kind for kind in (Plan, StandbyPlan, HallsPlan, Interrupted)}
OF_TUPLES = ("protocols", "faults")
_ENTRY = re.compile(
    r"(?P<name>[\w-]+): (?P<least>\d+) of 20 (?P<kind>\w+)(?P<settings>( \w+=\S+)*)\n(?P<function>\S+)"
    r"(?P<old>(\n-.*)+)(?P<new>(\n\+.*)*)"
)


@frozen
class Edit:
    """`old` becomes `new` in the function of this name, such as `gameserver.engine.sequencer:Sequencer._commit`."""

    function: str
    old: str
    new: str

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Let the edited code run wherever the function is called from, whoever has imported it."""
        function = self._function()
        before = function.__code__
        function.__code__ = self._edited(function)
        try:
            yield
        finally:
            function.__code__ = before

    def _function(self) -> FunctionType:
        module, _, path = self.function.partition(":")
        found: Any = import_module(module)
        for name in path.split("."):
            found = inspect.getattr_static(found, name)
        found = getattr(found, "fget", found)  # of a property
        return inspect.unwrap(getattr(found, "__func__", found))

    def _edited(self, function: FunctionType) -> CodeType:
        source = textwrap.dedent(inspect.getsource(function))
        source = source[re.search(r"^(async )?def ", source, re.MULTILINE).start() :]  # without decorators
        if source.count(self.old) != 1:
            raise AssertionError(f"{self.function} has {source.count(self.old)} times {self.old!r}: move the edit")
        edited = source.replace(self.old, self.new)
        # In a class body, so that `super()` finds its class where the function has it.
        code = compile(f"class _:\n{textwrap.indent(edited, ' ')}", inspect.getfile(function), "exec")
        found = _code_named(code, function.__name__)
        assert found.co_freevars == function.__code__.co_freevars, f"{self.function} needs other variables from outside"
        return found


def _code_named(code: CodeType, name: str) -> CodeType:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return next((one for one in inner if one.co_name == name), None) or _code_named(inner[0], name)


@frozen
class Planted:
    edit: Edit
    least: int
    """The number of seeds out of twenty that find it, at least."""
    wanted: Mapping[str, Any]
    """Settings of the plans; what it leaves out every seed draws."""
    kind: type[Plan]
    first_seed: int


def _read(entry: str) -> tuple[str, Planted]:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        raise ValueError(f"this is no bug:\n{entry}")
    old, new = ("\n".join(line[1:] for line in found[side].splitlines()[1:]) for side in ("old", "new"))
    settings: dict[str, Any] = {}
    for setting in found["settings"].split():
        name, _, value = setting.partition("=")
        values = tuple(value.split(",")) if value != "none" else ()
        settings[name] = values if name in OF_TUPLES else int(value) if value.isdigit() else value
    first_seed = settings.pop("first_seed", 0)
    edit = Edit(found["function"], old, new)
    return found["name"], Planted(edit, int(found["least"]), settings, KINDS[found["kind"]], first_seed)


def _read_all() -> Mapping[str, Planted]:
    _, *chapters = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split("\n# ")
    return dict(_read(entry.strip()) for chapter in chapters for entry in chapter.split("\n\n")[1:])


PLANTED: Mapping[str, Planted] = _read_all()
"""By name, in the order of the file."""
