"""The settings of the server's sockets."""

from enum import StrEnum

from gameserver.values import value


class ReactorKind(StrEnum):
    """The watcher of the players' sockets."""

    AUTO = "auto"
    """The best one for this system."""
    EPOLL = "epoll"
    TASKS = "tasks"


@value
class SocketSettings:
    """Settings of the sockets."""

    reactor: ReactorKind = ReactorKind.AUTO
    """The means by which the server learns that a socket is ready: `"epoll"`, which only Linux has and which takes half
    as much of the processor; `"tasks"`, which works on Windows and macOS, too; or `"auto"`, the better of those that
    the system has. Players see no difference."""
