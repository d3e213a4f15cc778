"""The contract kit for games: it knows no rules, only what every game promises.

check_game           plays random games, and has everything below checked on the way
definitions          a game before any move: its name, options and strategies
positions            a position: every method is called, and its answer checked
moves                moves, read and written in every spelling
junk                 text that is no move
touches              what a seat's picture offers to be touched
secrecy              what a player must not see

It imports what a game author may import, and nothing of a protocol.
"""
