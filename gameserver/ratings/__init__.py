"""Strength of players, and how sure it is.

head_to_head    Sequential probability ratio test over pairs of games
rank_intervals  The ranks that the results really tell apart
rating          Ratings that always carry their uncertainty

Nothing here is kept in the lobby's state: it is worked out from results, outside of its loop.
"""
