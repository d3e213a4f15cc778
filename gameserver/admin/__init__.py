"""The admin listener: HTTP requests by which a teacher runs a live server, behind a token, never on a game port.

api       The admin requests: `/api` for the lobby, `/api/tournaments` for tournaments
client    The client by which commands talk to a running server, and the access file by which they find it
gate      Admits a request only if it brings the token, and no foreign page sent it
listener  The admin listener as a protocol like any other, and the page that documents its requests
"""
