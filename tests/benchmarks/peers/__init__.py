"""The peer of the server: Colyseus, a game server on Node, with two of our games.

server.mjs   the peer: in memory, or with a journal and then with the same guarantee as ours
colyseus     installs it by npm, from the lock file, and starts it
players      its clients, on the load generator's loop
measure      the servers in turns, and the ratios
"""
