"""Runs what a connection does besides reading and answering: its adapter's timed work, and `Work`.

One timer and at most one task for each connection that asks for them; none for the others.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import trio
from attrs import define, field

from gameserver.flow_control.fair_scheduler import Share
from gameserver.flow_control.shares import REQUEST_S
from gameserver.flow_control.timers import Timer, Timers
from gameserver.protocol import Adapter, Work


class AdapterTaskServices(Protocol):
    """The part of the server that adapter tasks call."""

    timers: Timers
    turns: Share

    def now_ms(self) -> int:
        """Look at the server's clock."""

    def start_soon(self, run: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Run a task until the server stops; it raises nothing."""


@define(eq=False)
class AdapterTasks:
    """`tick` carries out what is due; `go_on` asks the adapter for what it has now; `fail` ends the connection."""

    _adapter: Adapter
    _ports: AdapterTaskServices
    _tick: Callable[[int], None]
    _go_on: Callable[[], None]
    _fail: Callable[[Exception], None]
    keep_time: bool = field(init=False)
    """True if `watch` has anything to do: most protocols do nothing by the clock."""
    _timer: Timer | None = field(default=None, init=False)
    _timer_ms: int = field(default=0, init=False)
    _scope: trio.CancelScope | None = field(default=None, init=False)

    @keep_time.default
    def _has_due_times(self) -> bool:
        return type(self._adapter).due_ms is not Adapter.due_ms

    @property
    def is_working(self) -> bool:
        """True if a task is under way."""
        return self._scope is not None

    def watch(self) -> None:
        """Set the timer for what is due next.

        When the time has moved to later, the timer stays and only checks again when it fires. Protocols extend their
        limits with every message, so that must cost nothing.
        """
        due_ms = self._adapter.due_ms
        if due_ms is None or (self._timer is not None and self._timer_ms <= due_ms):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = due_ms
        wait_ms = max(0, due_ms - self._ports.now_ms())
        self._timer = self._ports.timers.after(wait_ms / 1000, self._look)

    def start(self, work: Work) -> None:
        """Start work in a task beside the connection."""
        assert self._scope is None, "an adapter does one work at a time"
        self._scope = trio.CancelScope()
        self._ports.turns.begin(REQUEST_S)
        self._ports.start_soon(self._carry_out, work, self._scope)

    def stop(self) -> None:
        """Cancel the timer and the task: the connection ends."""
        if self._timer is not None:
            self._timer.cancel()
        if self._scope is not None:
            self._scope.cancel()

    def _look(self) -> None:
        self._timer = None
        now_ms = self._ports.now_ms()
        try:
            due_ms = self._adapter.due_ms
        except Exception as error:  # noqa: BLE001 - it is logged there
            self._fail(error)
            return
        if due_ms is not None and due_ms <= now_ms:
            self._tick(now_ms)
        else:
            self.watch()

    async def _carry_out(self, work: Work, scope: trio.CancelScope) -> None:
        with scope:
            try:
                await work.run(self._go_on)
                self._scope = None
                self._go_on()
            except Exception as error:  # noqa: BLE001 - it is logged there
                self._fail(error)
