"""The ids that a school gives its students, for the files that a teacher takes home.

They are in the teacher's roster and nowhere else: not in the lobby, the journal or the records, and no page
shows them. Only handlers behind the gate can ask for them.
"""

from collections.abc import Callable, Mapping

from attrs import frozen
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

_KEY = "gameserver.student_ids"


@frozen
class WithStudentIds:
    """An ASGI application whose handlers may ask for students' ids, by player."""

    app: ASGIApp
    student_ids: Callable[[], Mapping[str, str]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        await self.app({**scope, _KEY: self.student_ids}, receive, send)


def student_ids_of(request: Request) -> Mapping[str, str]:
    """The ids by player, as the server's roster has them now; empty without one."""
    found: Callable[[], Mapping[str, str]] = request.scope[_KEY]
    return found()
