"""The read model: the lobby, matches and results, as frozen values for pages and files.

live          The public views of the lobby
lobby_losses  Describes what a teacher's act upon the lobby takes away, for the person who is about to carry it out
metrics       Counters since the server's start, updated once a batch, and gauges of its load
read_model    The interface of the read model, by which a handler of the HTTP listener reads the lobby and the records
replay        A replay of a game for spectators
troubles      Finds what is wrong right now, for the teacher
views         The values of the read model

The read model changes nothing and holds no secrets. Addresses, queues and tickets are for the teacher alone:
`LobbyView.admin` is read only behind the gate of the admin listener.
"""
