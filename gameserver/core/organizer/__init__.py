"""Plays tournaments: turns acts into transitions of a tournament, and its pairings into matches.

    conduct              creates tournaments and carries out the acts of teachers and of time
    scheduling           begins the matches of pairings and reports their results
    availability         which entrants can be seated now
    terms                the terms of a tournament's matches

`gameserver.tournaments` defines tournaments and their pairings, and knows no lobby.
"""
