"""Strength of players, and how sure it is.

    rating               ratings in a game, from rated matches
    elo                  the difference between two players, with its error
    pentanomial          the same from pairs of games, one in each seat order
    sprt                 a sequential test that says when a match has decided
    rank_intervals       the ranks that the results of a tournament do not exclude
    results              what all of these are worked out from

Nothing here is kept in the lobby's state: it is worked out from results, outside of its loop.
"""
