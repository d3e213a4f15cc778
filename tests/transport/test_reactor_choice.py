"""The reactor is chosen by the setting and the system."""

import sys

import pytest

from gameserver.transport import reactor_choice
from gameserver.transport.reactor_choice import NoReactor, chosen_reactor
from gameserver.transport.socket_settings import ReactorKind
from gameserver.transport.task_reactor import TaskReactor


def test_setting_chooses() -> None:
    assert chosen_reactor(ReactorKind.TASKS) is TaskReactor
    assert chosen_reactor(ReactorKind.AUTO) is reactor_choice.best_reactor
    if sys.platform == "linux":
        assert chosen_reactor(ReactorKind.EPOLL) is chosen_reactor(ReactorKind.AUTO)
        assert chosen_reactor(ReactorKind.EPOLL) is not TaskReactor


def test_system_without_epoll_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reactor_choice, "best_reactor", TaskReactor)
    with pytest.raises(NoReactor, match='no epoll; set "auto" or "tasks"'):
        chosen_reactor(ReactorKind.EPOLL)
