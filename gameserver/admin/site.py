"""What the admin listener serves, put together: the lobby's acts and whatever there is more, all behind the gate."""

from collections.abc import Sequence

from gameserver.admin import acts
from gameserver.admin.attacks import WithAttacks
from gameserver.admin.gate import Gate
from gameserver.admin.students import WithStudentIds
from gameserver.admin.wire_logs import WithWireLogs
from gameserver.endpoints import HttpEndpoint
from gameserver.http.adapter import HttpAdapter
from gameserver.http.application import application
from gameserver.http.date import HttpDate
from gameserver.http.options import HttpOptions
from gameserver.http.requests import Site
from gameserver.protocol import Adapter, Context, Peer


class AdminSite:
    """The application, and adapters for it."""

    def __init__(self, more: Sequence[HttpEndpoint]) -> None:
        self._app = application((acts.ENDPOINT, *more), ())
        self._date = HttpDate()

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A connection's adapter; its options are those of the admin listener."""
        app = WithWireLogs(WithStudentIds(self._app, context.student_ids), context.wire_log_of)
        gate = Gate(WithAttacks(app, context.attacks), context.options.token, context.options.hosts)
        return HttpAdapter(peer, context, HttpOptions(), Site({}, gate, self._date))
