"""Calls on their way through a hub's session: one at a time, each with its completion at the end.

    idle -> begin(call) -> the method returns at once -> completion, idle
                        -> it yields a command: `command` is to be asked
                           -> answered -> it yields the next, or returns: completion, idle

Steps that a session takes without a call go the same way, without a completion. Commands stand out
no longer than it takes to ask them, so the driver of this asks `take_command` first.
"""

from collections import deque
from collections.abc import Generator, Sequence
from typing import Any

from attrs import define, field
from cattrs import Converter

from gameserver.protocol import Command, Event, LobbyReply, Query
from protocols.signalr import messages
from protocols.signalr.invocations import BadCall, Calls, UnknownMethod
from protocols.signalr.messages import Invocation
from protocols.signalr.outgoing import Speech
from protocols.signalr.session import HubError, HubSession, Steps
from protocols.wording import echo


@define(eq=False)
class Dispatcher:
    """One connection's calls."""

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
        """True if the next call may begin."""
        return self._steps is None and self._invocation is None and not self._waiting

    def take_command(self) -> Command | Query | None:
        """The command or query to submit now; None while an answer is awaited, too."""
        while self._steps is None and self._waiting:
            self._steps = self._waiting.popleft()
            self._go_on(None)
        command, self._command = self._command, None
        return command

    @property
    def has_command(self) -> bool:
        """True if `take_command` has something to do."""
        return self._command is not None or (self._steps is None and bool(self._waiting))

    def begin(self, invocation: Invocation) -> None:
        """Carry out a call, as far as it goes without the lobby."""
        self._invocation = invocation
        try:
            call = self._bound(invocation)
        except BadCall as bad:
            detail = f" {bad.cause}" if self._detailed_errors or isinstance(bad, UnknownMethod) else ""
            self._fail(f"{bad}{detail}")
            return
        try:
            returned = self._session.invoke(call)
        except HubError as error:
            self._fail_by_hub(error)
            return
        if isinstance(returned, Generator):
            self._steps = returned
            self._go_on(None)
        else:
            self._complete(returned)

    def connected(self) -> None:
        """Let the session do what it does at the start."""
        self._wait_with(self._session.connected())

    def heard(self, events: Sequence[Event]) -> None:
        """Bring events to the session."""
        if events:
            self._wait_with(self._session.heard(events))

    def tick(self, now_ms: int) -> None:
        """Let the session do what is due."""
        self._wait_with(self._session.tick(now_ms))

    def answered(self, told: LobbyReply) -> None:
        """Go on with the steps that asked."""
        self._go_on(told)

    def abandon(self) -> None:
        """The server made a mistake, and the connection ends: who waits for a completion is told."""
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
            plain = self._converter.unstructure(result)
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
