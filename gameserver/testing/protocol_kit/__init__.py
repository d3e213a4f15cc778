"""The contract kit for protocols: it knows no words, only what every adapter promises.

check_protocol       says to an adapter what clients, the network and the lobby may say to it
speaker, driver      the facts that the author gives: how a player of the protocol speaks and listens
conversations        one connection by itself: greeting, answers, events
byte_streams         its bytes: cut anywhere, junk, backpressure
matches, player      whole matches against a text player, of every game that the protocol carries
hall                 the lobby of the kit
connection, wire     ways to it, in memory
event_samples        one event of each kind
secret_game          a game with hidden moves

The lobby decides by the real core; its clock is stopped.
"""
