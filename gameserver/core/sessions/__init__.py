"""Who is here: coming, going, talking, and what a teacher or a restart does to all of them.

login                entering under a name, and leaving
takeover             a proven player who replaces their own live session
blocking             the player in the way of a newcomer
restart              what a start does to the lobby of the last run
admin                kick, drain, look at everything
chat, directory      messages, lists of players and games
"""
