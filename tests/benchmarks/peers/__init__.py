"""The peer of the server: Colyseus, a game server on Node, with two of our games.

server.mjs   the peer: in memory, or with a journal and then with the same guarantee as ours
players      its clients, on the load generator's loop
measure      installs it by npm, from the lock file; the servers in turns, and the ratios
"""
