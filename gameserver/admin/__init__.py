"""The admin listener: HTTP requests by which a teacher runs a live server, behind a token, never on a game port.

listener             the listener as a protocol
guide                the page that documents every request
application          the ASGI application
auth_gate            token, Host and Origin, in front of everything
token_file           how a command on this machine finds the server and its token
client               the client that commands use
lobby_api, tournament_api
                     the request handlers
api_responses        request bodies into commands, and answers into JSON
roster_entries       finds the players whom a teacher means by a roster
request_scope        data that only handlers behind the gate may read
"""
