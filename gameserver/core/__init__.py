"""The lobby as a function: frozen values, command in, changes and events out; no clock, chance or socket.

Requests and events, which protocols, journal and core share:

identity       names, proof of who is behind one, and what a player said
events         everything that is told: answers, events, and why a command was refused
commands       everything that can be asked

The rows, and the draft through which a decision reads and writes them:

clocks         the time of a turn, and a player's for the whole match
match          a match as a value
lobby          every other row, and their tables
draft          the lobby while one command is decided, and what follows from it

A match from its first game to its end:

referee        the only caller of game code, and of chance
broadcast      what players are told of a match
late_answers   answers that are still owed after a turn ended without one
match_course   a match begins, goes from game to game, and ends
seats          seats that empty and fill again
playing        the transition table of a match

Two players find each other; all ways meet in the matchmaker and nowhere else:

places         who has a place in a room or in a queue
ticket_search  which ticket fits which
matchmaker     who meets whom, and the match that comes of it
challenges     opponents by name, or any
newcomers      one player who comes twice
rooms          the commands in a room, and what follows
tickets        the life of a ticket

Everything else, in the order in which it depends on what is above:

organizer      tournaments in the lobby
ladders        ladders of the lobby
sessions       who is here: coming, going, talking, and what a teacher does to all of them
decide         command in, decision out

A row knows what it holds and what follows from that alone; rules about several rows belong to the modules below it.
"""
