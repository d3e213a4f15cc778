"""`Work` of adapters without trio: a coroutine that is taken a step further when what it waits for is there.

Handlers of HTTP requests wait for the lobby's answer and for their response to be taken, by an
`Event` and a `Lock` of trio's. Here are the same two for a world in which nothing runs by itself.
"""

from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from attrs import define, field

from gameserver.http import asgi_exchange
from gameserver.protocol import Work


@define(eq=False)
class Event:
    """As trio's."""

    _is_set: bool = False

    def set(self) -> None:
        self._is_set = True

    def is_set(self) -> bool:
        return self._is_set

    async def wait(self) -> None:
        if not self._is_set:
            await _Until(self)


@define(eq=False)
class Lock:
    """As trio's, for whoever has it to himself: a request asks and sends one thing at a time."""

    _is_held: bool = False

    async def __aenter__(self) -> None:
        assert not self._is_held, "nobody waits for a lock here"
        self._is_held = True

    async def __aexit__(self, *_: object) -> None:
        self._is_held = False


@define(eq=False)
class _Until:
    """What a task waits for."""

    event: Event

    def __await__(self) -> Generator[Event, None, None]:
        yield self.event


@define(eq=False)
class Task:
    """One work under way."""

    _steps: Coroutine[Any, Any, None]
    _awaited: Event | None = None
    is_done: bool = field(default=False, init=False)
    _is_running: bool = field(default=False, init=False)

    @classmethod
    def of(cls, work: Work, wake: Callable[[], None]) -> "Task":
        """Begin work; nothing of it has happened yet."""
        made = getattr(work.run, "__self__", None)
        if isinstance(made, asgi_exchange.Exchange):
            _adopt(made)
        return cls(work.run(wake))  # type: ignore[arg-type] # an async function gives a coroutine

    @property
    def is_ready(self) -> bool:
        """Whether it can go on."""
        return not self.is_done and (self._awaited is None or self._awaited.is_set())

    def step(self) -> None:
        """Go on up to the next wait."""
        self._is_running = True
        try:
            self._awaited = self._steps.send(None)
        except StopIteration:
            self.is_done = True
        finally:
            self._is_running = False
        if self.is_done:
            self._steps.close()

    def cancel(self) -> None:
        """Let it be; one that is told so by itself ends at its next wait."""
        self.is_done = True
        if not self._is_running:
            self._steps.close()


def _adopt(made: asgi_exchange.Exchange) -> None:
    """Replace what an exchange has of trio's that can be waited for."""
    gone = Event()
    if made._gone.is_set():
        gone.set()
    made._sending, made._asking, made._gone = Lock(), Lock(), gone  # type: ignore[assignment] # as above


@contextmanager
def without_trio() -> Iterator[None]:
    """Let handlers of requests wait for the events here while this lasts."""
    real = asgi_exchange.trio
    asgi_exchange.trio = SimpleNamespace(Event=Event, Lock=Lock)  # type: ignore[assignment] # on purpose
    try:
        yield
    finally:
        asgi_exchange.trio = real
