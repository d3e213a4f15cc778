"""Acts upon a tournament: each a pure function from one state to the next.

transitions          the table of acts
entrants             enter, withdraw, disqualify, start
results              pairings and their results
phases               pause, resume, finish, cancel
"""
