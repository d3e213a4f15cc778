"""Bugs planted on purpose: what the simulator is for. Each is an edit of the production code, by function and line.

They are the mistakes that a change of the server could make without any other test's notice, as small as they come. An
edit that no longer applies fails its test: the code has moved, and the edit has to move with it.

    python -m tests.simulation --planted release-before-commit --seeds 20
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from attrs import Factory, frozen

from tests.simulation.plan import CODES, ROOMS, TEXT, TICKETS, Plan


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
    """A planted bug, and how to look for it."""

    edits: tuple[Edit, ...]
    rules: tuple[str, ...]
    """The rules by which it may be found."""
    least: int
    """How many of twenty seeds find it, at the least."""
    wanted: Mapping[str, Any] = Factory(dict)
    """What plans to look with; where it says nothing, those that every seed gets."""
    kind: Callable[..., Plan] = Plan
    first_seed: int = 0

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Let the server have it."""
        with ExitStack() as stack:
            for edit in self.edits:
                stack.enter_context(edit.applied())
            yield


ENGINE, TRANSPORT, CORE = "gameserver.engine", "gameserver.transport", "gameserver.core"
TOLD_EARLY = ("durable before told",)
OF_TEXT = {"protocols": (TEXT,), "steps": 400}
_RELEASE = "    self._release(batch); batch.outputs.clear()\n"

PLANTED: Mapping[str, Planted] = {
    # Durable before told.
    "release-before-commit": Planted(
        (Edit(f"{ENGINE}.sequencer:Sequencer._commit", "    if batch.rows:\n", f"{_RELEASE}    if batch.rows:\n"),),
        TOLD_EARLY,
        17,
        OF_TEXT,
    ),
    "release-before-quick-commit": Planted(
        (
            Edit(
                f"{ENGINE}.sequencer:Sequencer.step",
                "if self._is_committed_at_once(batch):\n                self._release(batch)",
                f"{_RELEASE.strip()}\n            self._is_committed_at_once(batch)",
            ),
        ),
        TOLD_EARLY,
        17,
        OF_TEXT,
    ),
    "release-before-the-task's-quick-commit": Planted(
        (
            Edit(
                f"{ENGINE}.sequencer:Sequencer._carry_through",
                "    if self._is_committed_at_once(batch):\n        self._release(batch)",
                f"{_RELEASE}    if self._is_committed_at_once(batch):\n        pass",
            ),
        ),
        TOLD_EARLY,
        17,
        OF_TEXT,
    ),
}
_ = (CODES, ROOMS, TICKETS)
