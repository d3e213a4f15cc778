"""Finished matches and tournaments in the formats of other programs.

rows                 matches and moves as JSON lines or CSV
score_sheet          the text notation that every game has
match_file           one match in a format of its game
match_steps          a match of the records, step by step
tournament_report    the public view of a tournament, and its files
"""
