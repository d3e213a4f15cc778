"""Frozen values that cost no more than others to make.

`frozen` is `attrs.frozen` to a type checker, which refuses every assignment, and in the test suite,
where the first assignment fails. In a running server it makes the same slotted class, with the same
equality and hash, without the guard: attrs has to set each field of a frozen instance by
`object.__setattr__`, which makes a value of eight fields three times as dear, and a move makes
about twenty of them.

It is for what the way of a move makes. Whatever is made seldom, or by a game, takes `attrs.frozen`
itself, because nobody would notice the difference. The technique is Tin Tvrtkovic's, the author of
cattrs: "Zero-overhead Frozen attrs Classes", https://threeofwands.com/attra-iv-zero-overhead-frozen-attrs-classes/.
"""

from typing import TYPE_CHECKING, Any

import attrs

__all__ = ["freeze", "frozen"]

if TYPE_CHECKING:
    from attrs import frozen
else:

    def frozen(maybe_class: type | None = None, **how: Any) -> Any:
        """As `attrs.frozen`; what is not guarded is not checked again when it is set either."""
        if _Guard.is_on:
            return attrs.frozen(maybe_class, **how)
        return attrs.define(maybe_class, unsafe_hash=True, on_setattr=attrs.setters.NO_OP, **how)


class _Guard:
    is_on = False


def freeze() -> None:
    """Have every class that is defined from now on be guarded. For tests, before anything else is imported."""
    _Guard.is_on = True
