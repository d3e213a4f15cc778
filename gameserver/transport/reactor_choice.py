"""Chooses the reactor, by the setting `sockets.reactor` and by what the system has."""

import sys
from collections.abc import Callable

from gameserver.flow_control.fair_scheduler import FairScheduler
from gameserver.settings import ReactorKind
from gameserver.transport.reactors import Reactor, Step, TaskReactor

NewReactor = Callable[[Callable[[], int], FairScheduler, Step], Reactor]

best_reactor: NewReactor
"""The reactor for this system."""
# A module of its own, and imported here alone: what epoll needs is not there to import on other systems.
if sys.platform == "linux":
    from gameserver.transport.epoll_reactor import EpollReactor

    best_reactor = EpollReactor
else:
    best_reactor = TaskReactor


def chosen_reactor(kind: ReactorKind) -> NewReactor:
    """The reactor that the setting names. Raises `ValueError` if the system lacks it; the text says what to set."""
    if kind is ReactorKind.EPOLL and best_reactor is TaskReactor:
        raise ValueError('this system has no epoll; set "auto" or "tasks"')
    return TaskReactor if kind is ReactorKind.TASKS else best_reactor
