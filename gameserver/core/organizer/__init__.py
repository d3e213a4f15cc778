"""Plays tournaments: turns acts into transitions of a tournament, and its pairings into matches.

    conduct              creates tournaments and carries out the acts of teachers and of time
    scheduling           begins the matches of pairings and reports their results
    availability         which entrants can be seated now
    terms                what a tournament's match is played under

What a tournament is, and whom it pairs, is in `gameserver.tournaments`, which knows no lobby.
"""
