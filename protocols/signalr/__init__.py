"""SignalR over WebSockets, for protocols that are hubs: ASP.NET Core's JSON hub protocol, without input or output.

adapter      one connection's side of SignalR, and its calls
messages     the messages of the JSON protocol, and records
negotiate    `POST {hub}/negotiate` as an application
negotiation  ids for connections, and what they open
session      what a hub's author writes

It knows nothing of any game. A protocol declares its methods (`Calls`), writes a `HubSession`, and keeps a `Hub`; read
`session.py` first. There is no `PROTOCOL` here.
"""

from collections.abc import Callable
from typing import cast

from attrs import field
from cattrs import Converter
from cattrs.preconf.orjson import make_converter

from gameserver.protocol import (
    Adapter,
    AsgiApp,
    Context,
    Endpoint,
    Framing,
    HttpEndpoint,
    LazyApp,
    Peer,
    WebSocketEndpoint,
)
from gameserver.values import value
from protocols.signalr.adapter import Dispatcher, SignalRAdapter, Timeouts
from protocols.signalr.messages import Records
from protocols.signalr.negotiation import Negotiations
from protocols.signalr.session import Calls, HubError, HubPeer, HubSession, Speech, Steps

# Judgement: the JavaScript client puts what waits into one message, its first ping too.
_MESSAGE_RECORDS_MAX = 8
"""The most records of full length in one WebSocket message."""

NewSession = Callable[[HubPeer], HubSession]
"""Makes the session of a new connection."""


@value
class Hub:
    """The parts that all connections of a SignalR hub share.

    A `WireProtocol` keeps one, and passes its own two methods on:

    class ChatProtocol(WireProtocol):
        def __init__(self):
            self._hub = Hub(Calls(Join, Say))

        def adapter(self, peer, context):
            return self._hub.adapter(peer, context, lambda client: ChatSession(client, peer))

        def endpoints(self):
            return self._hub.endpoints("/chat")
    """

    calls: Calls
    converter: Converter = field(factory=make_converter)
    """Takes apart what is sent: it says how members are called."""
    # ASP.NET Core's default (`MaximumReceiveMessageSize`).
    record_bytes_max: int = 32_768
    times: Timeouts = field(factory=Timeouts)
    detailed_errors: bool = True
    """True if clients are told causes, as by ASP.NET Core's `EnableDetailedErrors`, not only that something failed."""
    _negotiations: Negotiations = field(factory=Negotiations)

    def endpoints(self, path: str, profile: str = "") -> tuple[Endpoint, ...]:
        """Names the HTTP paths of a SignalR hub: the WebSocket, and the negotiation for it."""
        return (
            WebSocketEndpoint(
                path,
                profile,
                Framing.STREAM,
                message_bytes_max=_MESSAGE_RECORDS_MAX * self.record_bytes_max,
            ),
            # The JavaScript client sends credentials by default, which CORS allows only where the origin is named.
            HttpEndpoint(f"{path}/negotiate", LazyApp(self._negotiate), origins=("*",), credentials=True),
        )

    def _negotiate(self) -> AsgiApp:
        from protocols.signalr.negotiate import negotiate_app  # noqa: PLC0415 - it imports Starlette

        return cast("AsgiApp", negotiate_app(self._negotiations))

    def adapter(self, peer: Peer, context: Context, new_session: NewSession) -> Adapter:
        """Makes the adapter of a new connection to a SignalR hub. Raises `NotAdmitted` for a bad id."""
        ticket = self._negotiations.admit(peer.handshake, peer.connected_ms, context.new_id)
        speech = Speech()
        client = HubPeer(ticket.connection_id, peer.handshake, speech, self.converter)
        session = new_session(client)
        dispatcher = Dispatcher(self.calls, session, speech, self.converter, self.detailed_errors)
        return SignalRAdapter(
            session,
            dispatcher,
            speech,
            Records(self.record_bytes_max),
            self.times,
            self.detailed_errors,
            peer.connected_ms,
            ticket,
        )


__all__ = ["Calls", "Hub", "HubError", "HubPeer", "HubSession", "Negotiations", "Steps", "Timeouts"]
