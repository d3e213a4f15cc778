"""One connection's side of SignalR: records to calls, answers and events to records.

    HANDSHAKE  the first record is the handshake; nothing is said before its answer
    OPEN       calls, pings, the client's goodbye
    OVER       the last words are said

A record that is no message ends the connection with a close message, as ASP.NET Core does, after everything before it
was answered. The server pings, because clients give up a server that is silent (`@microsoft/signalr` after 30 s). A
client is given up for its silence only once it has shown that it pings: those made by hand do not.

Calls go through a hub's session one at a time, each with its completion at the end:

    idle -> begin(call) -> the method returns at once -> completion, idle
                        -> it yields a command: `command` is to be asked
                           -> answered -> it yields the next, or returns: completion, idle

Steps that a session takes without a call go the same way, without a completion. Commands stand out no longer than it
takes to ask them, so the driver of this asks `take_command` first.
"""

from collections import deque
from collections.abc import Sequence
from enum import Enum, auto
from types import GeneratorType
from typing import Any

from attrs import define, field
from cattrs import Converter

from gameserver.protocol import (
    Adapter,
    Answer,
    BrokenInput,
    Command,
    Event,
    LobbyReply,
    Output,
    Query,
    Refusal,
    RefusalKind,
    Reply,
)
from gameserver.values import value
from protocols.signalr import messages
from protocols.signalr.messages import BadMessage, Invocation, Ping, Records
from protocols.signalr.negotiation import ConnectionToken
from protocols.signalr.session import BadCall, Calls, HubError, HubSession, Speech, Steps, UnknownMethod
from protocols.wording import echo

_CLOSED_WITH_ERROR = "Connection closed with an error."

_FINAL = frozenset({RefusalKind.LATE, RefusalKind.DISMISSED})
"""Refusals after which a client should not come back by itself."""


@define(eq=False)
class Dispatcher:
    """The SignalR calls of one connection, carried out one after the other."""

    _calls: Calls
    _session: HubSession
    _speech: Speech
    _converter: Converter
    _detailed_errors: bool
    _steps: Steps | None = field(default=None, init=False)
    _invocation: Invocation | None = field(default=None, init=False)
    """The call that is carried out; None for steps without one."""
    _command: Command | Query | None = field(default=None, init=False)
    _waiting: deque[Steps] = field(factory=deque, init=False)
    """Steps without a call that wait until the ones under way are through."""

    @property
    def is_idle(self) -> bool:
        """True if the next SignalR call may begin."""
        return self._steps is None and self._invocation is None and not self._waiting

    def take_command(self) -> Command | Query | None:
        """Gives the command or query of a SignalR call to submit now; None while an answer is awaited, too."""
        while self._steps is None and self._waiting:
            self._steps = self._waiting.popleft()
            self._go_on(None)
        command, self._command = self._command, None
        return command

    @property
    def has_command(self) -> bool:
        """True if `take_command` has something to do for a SignalR call."""
        return self._command is not None or (self._steps is None and bool(self._waiting))

    def begin(self, invocation: Invocation) -> None:
        """Carries out a SignalR call, as far as it goes without the lobby."""
        self._invocation = invocation
        try:
            call = self._bound(invocation)
        except BadCall as bad:
            # ASP.NET Core tells of an unknown method even without detailed errors.
            detail = f" {bad.cause}" if self._detailed_errors or isinstance(bad, UnknownMethod) else ""
            self._fail(f"{bad}{detail}")
            return
        try:
            returned = self._session.invoke(call)
        except HubError as error:
            self._fail_by_hub(error)
            return
        if isinstance(returned, GeneratorType):
            self._steps = returned
            self._go_on(None)
        else:
            self._complete(returned)

    def connected(self) -> None:
        """Lets the session of a SignalR hub do what it does at the start."""
        self._wait_with(self._session.connected())

    def heard(self, events: Sequence[Event]) -> None:
        """Brings events to the session of a SignalR hub."""
        if events:
            self._wait_with(self._session.heard(events))

    def tick(self, now_ms: int) -> None:
        """Lets the session of a SignalR hub do what is due."""
        self._wait_with(self._session.tick(now_ms))

    def answered(self, told: LobbyReply) -> None:
        """Goes on with the steps of a SignalR call that asked the lobby."""
        self._go_on(told)

    def abandon(self) -> None:
        """Fails the SignalR call under way, as the server made a mistake and the connection ends."""
        if self._invocation is not None:
            self._fail(_unexpected(self._invocation))

    def _wait_with(self, steps: Steps | None) -> None:
        if steps is not None:
            self._waiting.append(steps)

    def _bound(self, invocation: Invocation) -> Any:
        if not invocation.is_stream:
            return self._calls.bind(invocation.target, invocation.arguments)
        if invocation.target not in self._calls:
            raise UnknownMethod(invocation.target)
        name = echo(invocation.target)
        cause = f"The client attempted to invoke the non-streaming '{name}' method with a streaming invocation."
        raise BadCall(invocation.target, cause)

    def _go_on(self, told: LobbyReply | None) -> None:
        """Run the steps up to the next command, or to their end."""
        assert self._steps is not None, "an answer belongs to steps"
        try:
            self._command = self._steps.send(told) if told is not None else next(self._steps)
        except StopIteration as stop:
            self._steps = None
            self._complete(stop.value)
        except HubError as error:
            if self._invocation is None:
                raise  # nobody called: a mistake of the hub's
            self._steps = None
            self._fail_by_hub(error)

    def _complete(self, result: Any) -> None:
        if self._invocation is not None and self._invocation.invocation_id is not None:
            # ASP.NET Core writes null for a method without a result.
            plain = None if result is None else self._converter.unstructure(result)
            self._speech.say(messages.completion(self._invocation.invocation_id, plain))
        self._invocation = None

    def _fail_by_hub(self, error: HubError) -> None:
        assert self._invocation is not None, "checked by the callers"
        self._fail(f"{_unexpected(self._invocation)} HubException: {error}")

    def _fail(self, error: str) -> None:
        if self._invocation is not None and self._invocation.invocation_id is not None:
            self._speech.say(messages.failure(self._invocation.invocation_id, error))
        self._invocation = None


