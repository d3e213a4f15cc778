"""`POST {hub}/negotiate` as an application. Starlette comes with it: import it when there is an HTTP listener."""

from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gameserver.protocol import lobby_of
from protocols.signalr.negotiation import BadVersion, Negotiations, version_of

# Offering WebSockets alone worked with every client tried; the original offers two more.
_TRANSPORTS = [{"transport": "WebSockets", "transferFormats": ["Text", "Binary"]}]


def negotiate_app(negotiations: Negotiations) -> Starlette:
    """Makes the application that answers a SignalR client's `POST {hub}/negotiate`."""

    async def negotiate(request: Request) -> Response:
        lobby = lobby_of(request)
        try:
            version = version_of(request.query_params.get("negotiateVersion"))
        except BadVersion as bad:
            # With status 200, as ASP.NET Core has it: the client's `start()` rejects with the text.
            return JSONResponse({"error": str(bad)})
        ticket = negotiations.open(version, lobby.asked_ms, lobby.new_id)
        answer: dict[str, Any] = {"negotiateVersion": version, "connectionId": ticket.connection_id}
        if version:
            answer["connectionToken"] = ticket.key
        return JSONResponse(answer | {"availableTransports": _TRANSPORTS})

    return Starlette(routes=[Route("/", negotiate, methods=["POST"])])
