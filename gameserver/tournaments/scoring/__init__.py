"""Points for results, and what is worked out of them: tie-breaks, standings, crosstable.

scores               points, once the plan's rules for players who are out have been applied
tie_breaks           what separates players who are level
standings            who stands where, and why
crosstable           everybody against everybody
"""
