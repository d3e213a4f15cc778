"""The part that a hub's author writes: one `HubSession` for each connection, and what it may do.

The author sees calls, commands, events and hub events, and none of SignalR:

    class ChatSession(HubSession):
        def invoke(self, call):
            return _METHODS[type(call)](self, call)

        def heard(self, events):
            for event in events:
                if isinstance(event, Said):
                    self.client.send("said", {"by": event.sender, "text": event.text})

    def _join(session, call):                        # a method that asks the lobby
        told = yield Enter(session.peer.session, call.name, "chat", session.peer.address, (Capability.CHAT,))
        if isinstance(told.answer, Rejected):
            session.client.send("error", {"code": told.answer.code})

    def _version(session, call):                     # a method that does not: what it returns is the result
        return "1.0"

A method that needs the lobby is a generator: it yields commands and queries, one after the other, as many as it needs,
and is sent what came back for each (`LobbyReply`). What it returns is its result. The completion is written when it has
returned, so everything it sent comes before. One method runs at a time, and the next call waits, whatever a client
sends at once.

Events reach the session by `heard`, whether a command of this client brought them about or somebody else's; those of a
command are `heard` before its method goes on, which therefore finds the session's state as it is then. An event with a
`release_ms` is sent with it: what is sent after it, the completion included, waits behind it.

A class is a method: its name is the method's, its fields are the arguments, in order.

    @value
    class Move:
        match_id: str
        from_: int
        to: int

    CALLS = Calls(JoinMatch, Roll, Move)
    CALLS.bind("move", ("281c...", 0, 4))  # Move("281c...", 0, 4)

Values are taken as they are and never converted, as .NET takes them: an `int` is a whole number of 32 bits, neither
`"3"` nor `3.0` nor `true`, a `float` may be written without a fraction, a text is a text. `X | None` takes null, and
attrs classes take objects, in which unknown members are ignored.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

import attrs
from attrs import Attribute, define, field
from cattrs import Converter
from cattrs.cols import is_sequence, list_structure_factory
from cattrs.gen import make_dict_structure_fn
from cattrs.preconf.orjson import make_converter

from gameserver.protocol import Command, Event, Handshake, LobbyReply, Output, Query
from gameserver.values import value
from protocols.signalr import messages
from protocols.wording import echo

# .NET's `int`.
INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1


class BadCall(Exception):
    """A SignalR call cannot be carried out: the sentence for the client, and its cause in ASP.NET Core's words."""

    def __init__(self, target: str, cause: str) -> None:
        super().__init__(f"Failed to invoke '{echo(target)}' due to an error on the server.")
        self.cause = cause


class UnknownMethod(BadCall):
    """A SignalR hub has no method of that name; its cause is told to everybody, as by ASP.NET Core."""

    def __init__(self, target: str) -> None:
        super().__init__(target, "HubException: Method does not exist.")


@value
class _Argument:
    name: str
    kind: Any
    read: Callable[[Any, Any], Any]


@value
class _Method:
    call: type
    arguments: tuple[_Argument, ...]


class Calls:
    """The methods of one SignalR hub, by their names in any case."""

    def __init__(self, *methods: type) -> None:
        """`methods` are attrs classes. Raises `ValueError` where two differ in case only."""
        self._methods: dict[str, _Method] = {}
        for method in methods:
            # The JavaScript client looks handlers up in lower case; the server takes any.
            name = method.__name__.lower()
            if name in self._methods:
                raise ValueError(f"{method.__name__}: there is a method of that name, and case does not count")
            attrs.resolve_types(method)
            self._methods[name] = _Method(method, tuple(map(_argument, attrs.fields(method))))

    def __contains__(self, target: str) -> bool:
        """True if there is such a method."""
        return target.lower() in self._methods

    def bind(self, target: str, arguments: tuple[Any, ...]) -> Any:
        """Makes a SignalR call of a method's name and its arguments. Raises `BadCall`."""
        method = self._methods.get(target.lower())
        if method is None:
            raise UnknownMethod(target)
        given, expected = len(arguments), len(method.arguments)
        if given != expected:
            cause = f"InvalidDataException: Invocation provides {given} argument(s) but target expects {expected}."
            takes = ", ".join(argument.name for argument in method.arguments) or "nothing"
            raise BadCall(target, f"{cause} It takes {takes}.")
        values = []
        for number, (argument, sent) in enumerate(zip(method.arguments, arguments, strict=True), 1):
            try:
                values.append(argument.read(sent, argument.kind))
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                raise BadCall(target, f"{_NOT_BOUND} Argument {number} ({argument.name}): {error}") from error
        try:
            return method.call(*values)
        except (TypeError, ValueError) as error:
            raise BadCall(target, f"{_NOT_BOUND} {error}") from error


