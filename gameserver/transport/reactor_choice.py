"""Chooses the reactor for this system: epoll takes half as much of the processor, and only Linux has it."""

import sys
from collections.abc import Callable

from gameserver.flow_control.fair_scheduler import FairScheduler
from gameserver.transport.reactors import Reactor, Step, TaskReactor

NewReactor = Callable[[Callable[[], int], FairScheduler, Step], Reactor]

# The reactor for this system.
best_reactor: NewReactor
# A module of its own, and imported here alone: what epoll needs is not there to import on other systems.
if sys.platform == "linux":
    from gameserver.transport.epoll_reactor import EpollReactor

    best_reactor = EpollReactor
else:
    best_reactor = TaskReactor
