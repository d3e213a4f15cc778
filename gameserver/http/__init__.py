"""HTTP and WebSocket: one listener for pages, REST and hubs, whichever protocols bring them.

    listener             the listener as a protocol: what is served where
    options              its settings
    host_context         what it is given beside a protocol's context: pages, and what only the teacher may know
    own_names            host names that belong to this server: the rule against DNS rebinding
    adapter              a connection while it speaks HTTP: requests in, responses out
    h11_connection       HTTP/1.1 through h11, with our limits
    asgi_exchange        one request through the application
    application          every protocol's routes as one Starlette application
    websocket_handshake  from a request to an open WebSocket
    websocket_adapter    a protocol's adapter, spoken to in WebSocket messages

Nothing here knows a game, a lobby's row or a page.
"""
