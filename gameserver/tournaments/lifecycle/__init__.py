"""Acts upon a tournament: each a pure function from one state to the next.

act_table            the table of acts, and `apply`
act_spec             the rows of that table
entrants             entering, the draw, leaving, being put out
results              pairings and their results
course               pause, resume, finish, cancel, the end of an arena's time
"""
