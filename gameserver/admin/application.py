"""The application of the admin listener: the lobby's API and the other admin endpoints, all behind the gate."""

from collections.abc import Sequence

from gameserver.admin import lobby_api
from gameserver.admin.auth_gate import Gate
from gameserver.admin.request_scope import WithSecrets
from gameserver.endpoints import HttpEndpoint
from gameserver.http.adapter import HttpAdapter, Site
from gameserver.http.application import application, longest_first
from gameserver.http.host_context import HostContext, HttpOptions
from gameserver.protocol import Adapter, Peer


class AdminSite:
    """The application, and adapters for it."""

    def __init__(self, more: Sequence[HttpEndpoint]) -> None:
        self._app = application(longest_first((lobby_api.ENDPOINT, *more)), ())

    def adapter(self, peer: Peer, context: HostContext) -> Adapter:
        """A connection's adapter; its options are those of the admin listener."""
        options = context.options
        app = WithSecrets(self._app, context)
        gate = Gate(app, options.token, context.own_names, options.hosts, context.wrong_token)
        return HttpAdapter(peer, context, HttpOptions(), Site({}, gate))
