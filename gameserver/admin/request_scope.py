"""Data that only handlers behind the gate may read: attacked names, the roster, students' ids, wire logs.

Students' ids are in the teacher's roster alone. They are not in the lobby, the journal or the records, and no
page shows them.
"""

from collections.abc import Mapping, Sequence

import trio
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from gameserver.http.host_context import HostContext
from gameserver.read_model.troubles import Trouble, refusals
from gameserver.read_model.views import AdminLobbyView, Attack, ListedStudent, RollCall
from gameserver.values import value

_KEY = "gameserver.behind_the_gate"


@value
class WithSecrets:
    """An ASGI application whose handlers may use the functions below."""

    app: ASGIApp
    context: HostContext

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        await self.app({**scope, _KEY: self.context}, receive, send)


def attacks_of(request: Request) -> Sequence[Attack]:
    """The names for which wrong secrets came in lately, the name with the most tries first."""
    return [one for one in _context_of(request).attacks() if one.name]


def refusals_of(request: Request) -> Sequence[Trouble]:
    """The refusals that the teacher should know of."""
    context = _context_of(request)
    return refusals(context.attacks(), context.own_names.refused)


def student_ids_of(request: Request) -> Mapping[str, str]:
    """Students' ids by player, as they are in the server's roster now; empty without a roster."""
    return _context_of(request).student_ids()


def students_of(request: Request) -> Sequence[ListedStudent]:
    """The lines of the server's roster, as it is now; empty without a roster."""
    return _context_of(request).students()


def roll_call_of(request: Request, lobby: AdminLobbyView) -> RollCall | None:
    """The server's roster compared with the players who are here; None without a roster."""
    return _context_of(request).roll_call(lobby)


async def wire_log_of(request: Request, player: str) -> str | None:
    """A player's wire log; None if there is none, or if the server keeps none."""
    return await trio.to_thread.run_sync(_context_of(request).wire_log_of, player)


def _context_of(request: Request) -> HostContext:
    found: HostContext = request.scope[_KEY]
    return found
