"""The admin listener: what a teacher asks of a running server, behind a token, never on a game port.

listener             the listener as a protocol
guide                the page that tells of every request
application          what it serves, put together
auth_gate            token, Host and Origin, in front of everything
token_file           how a command on this machine finds the server and its token
client               the commands' side
lobby_api, tournament_api
                     the requests
api_responses        bodies into commands, and answers into JSON
request_scope        what only handlers behind the gate may ask for
"""
