"""Finished matches and tournaments in the formats of other programs.

fairness           The chance of matches and tournaments, from which anybody can verify it
matches            A match of the records as its games understand it, and step by step for a terminal
tournament_report  The public view of a tournament with its rank intervals, and the files to take home
"""
