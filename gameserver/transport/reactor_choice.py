"""Chooses the reactor for this system: epoll takes half as much of the processor, and only Linux has it."""

import sys
from collections.abc import Callable

from gameserver.flow_control.fair_scheduler import FairScheduler
from gameserver.transport.reactors import Reactor, Step, TaskReactor

NewReactor = Callable[[Callable[[], int], FairScheduler, Step], Reactor]

best_reactor: NewReactor
# Imported here alone: `select.epoll` does not exist on other systems.
if sys.platform == "linux":
    from gameserver.transport.epoll_reactor import EpollReactor

    best_reactor = EpollReactor
else:
    best_reactor = TaskReactor
