"""Pairings to come: formats that choose opponents by results, and the planner for all formats.

planner              next_pairings, for every format; remembers what has not changed since it was asked
swiss, arena         opponents with about as many points
matching             maximum-weight matching, under Swiss
"""
