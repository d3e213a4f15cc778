"""Mutants: small changes of the product's functions, drawn by a seed."""

import ast
import copy
import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from attrs import frozen

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("gameserver", "games", "protocols")
LINES_MIN = 5
"""Of a function that gets mutants, without its docstring."""

Function = ast.FunctionDef | ast.AsyncFunctionDef
Change = tuple[str, Callable[[Any], ast.AST]]

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPPOSITE: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


@frozen
class Mutant:
    """A change of one function, at one of the places in it that could be changed; `site` is its number."""

    path: str
    """Of the module, from the root."""
    function: str
    """Its name in the module, such as `Sequencer.step`."""
    site: int
    lines: tuple[int, ...]
    """Tests that run none of these lines can't find it."""
    change: str

    def __str__(self) -> str:
        return f"{self.path}:{self.lines[0]} {self.function}: {self.change} (place {self.site})"

    def code(self) -> CodeType:
        """The function's other code."""
        tree = _parsed(self.path)
        function = dict(_functions(tree))[self.function]
        node, _, change = list(_sites(function))[self.site]
        _replace(function, node, change[1](copy.deepcopy(node)))
        whole = compile(ast.fix_missing_locations(tree), str(ROOT / self.path), "exec")
        return next(code for code in codes_in(whole) if code.co_qualname == self.function)


def drawn(seed: int, count: int, below: Sequence[str] = PACKAGES) -> list[Mutant]:
    """So many mutants of the modules below these paths, at most one a function as long as there are functions without.

    The seed's choice in a function depends on that function alone: a sample stays comparable after a change elsewhere.
    """
    ranked: list[tuple[int, str, Mutant]] = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith(tuple(below)):
                continue
            for function, node in _functions(_parsed(name)):
                sites = list(_sites(node))
                if _length(node) >= LINES_MIN and sites:
                    ranked += _ranked(seed, name, function, sites)
    ranked.sort(key=lambda one: one[:2])
    return [mutant for *_, mutant in ranked[:count]]


def _ranked(
    seed: int, path: str, function: str, sites: list[tuple[ast.AST, tuple[int, ...], Change]]
) -> Iterator[tuple[int, str, Mutant]]:
    order = list(range(len(sites)))
    random.Random(f"{seed} {path} {function}").shuffle(order)
    for turn, site in enumerate(order):
        _, lines, (change, _) = sites[site]
        rank = hashlib.sha256(f"{seed} {path} {function} {turn}".encode()).hexdigest()
        yield turn, rank, Mutant(path, function, site, lines, change)


def _parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def _functions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    """Functions and methods; a function inside of another belongs to that one."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield prefix + child.name, child
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")


def _body(function: Function) -> list[ast.stmt]:
    return function.body if ast.get_docstring(function) is None else function.body[1:]


def _length(function: Function) -> int:
    body = _body(function)
    return (function.end_lineno or 0) - body[0].lineno + 1 if body else 0


def _sites(function: Function) -> Iterator[tuple[ast.AST, tuple[int, ...], Change]]:
    for statement in _body(function):
        yield from _sites_in(statement, _header(statement))


def _header(statement: ast.AST) -> tuple[int, ...]:
    first, last = statement.lineno, statement.end_lineno  # type: ignore[attr-defined]
    inner = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if isinstance(inner, list):
        start = inner[0].pattern.lineno if isinstance(inner[0], ast.match_case) else inner[0].lineno
        last = max(first, start - 1)
    return tuple(range(first, last + 1))


def _sites_in(node: ast.AST, lines: tuple[int, ...]) -> Iterator[tuple[ast.AST, tuple[int, ...], Change]]:
    if isinstance(node, ast.stmt):
        lines = _header(node)
    for change in _changes(node):
        yield node, lines, change
    if isinstance(node, ast.Raise | ast.Assert) or _is_docstring(node):
        return  # what a message says is no rule
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params", "args"} and not isinstance(
            node, ast.Call
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.pattern):
                yield from _sites_in(child, lines)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _changes(node: ast.AST) -> Iterator[Change]:  # noqa: C901, PLR0912 - a table by kind of node
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _TURNED:
            turned = _TURNED[type(operator)]
            yield f"{type(operator).__name__} to {turned.__name__}", lambda new: _with(new, ops=[turned()])
        case ast.BoolOp(op=ast.And()):
            yield "and to or", lambda new: _with(new, op=ast.Or())
        case ast.BoolOp():
            yield "or to and", lambda new: _with(new, op=ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield "without not", lambda new: new.operand
        case ast.BinOp(op=operator) if type(operator) in _OPPOSITE:
            opposite = _OPPOSITE[type(operator)]
            yield f"{type(operator).__name__} to {opposite.__name__}", lambda new: _with(new, op=opposite())
        case ast.Constant(value=bool(value)):
            yield f"{value} to {not value}", lambda new: _with(new, value=not value)
        case ast.Constant(value=int(number)):
            yield f"{number} to {number + 1}", lambda new: _with(new, value=number + 1)
        case ast.Constant(value=str(text)) if text:
            yield f"{text!r} to ''", lambda new: _with(new, value="")
        case ast.If() | ast.While() | ast.IfExp():
            if not isinstance(node.test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
                yield "condition negated", lambda new: _with(new, test=ast.UnaryOp(ast.Not(), new.test))
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            yield "returns None", lambda new: _with(new, value=ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())) | ast.AugAssign() | ast.Raise():
            yield f"without {type(node).__name__}", lambda _: ast.Pass()
        case ast.Continue():
            yield "continue to break", lambda _: ast.Break()
        case ast.Break():
            yield "break to continue", lambda _: ast.Continue()


def _with(node: ast.AST, **fields: object) -> ast.AST:
    for name, value in fields.items():
        setattr(node, name, value)
    return node


def _replace(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    ast.copy_location(new, old)
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
                return
            if isinstance(value, list) and any(child is old for child in value):
                value[:] = [new if child is old else child for child in value]
                return


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """All code that is defined in this code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_in(constant)