def _unexpected(invocation: Invocation) -> str:
    return f"An unexpected error occurred invoking '{echo(invocation.target)}' on the server."


@value
class Timeouts:
    """The time limits of SignalR; ASP.NET Core's are the defaults."""

    # ASP.NET Core's HandshakeTimeout, KeepAliveInterval and ClientTimeoutInterval.
    handshake_ms: int = 15_000
    """The time that a client may take for its handshake."""
    ping_every_ms: int = 15_000
    client_timeout_ms: int = 30_000
    """The time that a client that pings may be silent."""


class _Stage(Enum):
    HANDSHAKE = auto()
    OPEN = auto()
    OVER = auto()


@define(eq=False)
class SignalRAdapter(Adapter):
    """The adapter of a SignalR connection: records in, commands out. Times are on the server's axis, in ms."""

    _session: HubSession
    _dispatcher: Dispatcher
    _speech: Speech
    _records: Records
    _times: Timeouts
    _detailed_errors: bool
    _connected_ms: int
    _ticket: ConnectionToken
    """Held for as long as the connection lasts: its id is in use."""
    _heard_ms: int = field(init=False)
    """The time at which the last bytes came."""
    _ping_due_ms: int = field(default=0, init=False)
    _stage: _Stage = field(default=_Stage.HANDSHAKE, init=False)
    _has_pinged: bool = field(default=False, init=False)
    _is_ended: bool = field(default=False, init=False)
    """True if the peer will send no more."""
    _wants_next: bool = field(default=False, init=False)
    """True if an event brought something to say: nothing asks `next` after an event, so `tick` is due."""

    @_heard_ms.default
    def _since_it_began(self) -> int:
        return self._connected_ms

    def greeting(self) -> bytes:
        """Greets with nothing: SignalR clients speak first."""
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        """Takes bytes of SignalR records; `next` complains of bad ones, after what came before."""
        self._heard_ms = at_ms
        if self._stage is not _Stage.OVER:
            self._records.feed(data)

    def receive_eof(self) -> None:
        """Answers the SignalR records that are complete; one without its end is none."""
        self._is_ended = True

    def next(self) -> Command | Query | Reply | None:
        """Gives SignalR output, a method's command, or the consequence of the next record."""
        self._wants_next = False
        if self._stage is _Stage.OVER:
            return None
        command = self._dispatcher.take_command()
        if command is not None:
            return command
        if self._speech:
            return self._said()
        try:
            record = self._records.take()
            if record is None:
                return None
            # Before the handshake nothing may be said but its answer.
            if self._stage is _Stage.HANDSHAKE:
                return self._shake_hands(record)
            return self._read(record)
        except BadMessage as bad:
            raise self._broken(bad) from bad

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Says what the hub's session has to say. The method that asked goes on when its events have been heard."""
        if self._stage is _Stage.OVER:
            return ()
        self._dispatcher.heard(events)
        if answer is not None:
            self._dispatcher.answered(LobbyReply(answer, tuple(events)))
        outputs = self._take()
        self._wants_next = self._dispatcher.has_command or self._speech.is_over
        return outputs

    def farewell(self, refusal: Refusal) -> bytes:
        """Writes a SignalR close message; a client may come back upon it unless it is at fault itself."""
        if self._stage is _Stage.HANDSHAKE:
            return messages.handshake_refused(refusal.why)
        if self._stage is _Stage.OVER:
            return b""
        if refusal.kind is RefusalKind.FAULT:
            self._dispatcher.abandon()
        self._speech.end(messages.close(refusal.why, allow_reconnect=refusal.kind not in _FINAL))
        self._stage = _Stage.OVER
        return b"".join(output.data for output in self._speech.take(is_idle=True))

    @property
    def due_ms(self) -> int | None:
        """The time of SignalR's handshake limit, next ping or end of patience, or of the hub's own."""
        if self._stage is _Stage.HANDSHAKE:
            return self._connected_ms + self._times.handshake_ms
        if self._wants_next:
            return 0
        if self._stage is _Stage.OVER:
            return None
        due_ms = self._ping_due_ms
        if self._has_pinged:
            due_ms = min(due_ms, self._heard_ms + self._times.client_timeout_ms)
        session_ms = self._session.due_ms
        return due_ms if session_ms is None else min(due_ms, session_ms)

    def tick(self, now_ms: int) -> None:
        """Sends a SignalR ping, gives up a silent client, and lets the session do what is due."""
        self._wants_next = False
        if self._stage is _Stage.HANDSHAKE:
            self._look_for_handshake(now_ms)
        elif self._stage is _Stage.OPEN:
            self._tick_open(now_ms)

    @property
    def pending_bytes(self) -> int:
        """The bytes of finished SignalR records that wait for `next`."""
        return 0 if self._stage is _Stage.OVER else self._records.pending_bytes

    @property
    def identified(self) -> bool:
        """True if the session of the SignalR hub knows its player."""
        return self._session.identified

    @property
    def finished(self) -> bool:
        """True if the last SignalR record is said, or the peer hung up and everything is answered."""
        if self._stage is _Stage.OVER:
            return True
        return self._is_ended and not self._records and self._dispatcher.is_idle and not self._speech

    def _shake_hands(self, record: bytes) -> Reply:
        fault = messages.handshake_fault(record)
        if fault is not None:
            raise BrokenInput(fault, messages.handshake_refused(fault))
        self._stage = _Stage.OPEN
        self._ping_due_ms = self._heard_ms + self._times.ping_every_ms
        self._dispatcher.connected()
        # The JavaScript client sends a ping right behind its handshake: it is read at the next call.
        return Reply(messages.HANDSHAKE_ACCEPTED)

    def _read(self, record: bytes) -> Command | Query | Reply:
        """Do what a record asks; an empty reply lets others have their turn between the ones that say nothing."""
        message = messages.read_message(record)
        if isinstance(message, Invocation):
            self._dispatcher.begin(message)
            command = self._dispatcher.take_command()
            if command is not None:
                return command  # what was said before it goes out with its answer
        elif isinstance(message, Ping):
            # From here on silence counts: Python's clients, and those made by hand, never ping.
            self._has_pinged = True
        elif message is not None:
            self._speech.end(messages.close())
        return self._said()

    def _said(self) -> Reply:
        return Reply(b"".join(output.data for output in self._take()))

    def _take(self) -> list[Output]:
        outputs = self._speech.take(is_idle=self._dispatcher.is_idle)
        if self._speech.is_over:
            self._stage = _Stage.OVER
        return outputs

    def _tick_open(self, now_ms: int) -> None:
        if now_ms >= self._ping_due_ms:
            # The JavaScript client gives up after 30 s without a byte, so one ping may be late.
            self._ping_due_ms = now_ms + self._times.ping_every_ms
            self._speech.say(messages.PING)
        if self._has_pinged and now_ms >= self._heard_ms + self._times.client_timeout_ms:
            self._look_for_life(now_ms)
        session_ms = self._session.due_ms
        if session_ms is not None and now_ms >= session_ms:
            self._dispatcher.tick(now_ms)

    def _look_for_handshake(self, now_ms: int) -> None:
        if now_ms >= self._connected_ms + self._times.handshake_ms:
            error = f"Handshake was canceled. None came within {self._times.handshake_ms / 1000:g} seconds."
            raise BrokenInput(error, messages.handshake_refused(error))

    def _look_for_life(self, now_ms: int) -> None:
        """End the connection of a client that has fallen silent, if it was the one to speak."""
        # Silence while the server is at work is the server's.
        if self._records or not self._dispatcher.is_idle:
            self._heard_ms = now_ms
            return
        seconds = self._times.client_timeout_ms / 1000
        why = f"Client hasn't sent a message/ping within {seconds:g} seconds."
        raise BrokenInput(why, messages.close(why, allow_reconnect=True))

    def _broken(self, bad: BadMessage) -> BrokenInput:
        """The fault after which nothing can be read, in words for the stage."""
        if self._stage is _Stage.HANDSHAKE:
            error = f"An unexpected error occurred during connection handshake. {bad}"
            return BrokenInput(error, messages.handshake_refused(error))
        error = f"{_CLOSED_WITH_ERROR} InvalidDataException: {bad}" if self._detailed_errors else _CLOSED_WITH_ERROR
        return BrokenInput(str(bad), messages.close(error))
