"""HTTP and WebSocket: one listener for pages, REST and hubs, whichever protocols bring them.

adapter         The adapter of the HTTP listener
application     The application behind the HTTP listener
h11_connection  HTTP/1.1 on one connection, through h11
host_context    The context of a listener that carries other protocols and pages
listener        The HTTP listener as a protocol like any other
own_names       Refuses requests that come under a host name that is not this server's
websocket       A protocol's adapter, spoken to in WebSocket messages instead of over a socket of its own

Nothing here knows a game, a lobby's row or a page.
"""
