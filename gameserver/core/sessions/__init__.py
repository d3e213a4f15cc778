"""The players who are here: coming, going, talking, and what a teacher or a restart does to all of them.

login                entering under a name, and leaving
blocking             finds the player in the way of a newcomer
restart              carries the lobby of the last run over a start
admin                kick, drain, look at everything
chat, directory      messages, lists of players and games
"""