_NOT_BOUND = "InvalidDataException: Error binding arguments."


def _argument(field: "Attribute[Any]") -> _Argument:
    """An argument by the name that clients use: in camel case, without the underscore that avoids a keyword."""
    first, *others = field.name.rstrip("_").split("_")
    is_any = field.type is None or field.type is Any
    read = _as_it_is if is_any else _CONVERTER.get_structure_hook(field.type)
    return _Argument(first + "".join(map(str.capitalize, others)), field.type, read)


def _as_it_is(value: Any, _: object) -> Any:
    return value


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


@define(eq=False)
class Speech:
    """The SignalR records on their way out, in order. What is taken together goes out in one WebSocket message."""

    _said: list[Output] = field(factory=list, init=False)
    _last: bytes | None = field(default=None, init=False)
    is_over: bool = field(default=False, init=False)
    """True once the last record has been taken."""

    def __bool__(self) -> bool:
        """True if there is something to take, now or once nothing is under way."""
        return bool(self._said) or self._last is not None

    def say(self, record: bytes, release_ms: int = 0) -> None:
        """Adds a SignalR record, not to be sent before `release_ms`; it waits behind earlier ones anyway."""
        last = self._said[-1] if self._said else None
        if last is not None and last.release_ms >= release_ms:
            self._said[-1] = Output(last.data + record, last.release_ms)
        else:
            self._said.append(Output(record, release_ms))

    def end(self, record: bytes = b"") -> None:
        """Sets the last SignalR record, to follow everything that belongs before it. The first one counts."""
        if self._last is None:
            self._last = record

    def take(self, *, is_idle: bool) -> list[Output]:
        """Takes the SignalR records so far; where nothing is under way, the last record too. Then there are none."""
        if self.is_over:
            return []
        if self._last is not None and is_idle:
            self.is_over = True
            if self._last:
                self.say(self._last)
        said, self._said = self._said, []
        return said


Steps = Generator[Command | Query, LobbyReply, Any]
"""A method at work: it yields what it asks the lobby, and returns its result."""


class HubError(Exception):
    """Raised by a SignalR method: the call fails with this sentence. What was sent before stays sent."""


@value
class HubPeer:
    """The client of one SignalR connection, for its session: who it is, and what is said to it."""

    connection_id: str
    """The id that negotiation gave out; made up where there was none."""
    handshake: Handshake | None
    """The request that opened the WebSocket, with query and headers."""
    _speech: Speech
    _converter: Converter

    def send(self, target: str, *arguments: Any, release_ms: int = 0) -> None:
        """Calls the SignalR client's handlers of this name. The hub's converter takes the arguments apart."""
        plain = [self._converter.unstructure(argument) for argument in arguments]
        self._speech.say(messages.event(target, plain), release_ms)

    def close(self, error: str | None = None, *, allow_reconnect: bool = False) -> None:
        """Ends a SignalR connection, as soon as the call under way is complete."""
        self._speech.end(messages.close(error, allow_reconnect=allow_reconnect))

    @property
    def access_token(self) -> str | None:
        """The bearer token of a SignalR client: of the header, as programs send it, or of the query, as browsers do."""
        if self.handshake is None:
            return None
        scheme, _, token = self.handshake.headers.get("authorization", "").partition(" ")
        # Node sends the header; a browser cannot set one on a WebSocket, and puts the token into the query.
        if scheme.lower() == "bearer" and token.strip():
            return token.strip()
        return self.handshake.query.get("access_token") or None


class HubSession(ABC):
    """One connection's side of a SignalR hub, which a hub's author writes."""

    @property
    @abstractmethod
    def identified(self) -> bool:
        """True once the client of a SignalR hub has told who it is; one that does not is closed after a time."""

    def connected(self) -> Steps | None:
        """Does what a SignalR hub does at the start, as in `heard`: the client hears from here on."""
        return None

    @abstractmethod
    def invoke(self, call: Any) -> Steps | Any:
        """Carries out a call of one of the SignalR hub's methods: gives its steps, or the result itself.

        May raise `HubError`, and so may the steps.
        """

    @abstractmethod
    def heard(self, events: Sequence[Event]) -> Steps | None:
        """Keeps what follows from events, and tells the client of a SignalR hub.

        The returned steps ask the lobby what follows from the events without a call;
        they run before the next call, when the one under way is through.
        """

    @property
    def due_ms(self) -> int | None:
        """The time of the next `tick` of a SignalR hub on the server's axis; None for never."""
        return None

    def tick(self, now_ms: int) -> Steps | None:
        """Does what is due in a SignalR hub, as in `heard`. It leaves `due_ms` later than `now_ms`, or None."""
        return None
