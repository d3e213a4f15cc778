"""How good players are, and how sure that is: ratings, the difference between two, ranks with their intervals.

Nothing here is kept in the lobby's state: it is worked out from results, outside of its loop.
"""
