"""Who plays next: formats that choose opponents by results, and the planner that asks the right one.

planner              next_pairings, for every format; remembers what has not changed since it was asked
swiss, arena         opponents with about as many points
matching             maximum-weight matching, under Swiss
"""
