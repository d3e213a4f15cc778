"""SignalR over WebSockets, for protocols that are hubs: ASP.NET Core's JSON hub protocol, without input or output.

It knows nothing of any game. A protocol declares its methods (`Calls`), writes a `HubSession`, and
keeps a `Hub`; read `session.py` first. There is no `PROTOCOL` here.

    framing              bytes to records, which end in 0x1E
    messages             records to messages and back
    invocations          a call by name and list to an instance of a declared class
    session              what a hub's author writes
    outgoing             what one connection says
    dispatcher           one call at a time through the session, its completion last
    adapter              the connection: handshake, pings, time-outs, close
    negotiate, negotiation
                         the first request over HTTP: its answer, its ids, and who may open a WebSocket
    hub                  what a protocol keeps of all this
"""

from protocols.signalr.adapter import Timeouts
from protocols.signalr.hub import Hub
from protocols.signalr.invocations import Calls
from protocols.signalr.negotiation import Negotiations
from protocols.signalr.session import Client, HubError, HubSession, Steps

__all__ = ["Calls", "Client", "Hub", "HubError", "HubSession", "Negotiations", "Steps", "Timeouts"]
