"""HTTP/1.1 and WebSockets as one more adapter on our own connections: requests to routes, messages to protocols."""
