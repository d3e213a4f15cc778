"""Bugs that are planted on purpose: edits of functions, each of which has to apply."""

import inspect
import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from attrs import frozen

_ENTRY = re.compile(r"(?P<title>.+)\n(?P<function>\S+:\S+)(?P<old>(\n-.*)+)(?P<new>(\n\+.*)*)")


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


def read_edits(text: str) -> Iterator[tuple[str, Edit]]:
    """Yield the edits of a text, each with its title: paragraphs of a title, a function, and its lines - and +."""
    for paragraph in text.split("\n\n"):
        if found := _ENTRY.fullmatch(paragraph.strip()):
            old, new = ("\n".join(line[1:] for line in found[side].splitlines()[1:]) for side in ("old", "new"))
            yield found["title"], Edit(found["function"], old, new)
        elif re.search("^[-+]", paragraph, re.MULTILINE):
            raise ValueError(f"this is no edit:\n{paragraph}")


def _code_named(code: CodeType, name: str) -> CodeType:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return next((one for one in inner if one.co_name == name), None) or _code_named(inner[0], name)
