"""Frozen values that cost no more than others to make, and classes that cost little to define.

`value` is `attrs.frozen` to a type checker, which refuses every assignment. At run time it makes the same
slotted class, with the same equality, hash and representation, without the guard: attrs has to set each field
of a frozen instance by `object.__setattr__`, which makes a value of eight fields three times as dear, and a
move makes about twenty of them. The tests run with the classes that are shipped; that a decision changes no
row is held by comparing the lobby before and after (`tests/support/purity.py`).

It is for the server and its protocols; a game's author takes `attrs.frozen` itself. The technique is
Tin Tvrtkovic's, the author of cattrs: "Zero-overhead Frozen attrs Classes",
https://threeofwands.com/attra-iv-zero-overhead-frozen-attrs-classes/.

A server has hundreds of these classes, and attrs writes and compiles four methods for each: a quarter
of a start. So only `__init__`, which is called all the time, is left to it. The other three are
closures over the fields here: a comparison takes 50 ns more, and a start a tenth less.

`evolved` makes the next version of a row that every move changes. `attrs.evolve` passes every field by
name through `__init__`: 7 microseconds for a match, of the 38 that a move's decision took. A row that keeps
its fields in a `__dict__` is copied by one call instead, in half a microsecond. So the rows that change
often are declared with `value(slots=False)`; they have neither validators nor converters, which `evolved`
would pass by. Everywhere else `attrs.evolve` is good enough.
"""

from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

__all__ = ["evolved", "value"]

if TYPE_CHECKING:
    from attrs import frozen as value
else:

    def value(maybe_class: type | None = None, *, slots: bool = True, kw_only: bool = False) -> Any:
        """As `attrs.frozen`; what is not guarded is not checked again when it is set either."""
        if maybe_class is None:
            return lambda cls: value(cls, slots=slots, kw_only=kw_only)
        unguarded = attrs.setters.NO_OP
        made = attrs.define(maybe_class, slots=slots, kw_only=kw_only, eq=False, repr=False, on_setattr=unguarded)
        return _compared_and_shown(made)


def _compared_and_shown(cls: type) -> type:
    """Give a class the methods that attrs would have written, except where it has its own."""
    compared = [field.name for field in attrs.fields(cls) if field.eq]
    shown = [(field.name, field.repr if callable(field.repr) else repr) for field in attrs.fields(cls) if field.repr]
    content = attrgetter(*compared) if compared else lambda _: ()

    def __eq__(self: Any, other: object) -> bool:  # noqa: N807 - becomes a method of the class
        return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: N807 - likewise
        return hash(content(self))

    def __repr__(self: Any) -> str:  # noqa: N807 - likewise
        values = ", ".join(f"{name}={show(getattr(self, name))}" for name, show in shown)
        return f"{cls.__qualname__.rpartition('>.')[2]}({values})"

    for method in (__eq__, __hash__, __repr__):
        if method.__name__ not in cls.__dict__:
            setattr(cls, method.__name__, method)
    return cls


R = TypeVar("R")


def evolved(row: R, **changes: Any) -> R:
    """The row with these fields changed."""
    fields = row.__dict__
    changed = fields | changes
    assert len(changed) == len(fields), "a row has the fields that it has"
    new = object.__new__(type(row))
    new.__dict__ = changed
    return new
