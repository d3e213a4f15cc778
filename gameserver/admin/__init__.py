"""The admin listener: HTTP requests by which a teacher runs a live server, behind a token, never on a game port.

api       The admin requests about tournaments
client    The client by which commands talk to a running server
gate      Admits a request to the admin listener only if it brings the token, and no foreign page sent it
listener  The admin listener as a protocol like any other
"""
