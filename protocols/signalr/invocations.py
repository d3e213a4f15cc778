"""The methods of a hub, as classes: what a client's call by name and list becomes.

A class is a method: its name is the method's, its fields are the arguments, in order.

    @value
    class Move:
        match_id: str
        from_: int
        to: int

    CALLS = Calls(JoinMatch, Roll, Move)
    CALLS.bind("move", ("281c...", 0, 4))  # Move("281c...", 0, 4)

Values are taken as they are and never converted, as .NET takes them: an `int` is a whole number of
32 bits, neither `"3"` nor `3.0` nor `true`, a `float` may be written without a fraction, a text is a
text. `X | None` takes null, and attrs classes take objects, in which unknown members are ignored.
"""

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import Attribute
from cattrs import Converter
from cattrs.cols import is_sequence, list_structure_factory
from cattrs.gen import make_dict_structure_fn
from cattrs.preconf.orjson import make_converter

from gameserver.values import value
from protocols.wording import echo

INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1


class BadCall(Exception):
    """The call cannot be carried out: the sentence for the client, and its cause in ASP.NET Core's detailed words."""

    def __init__(self, target: str, cause: str) -> None:
        super().__init__(f"Failed to invoke '{echo(target)}' due to an error on the server.")
        self.cause = cause


class UnknownMethod(BadCall):
    """Nothing has that name; its cause is told to everybody, as there."""

    def __init__(self, target: str) -> None:
        super().__init__(target, "HubException: Method does not exist.")


@value
class _Method:
    call: type
    arguments: tuple["Attribute[Any]", ...]


class Calls:
    """The methods of one hub, by their names in any case."""

    def __init__(self, *methods: type) -> None:
        """`methods` are attrs classes. Raises `ValueError` where two differ in case only."""
        self._methods: dict[str, _Method] = {}
        for method in methods:
            name = method.__name__.lower()
            if name in self._methods:
                raise ValueError(f"{method.__name__}: there is a method of that name, and case does not count")
            attrs.resolve_types(method)
            self._methods[name] = _Method(method, attrs.fields(method))

    def __contains__(self, target: str) -> bool:
        """True if there is such a method."""
        return target.lower() in self._methods

    def bind(self, target: str, arguments: tuple[Any, ...]) -> Any:
        """The call, an instance of one of the methods. Raises `BadCall`."""
        method = self._methods.get(target.lower())
        if method is None:
            raise UnknownMethod(target)
        given, expected = len(arguments), len(method.arguments)
        if given != expected:
            cause = f"InvalidDataException: Invocation provides {given} argument(s) but target expects {expected}."
            takes = ", ".join(map(_wire_name, method.arguments)) or "nothing"
            raise BadCall(target, f"{cause} It takes {takes}.")
        pairs = zip(method.arguments, arguments, strict=True)
        values = [_bound(target, number, argument, value) for number, (argument, value) in enumerate(pairs, 1)]
        try:
            return method.call(*values)
        except (TypeError, ValueError) as error:
            raise BadCall(target, f"{_NOT_BOUND} {error}") from error


_NOT_BOUND = "InvalidDataException: Error binding arguments."


def _bound(target: str, number: int, argument: "Attribute[Any]", value: Any) -> Any:
    if argument.type is None or argument.type is Any:
        return value
    try:
        return _CONVERTER.structure(value, argument.type)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise BadCall(target, f"{_NOT_BOUND} Argument {number} ({_wire_name(argument)}): {error}") from error


def _wire_name(argument: "Attribute[Any]") -> str:
    """The name that clients use: in camel case, and without the underscore that keeps it from being a keyword."""
    first, *others = argument.name.rstrip("_").split("_")
    return first + "".join(map(str.capitalize, others))


def _whole(value: object, _: object) -> int:
    if type(value) is not int or not INT_MIN <= value <= INT_MAX:
        raise ValueError("an integer of 32 bits is expected.")
    return value


def _number(value: object, _: object) -> float:
    if type(value) not in {int, float}:
        raise ValueError("a number is expected.")
    return float(value)  # type: ignore[arg-type]  # one of the two


def _text(value: object, _: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a string is expected.")  # noqa: TRY004 - it is the peer's value, not a caller's mistake
    return value


def _truth(value: object, _: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false is expected.")  # noqa: TRY004 - likewise
    return value


def _make_converter() -> Converter:
    converter = make_converter(detailed_validation=False)
    hooks: Mapping[type, Any] = {int: _whole, float: _number, str: _text, bool: _truth}
    for kind, hook in hooks.items():
        converter.register_structure_hook(kind, hook)

    @converter.register_structure_hook_factory(attrs.has)
    def _of_class(kind: type, own: Converter) -> Any:
        return _only(dict, "an object is expected.", make_dict_structure_fn(kind, own))

    @converter.register_structure_hook_factory(is_sequence)
    def _of_sequence(kind: Any, own: Converter) -> Any:
        return _only(list, "an array is expected.", list_structure_factory(kind, own))

    return converter


def _only(json_type: type, otherwise: str, structure: Any) -> Any:
    """Cattrs reads a text as a list of letters, and complains of other things than objects in its own words."""

    def checked(value: object, into: Any) -> Any:
        if not isinstance(value, json_type):
            raise ValueError(otherwise)  # noqa: TRY004 - likewise
        return structure(value, into)

    return checked


_CONVERTER = _make_converter()
