"""Both drivers of sockets, for tests that are to pass with each."""

import pytest

from gameserver.transport.reactors import EpollReactor, TaskReactor

DRIVERS = pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
