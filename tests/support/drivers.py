"""Both drivers of sockets, for tests that are to pass with each."""

import pytest

from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.reactors import TaskReactor

DRIVERS = pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
