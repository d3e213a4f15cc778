"""The lobby as a function: frozen values, command in, changes and events out; no clock, chance or socket.

decide               one command upon a lobby: the table of handlers
consequences         what follows from a decision by itself
long_moves           spells long moves short before they are journaled
messages             what is asked and told
state                frozen rows, and the draft of a decision
matches              a match from its first game to its end
matchmaking          how two players meet
organizer            plays tournaments
sessions             the players who are here, and what a teacher or a restart does to them
"""
