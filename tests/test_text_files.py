"""Text files have an encoding: without one, Windows reads and writes them in that of the country."""

import ast
import re
from collections.abc import Iterator

import pytest

from tests.support.tables import table
from tests.test_layout import trees

TEXT_MODE = re.compile(r"[rwax]t?\+?t?")
OTHERS = {"read_text": 0, "write_text": 1}
"""By method, the place of the encoding among the arguments."""


def offenders_in(tree: ast.AST) -> Iterator[int]:
    """The lines on which a text file is opened without an encoding."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not any(keyword.arg == "encoding" for keyword in node.keywords):
            is_method = isinstance(node.func, ast.Attribute)
            name = node.func.attr if is_method else getattr(node.func, "id", "")
            options = {keyword.arg: keyword.value for keyword in node.keywords}
            if name in OTHERS:
                is_bad = len(node.args) <= OTHERS[name]
            elif name in {"run", "Popen"}:
                is_bad = not options.keys().isdisjoint({"text", "universal_newlines"})
            else:
                of_path = is_method and name == "open"
                mode = [*node.args[0 if of_path else 1 :], *filter(None, [options.get("mode")])]
                is_bad = name in {"open", "fdopen"} and is_text(mode, ast.unparse(node.func))
            if is_bad:
                yield node.lineno


def is_text(mode: list[ast.expr], called: str) -> bool:
    """True if a file is opened as text; `streams.open(request)` and `connection.open()` open something else."""
    if not mode:
        return called == "open" or bool(re.search(r"(path|file|log|output)\.open$", called))
    return isinstance(mode[0], ast.Constant) and bool(TEXT_MODE.fullmatch(str(mode[0].value)))


@pytest.mark.parametrize(
    ("text", "is_refused"),
    [
        (text, is_refused == "refused")
        for text, is_refused in table(__file__, "calls, and whether they open a text file without an encoding")
    ],
)
def test_offender_is_found(text: str, is_refused: bool) -> None:
    assert bool(list(offenders_in(ast.parse(text)))) is is_refused


def test_every_text_file_has_an_encoding() -> None:
    offenders = [f"{module}:{line}" for module, tree in trees().items() for line in offenders_in(tree)]
    assert not offenders, "\n".join(["without an encoding:", *offenders])
