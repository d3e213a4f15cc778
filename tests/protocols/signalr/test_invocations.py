"""Typed hub methods: what a call by name and list becomes, and what it is refused for."""

from typing import Any

import pytest
from attrs import field, frozen, validators

from protocols.signalr.session import BadCall, Calls, UnknownMethod


@frozen
class Inner:
    count: int
    name: str = "nobody"


@frozen
class Everything:
    text: str
    whole: int
    number: float
    truth: bool
    maybe: str | None
    inner: Inner
    counts: list[int]
    anything: Any


@frozen
class Small:
    number: int = field(validator=validators.le(3))


@frozen
class Names:
    names: list[str]


@frozen
class Bare:
    pass


CALLS = Calls(Everything, Small, Names, Bare)
GOOD = ("a", 1, 2, True, None, {"count": 3, "more": 1}, [1, 2], {"x": [None]})


def with_(number: int, value: object) -> tuple[object, ...]:
    return (*GOOD[:number], value, *GOOD[number + 1 :])


def test_a_call_becomes_an_instance() -> None:
    bound = CALLS.bind("everYTHING", GOOD)
    assert bound == Everything("a", 1, 2.0, True, None, Inner(3), [1, 2], {"x": [None]})
    assert type(bound.number) is float
    assert CALLS.bind("Bare", ()) == Bare()
    assert CALLS.bind("Everything", with_(4, "x")).maybe == "x"


@pytest.mark.parametrize(
    ("number", "value"),
    [
        *((0, value) for value in (1, None, True, ["a"], {})),
        *((1, value) for value in ("1", 1.0, True, None, 1 << 31, -(1 << 31) - 1, [1])),
        *((2, value) for value in ("1", True, None)),
        *((3, value) for value in (1, 0, "true", None)),
        *((4, value) for value in (1, True)),
        *((5, value) for value in (None, 3, [], "x", {}, {"count": "3"}, {"count": 3, "name": None})),
        *((6, value) for value in (None, "12", {"0": 1}, ["1"], [None])),
    ],
)
def test_nothing_is_converted(number: int, value: object) -> None:
    with pytest.raises(BadCall) as refused:
        CALLS.bind("Everything", with_(number, value))
    assert str(refused.value) == "Failed to invoke 'Everything' due to an error on the server."
    assert f"Argument {number + 1} (" in refused.value.cause


@pytest.mark.parametrize("names", ["abc", {"a": 1}, None])
def test_text_is_not_read_as_a_list_of_letters(names: object) -> None:
    assert CALLS.bind("names", (["abc"],)) == Names(["abc"])
    with pytest.raises(BadCall):
        CALLS.bind("names", (names,))


def test_the_largest_and_the_smallest_integer() -> None:
    assert CALLS.bind("Everything", with_(1, (1 << 31) - 1)).whole == 2_147_483_647
    assert CALLS.bind("Everything", with_(1, -(1 << 31))).whole == -2_147_483_648


@pytest.mark.parametrize("arguments", [(), GOOD[:-1], (*GOOD, 1)])
def test_the_number_of_arguments_counts(arguments: tuple[object, ...]) -> None:
    with pytest.raises(BadCall) as refused:
        CALLS.bind("Everything", arguments)
    count = len(arguments)
    takes = "It takes text, whole, number, truth, maybe, inner, counts, anything."
    assert refused.value.cause.endswith(f"Invocation provides {count} argument(s) but target expects 8. {takes}")


def test_a_validator_speaks_for_itself() -> None:
    assert CALLS.bind("small", (3,)) == Small(3)
    with pytest.raises(BadCall) as refused:
        CALLS.bind("small", (4,))
    assert "must be <= 3" in refused.value.cause


def test_a_method_that_does_not_exist() -> None:
    with pytest.raises(UnknownMethod) as refused:
        CALLS.bind("Nope", (1, 2))
    assert str(refused.value) == "Failed to invoke 'Nope' due to an error on the server."
    assert "small" in CALLS
    assert "SMALL" in CALLS
    assert "Nope" not in CALLS


def test_two_methods_that_differ_in_case_only() -> None:
    other = type("SMALL", (), {"__annotations__": {}})
    with pytest.raises(ValueError, match="there is a method of that name"):
        Calls(Small, frozen(other))
